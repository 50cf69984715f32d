import TenonAuth
// sample: component
import TenonCore
import TenonEmbedded
import TenonStore

final class Index: Sendable {}

// sample: end
func lifeOfAComponent() async throws {
  // sample: component
  let container = try ComponentContainer {
    Component(Index.self) { _ in
      print("created")
      return Index()
    }
    .onStart { _ in print("started") }
    .onDelete { _ in print("deleted") }
  }
  print("validated")
  _ = try container.resolve(Index.self)
  try await container.start()
  await container.delete()
  // sample: end
}

func lifeOfAToken() async throws {
  try App.configure(options: AppOptions(projectID: "demo", backend: .embedded(directory: nil)))
  // sample: token
  let user = try await Auth.auth().signInAnonymously().user
  let first = try await user.getIDToken()
  print(try await user.getIDToken() == first)
  print(try await user.getIDToken(forcingRefresh: true).isEmpty)
  // sample: end
}

func lifeOfAWrite() async throws {
  try App.configure(options: AppOptions(projectID: "demo", backend: .embedded(directory: nil)))
  let store = try Store.store()
  // sample: write
  let write = try await store.document("notes/tea").setData(["changed": .serverTimestamp()])
  let time = try await write.confirmed()
  let stored = try await store.document("notes/tea").getDocument()
  print(time != nil, stored.metadata.hasPendingWrites)
  // sample: end
}
