// Store without Auth and without a backend: documents, a listener and a query on this device.
import IntegrationReport
import TenonCore
import TenonStore

/// Writes documents, and returns what a listener and a query saw of them.
func useStore() async throws -> [String: String] {
  let store = try Store.store(settings: StoreSettings(isLocalOnly: true))
  let notes = store.collection("notes")
  var snapshots = notes.order(by: "rank").snapshots.makeAsyncIterator()
  var changes = story(of: try await snapshots.next())
  for (rank, title) in ["first", "second"].enumerated() {
    try await notes.document("n\(rank)").setData(["title": title, "rank": rank])
    changes += story(of: try await snapshots.next())
  }
  try await notes.document("n1").updateData(["read": true])
  changes += story(of: try await snapshots.next())

  let titles = try await notes.order(by: "rank").getDocuments().documents.compactMap {
    $0["title"]?.stringValue
  }
  return [
    "titles": titles.joined(separator: ", "), "changes": changes.joined(separator: ", "),
    "userID": try await store.currentUserID ?? "nobody",
  ]
}

func story(of snapshot: QuerySnapshot?) -> [String] {
  (snapshot?.documentChanges ?? []).map { "\($0.type) \($0.document["title"]?.stringValue ?? "")" }
}

let app = try App.configure(options: AppOptions(projectID: "demo-store", data: .memory))
let facts = try await useStore()
try IntegrationReport(graph: app.graph, facts: facts).print()
await app.delete()
