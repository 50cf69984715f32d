// sample: several, collections
import TenonCore
import TenonEmbedded
import TenonStore

// sample: end
func severalDatabases() async throws {
  // sample: several
  try App.configure(options: AppOptions(projectID: "notes", backend: .embedded(directory: nil)))
  let notes = try Store.store()
  let settings = StoreSettings(isLocalOnly: true)
  let drafts = try Store.store(database: "drafts", settings: settings)

  try await drafts.document("drafts/1").setData(["title": "Not yet"])
  print(try await notes.collection("drafts").getDocuments().documents.count)
  print(try await drafts.collection("drafts").getDocuments().documents.count)
  // sample: end
}

func localCollections() async throws {
  try App.configure(options: AppOptions(projectID: "notes", backend: .embedded(directory: nil)))
  // sample: collections
  let store = try Store.store(settings: StoreSettings(localCollections: ["drafts"]))
  try await store.document("drafts/1").setData(["title": "Stays here"])  // never sent
  try await store.document("notes/1").setData(["title": "Is sent"])
  // sample: end
}
