// sample: first
import TenonCore
import TenonEmbedded
import TenonStore

struct Note: Codable {
  var title: String
  var stars: Int
}

// sample: end
func firstStore() async throws {
  // sample: first
  try App.configure(options: AppOptions(projectID: "notes", backend: .embedded(directory: nil)))
  let notes = try Store.store().collection("notes", of: Note.self)

  let write = try await notes.document("tea").setData(Note(title: "Green tea", stars: 5))  // durable here
  try await write.confirmed()  // the server has it

  let best = notes.whereField(\.stars, isGreaterThan: 3).order(by: \.stars, descending: true)
  for try await snapshot in best.snapshots {  // now, and after each change
    for note in try snapshot.data() { print(note.title) }
    break
  }
  // sample: end
}

func writeAndQuery(store: Store, title: String, rating: Int) async throws {
  // sample: query
  let notes = store.collection("notes")
  try await notes.document("tea").setData([
    "title": title, "rating": rating, "tags": ["hot", 1], "at": .serverTimestamp(),
  ])
  let best = notes.whereField("rating", isGreaterThan: 3).order(by: "rating", descending: true).limit(to: 10)
  for document in try await best.getDocuments().documents { print(document.data()["title"] as? String ?? "") }
  // sample: end
}
