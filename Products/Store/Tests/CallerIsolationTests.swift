import Dispatch
import Foundation
import TenonDocuments
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// After a call, its caller is on its actor again. In optimized builds, the compiler decides where that takes
/// effect (P7).
@Suite(.limited) struct CallerIsolationTests {
  private static let key = DispatchSpecificKey<Bool>()

  /// The main actor runs on the main queue.
  @MainActor private func check(_ comment: Comment) {
    #expect(DispatchQueue.getSpecific(key: Self.key) == true, comment)
  }

  @Test(arguments: [false, true])
  @MainActor func p7CallsReturnToTheActorOfTheirCaller(isOccupied: Bool) async throws {
    DispatchQueue.main.setSpecific(key: Self.key, value: true)
    let directory = try TestDirectory()
    let store = makeStore(directory, settings: StoreSettings(textIndexes: [TextIndex("c", "t")]))
    let (collection, document) = (store.collection("c"), store.document("c/d"))
    try await document.setData(["n": 1, "t": "tea"])
    check("setData")
    // A search would wait for an index that the engine has to build.
    try await store.buildIndexes()
    check("buildIndexes")
    // While the engine is occupied, others read. It ends by itself if one of them doesn't.
    let end = DispatchSemaphore(value: 0)
    let wait: @Sendable (StoreEngine.Running) -> Void = { _ in
      let limit = 45 * MachineLoad.patience
      #expect(end.wait(timeout: .now() + limit) == .success, "a read waits for the engine")
    }
    let occupying = isOccupied ? Task { try await store.engine.use(wait) } : nil
    try await eventually { !isOccupied || store.engine.isOccupied }
    _ = try await document.getDocument()
    check("getDocument")
    _ = try await collection.getDocuments()
    check("getDocuments")
    _ = try await collection.count.getAggregation()
    check("count")
    _ = try await collection.aggregate([.sum("n")]).getAggregation()
    check("sum")
    _ = try await collection.findNearest(
      vectorField: "v", queryVector: [1], limit: 1, distanceMeasure: .cosine)
    check("findNearest")
    _ = try await collection.order(by: "n").explain()
    check("explain")
    _ = try await store.collectionSizes()
    check("collectionSizes")
    _ = try await collection.search("tea").getDocuments()
    check("search")
    end.signal()
    try await occupying?.value
    check("use")
    for try await _ in collection.search("tea").snapshots { break }
    check("search snapshots")
    for try await _ in collection.snapshots { break }
    check("snapshots")
    _ = try await store.runTransaction { try await $0.getDocument(document).exists }
    check("runTransaction")
    _ = try await store.deleteCollection("other")
    check("deleteCollection")
    _ = try await store.indexes()
    _ = try await store.fieldIndexes()
    _ = try await store.textIndexes()
    _ = try await store.pins()
    _ = try await store.queuedWrites
    _ = try await store.rejectedWrites
    check("lists")
    try await document.delete()
    check("delete")
  }

  @Test @MainActor func p7ReadsOfARemoteReturnToTheActorOfTheirCaller() async throws {
    DispatchQueue.main.setSpecific(key: Self.key, value: true)
    let store = makeStore(remote: FakeStoreRemote())
    let (collection, document) = (store.collection("c"), store.document("c/d"))
    _ = try await document.setData(["n": 1]).confirmed()
    check("confirmed")
    _ = try await document.getDocument(source: .server)
    check("getDocument")
    _ = try await collection.getDocuments(source: .server)
    check("getDocuments")
    _ = try await collection.count.getAggregation(source: .server)
    check("count")
    try await collection.pin()
    _ = try await collection.evict()
    check("evict")
    try await store.waitForPendingWrites()
    check("waitForPendingWrites")
    await store.terminate()
    check("terminate")
  }
}
