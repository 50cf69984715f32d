// sample: storage
import Foundation
// sample: end
// sample: appCheck
import TenonAppCheck
import TenonCore
import TenonEmbedded
// sample: end
import TenonStorage
// sample: search
import TenonStore

// sample: end
func configure() throws {
  try App.configure(options: AppOptions(projectID: "demo", backend: .embedded(directory: nil)))
}

func storeObjects() async throws {
  try App.configure(
    options: AppOptions(
      projectID: "demo", storageBucket: "demo.appspot.com", backend: .embedded(directory: nil)))
  // sample: storage
  let photo = try Storage.storage().reference(withPath: "photos/tea.txt")
  let metadata = try await photo.putDataAsync(Data("leaves".utf8))
  print(metadata.size, try await photo.data(maxSize: 1024).count)
  // sample: end
}

func proveTheApp() async throws {
  try configure()
  // sample: appCheck
  let token = try await AppCheck.appCheck().token(forcingRefresh: false)
  print(token.token.isEmpty)
  // sample: end
}

func search() async throws {
  try configure()
  // sample: search
  let settings = StoreSettings(textIndexes: [TextIndex("notes", "title")])
  let notes = try Store.store(settings: settings).collection("notes")
  try await notes.document("tea").setData(["title": "Green tea"])
  for found in try await notes.search("tea -matcha").getDocuments() {
    print(found.snippets().first?.marked("**") ?? "")
  }
  // sample: end
}
