import TenonCore
import TenonEmbedded
import TenonStore

func borrow() async throws {
  let container = try ComponentContainer { Component(Index.self) { _ in Index() } }
  // sample: handle
  let handle = container.handle(Index.self)
  let id = try handle.with { ObjectIdentifier($0) }
  // sample: end
  print(id == ObjectIdentifier(try container.resolve(Index.self)))
}

func explain() async throws {
  try App.configure(options: AppOptions(projectID: "demo", backend: .embedded(directory: nil)))
  let store = try Store.store()
  // sample: explain
  let query = store.collection("notes").whereField("stars", isGreaterThan: 3)
  print(try await query.explain())
  // sample: end
}
