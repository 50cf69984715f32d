import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The preconditions that this device evaluates, and those that only the remote can evaluate (P2).
@Suite(.limited) struct LocalDecisionTests {
  private static func path(_ text: String) throws -> ResourcePath { try ResourcePath(document: text) }

  /// Returns a store whose cache contains `c/there`, and records that `c/gone` is missing.
  private static func prepared() async throws -> (Store, FakeStoreRemote) {
    let remote = FakeStoreRemote()
    try remote.apply([DocumentWrite(path("c/there"), .set(["n": 1]))])
    let store = makeStore(remote: remote)
    _ = try await store.document("c/there").getDocument()
    #expect(try await !store.document("c/gone").getDocument().exists)
    try await store.disableNetwork()
    return (store, remote)
  }

  private static func expect(
    _ code: StoreError.Code, of store: Store, _ write: () async throws -> Void,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let before = try await store.queuedWrites.count
    let thrown = await #expect(throws: StoreError.self, sourceLocation: location) { try await write() }
    #expect(thrown?.code == code, sourceLocation: location)
    #expect(try await store.queuedWrites.count == before, "nothing is queued", sourceLocation: location)
  }

  @Test func p2CreatingADocumentKnownToExistThrows() async throws {
    let (store, _) = try await Self.prepared()
    let (there, new) = (store.document("c/there"), store.document("c/new"))
    try await Self.expect(.alreadyExists, of: store) { try await there.create(["n": 2]) }
    #expect(try await there.getDocument(source: .cache).fields?["n"] == 1)
    // A pending write is taken into account, because it is sent first.
    try await new.setData(["n": 1])
    try await Self.expect(.alreadyExists, of: store) { try await new.create(["n": 2]) }
    try await there.delete()
    try await there.create(["n": 3])
    #expect(try await there.getDocument(source: .cache).fields?["n"] == 3)
    await store.terminate()
  }

  @Test func p2UpdatingADocumentKnownToBeMissingThrows() async throws {
    let (store, _) = try await Self.prepared()
    let (there, gone) = (store.document("c/there"), store.document("c/gone"))
    try await Self.expect(.notFound, of: store) { try await gone.updateData(["n": 2]) }
    try await Self.expect(.notFound, of: store) { try await gone.delete(if: .exists(true)) }
    try await there.delete()
    try await Self.expect(.notFound, of: store) { try await there.updateData(["n": 2]) }
    try await gone.create(["n": 1])
    try await gone.updateData(["n": 2])
    #expect(try await gone.getDocument(source: .cache).fields?["n"] == 2)
    await store.terminate()
  }

  @Test func p2AnOutdatedVersionThrows() async throws {
    let (store, remote) = try await Self.prepared()
    let document = store.document("c/there")
    let old = try #require(try await document.getDocument(source: .cache).updateTime)
    try await store.enableNetwork()
    try remote.apply([DocumentWrite(Self.path("c/there"), .set(["n": 2]))])
    let new = try #require(try await document.getDocument(source: .server).updateTime)
    try await store.disableNetwork()
    try await Self.expect(.failedPrecondition, of: store) {
      try await document.updateData(["n": 3], if: .updated(old))
    }
    try await Self.expect(.failedPrecondition, of: store) { try await document.delete(if: .updated(old)) }
    // A document that was missing at a later time can't have that version.
    try await Self.expect(.failedPrecondition, of: store) {
      try await store.document("c/gone").updateData(["n": 3], if: .updated(.zero))
    }
    try await document.updateData(["n": 3], if: .updated(new))
    // The pending write changes the document before another one can be applied.
    try await Self.expect(.failedPrecondition, of: store) {
      try await document.updateData(["n": 4], if: .updated(new))
    }
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    #expect(try await document.getDocument(source: .server).fields?["n"] == 3)
    await store.terminate()
  }

  @Test func p2TheRemoteDecidesAboutADocumentThatMayBeDeleted() throws {
    let path = try Self.path("c/there")
    let base = BaseDocument(
      content: .found(["n": 1]), createTime: .zero, version: Timestamp(seconds: 1), isCommitted: false)
    let create = DocumentWrite(path, .set(["n": 2]), precondition: .exists(false))
    let update = DocumentWrite(path, .update(["n": 2], mask: ["n"]), precondition: .exists(true))
    var view = DocumentOverlay(path, base, in: .init(collection: 1))
    #expect(throws: StoreError.self) { try view.check(create, isInLimbo: false) }
    try view.check(create, isInLimbo: true)
    try view.check(update, isInLimbo: true)
    // A pending deletion is sent first.
    try view.apply(DocumentWrite(path, .delete), at: .zero)
    #expect(throws: StoreError.self) { try view.check(update, isInLimbo: true) }
    try view.check(create, isInLimbo: true)
  }

  @Test func p2ABatchThatCannotBeAppliedChangesNothing() async throws {
    let (store, _) = try await Self.prepared()
    try await Self.expect(.alreadyExists, of: store) {
      let batch = store.batch()
      try batch.setData(["n": 1], forDocument: store.document("c/other"))
      try batch.create(["n": 1], forDocument: store.document("c/twice"))
      try batch.create(["n": 2], forDocument: store.document("c/twice"))
      try await batch.commit()
    }
    #expect(try await store.collection("c").getDocuments(source: .cache).ids == ["there"])
    await store.terminate()
  }

  @Test func p2APreconditionOnlyTheRemoteCanCheckIsQueuedAndItsRejectionThrownAndListed() async throws {
    let remote = FakeStoreRemote()
    try remote.apply([DocumentWrite(Self.path("c/there"), .set(["n": 1]))])
    let store = makeStore(remote: remote)
    try await store.disableNetwork()
    // The cache has no information about these documents.
    let writes = [
      try await store.document("c/there").create(["n": 2]),
      try await store.document("c/gone").updateData(["n": 2]),
      // An update of an unknown document doesn't make it known.
      try await store.document("c/gone").updateData(["n": 3]),
      try await store.document("c/other").updateData(["n": 3], if: .updated(Timestamp(seconds: 1))),
    ]
    try await store.enableNetwork()
    var codes: [StoreError.Code?] = []
    for write in writes {
      codes.append(await #expect(throws: StoreError.self) { try await write.confirmed() }?.code)
    }
    #expect(codes == [.alreadyExists, .notFound, .notFound, .failedPrecondition])
    #expect(try await store.rejectedWrites.map(\.error.code) == codes)
    await store.terminate()
  }

  /// A version that is newer than the cached one must come from another client.
  @Test func p2TheRemoteDecidesAboutANewerVersion() async throws {
    let (store, remote) = try await Self.prepared()
    let commit = try remote.apply([DocumentWrite(Self.path("c/there"), .set(["n": 2]))])
    let version = try #require(commit.results.first?.updateTime ?? commit.time)
    let write = try await store.document("c/there").updateData(["n": 3], if: .updated(version))
    try await store.enableNetwork()
    try await write.confirmed()
    #expect(try await store.document("c/there").getDocument(source: .server).fields?["n"] == 3)
    await store.terminate()
  }
}
