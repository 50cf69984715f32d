import Foundation
import TenonCore
import TenonEmbedded
import TenonStore
import TenonTestSupport
import Testing

/// An app whose embedded backend has lost its documents.
@Suite(.limited)
struct DamagedBackendTests {
  @Test func aDamagedBackendIsAnErrorForAllCallersThatWaitForIt() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tenon-damaged-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let backend = folder.appending(path: "backend/backend")
    try FileManager.default.createDirectory(at: backend, withIntermediateDirectories: true)
    let file = backend.appending(path: "documents.sqlite")
    try Data((0..<40_000).map { _ in UInt8.random(in: 0...255) }).write(to: file)
    let app = try App.configure(
      name: "damaged-\(UUID())",
      options: AppOptions(
        projectID: "demo-damaged", backend: .embedded(directory: folder.appending(path: "backend").path),
        data: .directory(folder.appending(path: "device").path)))
    let store = try Store.store(app: app)
    let write = try await store.document("c/d").setData(["n": 1])
    let waits: [() async throws -> Void] = [
      { try await store.waitForPendingWrites() },
      { try await write.confirmed() },
      { _ = try await store.document("c/d").getDocument(source: .server) },
      { for try await _ in store.collection("c").snapshots {} },
    ]
    for wait in waits {
      let thrown = await #expect(throws: StoreError.self) { try await wait() }
      #expect(thrown?.code == .dataLoss)
      #expect(thrown?.message.contains(file.path) == true, "\(thrown?.message ?? "")")
    }
    #expect(try await store.queuedWrites.count == 1)
    #expect(try await store.document("c/d").getDocument(source: .cache).fields?["n"] == 1)
    await app.delete()
  }
}
