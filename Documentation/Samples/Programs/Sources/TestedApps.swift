import Foundation
import TenonCore
import TenonEmbedded
import TenonStore

func testInParallel() async throws {
  // sample: parallel
  func withApp<Result>(_ body: (App) async throws -> Result) async throws -> Result {
    let app = try App.configure(
      named: "test-\(UUID())",
      options: AppOptions(projectID: "demo", backend: .embedded(directory: nil), data: .memory))
    do {
      let result = try await body(app)
      await app.delete()
      return result
    } catch {
      await app.delete()
      throw error
    }
  }

  let count = try await withApp { app in
    let store = try Store.store(app: app)
    try await store.document("notes/tea").setData(["title": "Tea"]).confirmed()
    return try await store.collection("notes").getDocuments().documents.count
  }
  print(count)
  // sample: end
}
