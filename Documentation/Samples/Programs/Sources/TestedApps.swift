import Foundation
import TenonCore
import TenonEmbedded
import TenonStore

// sample: parallel
func withApp(_ body: (App) async throws -> Void) async throws {
  let app = try App.configure(
    name: "test-\(UUID())",
    options: AppOptions(projectID: "demo", backend: .embedded(directory: nil), data: .memory))
  do { try await body(app) } catch {
    await app.delete()
    throw error
  }
  await app.delete()
}

// sample: end
func testInParallel() async throws {
  // sample: parallel
  try await withApp { app in
    let store = try Store.store(app: app)
    try await store.document("notes/tea").setData(["title": "Tea"]).confirmed()
    print(try await store.collection("notes").getDocuments().documents.count)
  }
  // sample: end
}
