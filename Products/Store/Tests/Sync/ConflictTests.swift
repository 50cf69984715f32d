import TenonCore
import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Conditional writes that others have overtaken: the app decides on new ones (`Store.onConflict`).
@Suite(.limited) struct ConflictTests {
  private static let path = ResourcePath(segments: ["c", "d"])

  /// The ways to make a conditional write of the stock of 3 instead of 10.
  enum Write: CaseIterable, Sendable { case updateTime, transaction }

  /// A device without a network that has changed the stock of the document `c/d`, which others have changed
  /// too.
  private struct Device {
    let remote = FakeStoreRemote()
    let log = LogRecorder()
    let store: Store
    var document: DocumentReference { store.document("c/d") }

    init(_ write: Write = .updateTime, theirs: DocumentWrite.Operation = .set(["stock": 8, "title": "Tea"]))
      async throws
    {
      store = makeStore(remote: remote, logger: log.logger)
      let document = store.document("c/d")
      try await document.setData(["stock": 10, "title": "Tea"]).confirmed()
      let seen = try #require(try await document.getDocument(source: .server).updateTime)
      try await store.disableNetwork()
      switch write {
      case .updateTime: try await document.updateData(["stock": .increment(-7)], if: .updated(seen))
      case .transaction:
        try await store.runTransaction { transaction in
          let stock = try await transaction.getDocument(document).fields?["stock"]?.intValue ?? 0
          try transaction.updateData(["stock": stock - 7], forDocument: document)
        }
      }
      try remote.apply([DocumentWrite(ConflictTests.path, theirs)])
    }

    func send() async throws {
      try await store.enableNetwork()
      try await store.waitForPendingWrites()
    }

    func fields() async throws -> Fields? {
      try await remote.fetch([ConflictTests.path], in: RemoteContext()).first?.fields
    }
  }

  @Test(arguments: Write.allCases) func theFunctionDecidesOnANewWrite(write: Write) async throws {
    let device = try await Device(write)
    let (conflicts, continuation) = AsyncStream<WriteConflict>.makeStream()
    device.store.onConflict = { conflict, transaction in
      for document in conflict.documents {
        let change = (document.mine?["stock"]?.intValue ?? 0) - (document.base?["stock"]?.intValue ?? 0)
        try transaction.updateData(["stock": .increment(change)], forDocument: document.reference)
      }
      continuation.yield(conflict)
    }
    try await device.send()
    var iterator = conflicts.makeAsyncIterator()
    let conflict = try #require(await iterator.next(isolation: nil))
    #expect(conflict.documents.map(\.reference.path) == ["c/d"])
    #expect(conflict.documents[0].base == ["stock": 10, "title": "Tea"])
    #expect(conflict.documents[0].mine == ["stock": 3, "title": "Tea"])
    #expect(conflict.documents[0].theirs.fields == ["stock": 8, "title": "Tea"])
    #expect(conflict.rejected.error.code == .failedPrecondition && conflict.id == conflict.rejected.id)
    try await eventually { try await device.store.rejectedWrites.isEmpty }
    #expect(try await device.fields() == ["stock": 1, "title": "Tea"])
    #expect(device.log.messages(.warning).isEmpty)
    await device.store.terminate()
  }

  /// The conflict is found out while others go on.
  @Test func othersWhoChangeTheDocumentAgainLeadToAnotherDecision() async throws {
    let device = try await Device()
    let (stocks, continuation) = AsyncStream<Int>.makeStream()
    device.store.onConflict = { [remote = device.remote] conflict, transaction in
      let stock = conflict.documents[0].theirs.fields?["stock"]?.intValue ?? 0
      continuation.yield(stock)
      if stock == 8 {
        try remote.apply([DocumentWrite(Self.path, .update(["stock": 20], mask: ["stock"]))])
      }
      try transaction.updateData(["stock": stock - 7], forDocument: conflict.documents[0].reference)
    }
    try await device.send()
    try await eventually { try await device.store.rejectedWrites.isEmpty }
    #expect(try await device.fields() == ["stock": 13, "title": "Tea"])
    continuation.finish()
    #expect(await stocks.reduce(into: []) { $0.append($1) } == [8, 20])
    await device.store.terminate()
  }

