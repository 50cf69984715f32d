import TenonCore
import TenonEmbedded
import TenonStore

func confirm() async throws {
  try App.configure(options: AppOptions(projectID: "notes", backend: .embedded(directory: nil)))
  let store = try Store.store()
  try await store.disableNetwork()
  // sample: confirm
  let write = try await store.document("notes/tea").setData(["title": "Tea"])  // durable here
  print(try await store.document("notes/tea").getDocument().metadata.hasPendingWrites)

  try await store.enableNetwork()
  try await write.confirmed()  // the server has it
  try await store.waitForPendingWrites()  // and everything else that waited
  print(try await store.document("notes/tea").getDocument().metadata.hasPendingWrites)
  // sample: end
}