  @Test func aDeletedDocumentIsAConflictWithNothing() async throws {
    let device = try await Device(theirs: .delete)
    device.store.onConflict = { conflict, transaction in
      let document = conflict.documents[0]
      #expect(!document.theirs.exists)
      try transaction.setData(document.mine ?? [:], forDocument: document.reference)
    }
    try await device.send()
    try await eventually { try await device.store.rejectedWrites.isEmpty }
    #expect(try await device.fields() == ["stock": 3, "title": "Tea"])
    await device.store.terminate()
  }

  enum Refusal: CaseIterable, Sendable { case writesNothing, throwsError }

  @Test(arguments: Refusal.allCases) func withoutANewWriteTheRejectionRemains(refusal: Refusal) async throws {
    struct Undecided: Error {}
    let device = try await Device()
    let (rejections, continuation) = AsyncStream<RejectedWrite>.makeStream()
    device.store.onConflict = { _, _ in if refusal == .throwsError { throw Undecided() } }
    device.store.onRejectedWrite = { continuation.yield($0) }
    try await device.send()
    var iterator = rejections.makeAsyncIterator()
    let rejected = try #require(await iterator.next(isolation: nil))
    #expect(try await device.store.rejectedWrites.map(\.id) == [rejected.id])
    #expect(try await device.fields() == ["stock": 8, "title": "Tea"])
    #expect(device.log.messages(.warning).count == (refusal == .throwsError ? 1 : 0))
    await device.store.terminate()
  }

  @Test func aRejectionForAnotherReasonIsNoConflict() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote, logger: LogRecorder().logger)
    let (rejections, continuation) = AsyncStream<RejectedWrite>.makeStream()
    store.onConflict = { _, _ in Issue.record("It isn't a conflict.") }
    store.onRejectedWrite = { continuation.yield($0) }
    remote.decideNextBatches(
      .refused(StoreRemoteError(.permissionDenied, "No.")), .refused(StoreRemoteError(.notFound, "Gone.")))
    try await store.document("c/d").setData(["n": 1])
    // It isn't conditional on what the document contains.
    try await store.document("c/d").updateData(["n": 2])
    var iterator = rejections.makeAsyncIterator()
    #expect(await iterator.next(isolation: nil)?.error.code == .permissionDenied)
    #expect(await iterator.next(isolation: nil)?.error.code == .notFound)
    await store.terminate()
  }

  @Test func aCallerThatWaitsReceivesTheRejection() async throws {
    let device = try await Device()
    device.store.onConflict = { _, _ in Issue.record("A caller waits.") }
    let stale = try await device.document.getDocument(source: .cache)
    #expect(stale.fields?["stock"] == 3)
    let queued = try #require(try await device.store.queuedWrites.first)
    #expect(try await device.store.cancelQueuedWrite(queued.id))
    let seen = try #require(try await device.document.getDocument(source: .cache).updateTime)
    let write = try await device.document.updateData(["stock": 1], if: .updated(seen))
    try await device.store.enableNetwork()
    let error = await #expect(throws: StoreError.self) { try await write.confirmed() }
    #expect(error?.code == .failedPrecondition)
    await device.store.terminate()
  }

  /// The new write would be another user's.
  @Test func aRejectionOfAnotherUserIsNotResolved() async throws {
    let (remote, auth) = (FakeStoreRemote(), FakeAuth())
    auth.signIn(userID: "ada")
    let store = makeStore(remote: remote, auth: auth, logger: LogRecorder().logger)
    let handled = Lock(false)
    store.onConflict = { _, _ in handled.withLock { $0 = true } }
    remote.decideNextBatches(.refused(StoreRemoteError(.alreadyExists, "It is there.")))
    let (rejections, continuation) = AsyncStream<RejectedWrite>.makeStream()
    store.onRejectedWrite = { continuation.yield($0) }
    var write: WriteConfirmation? = try await store.document("c/d").create(["n": 1])
    try await eventually { try await store.rejectedWrites.count == 1 }
    auth.signIn(userID: "bob")
    // From here on, nobody can wait for it.
    #expect(write?.isSettled == true)
    write = nil
    var iterator = rejections.makeAsyncIterator()
    #expect(await iterator.next(isolation: nil)?.error.code == .alreadyExists)
    #expect(!handled.withLock { $0 })
    await store.terminate()
  }
}
