import Foundation
import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@Suite(.limited) struct FakeStoreRemoteTests {
  private struct Failure: Error {}

  private let remote = FakeStoreRemote()
  private let path = ResourcePath(segments: ["rooms", "den"])
  private var query: StructuredQuery {
    StructuredQuery(parent: ResourcePath(segments: []), collectionID: "rooms")
  }

  private func set(_ number: Int) -> DocumentWrite { DocumentWrite(path, .set(["n": Value(number)])) }

  @Test func keepsTheContract() async throws {
    try await StoreRemoteContract.check(remote, database: "(default)", other: "other")
  }

  @Test func everyCallThrowsTheErrorThatTheTestSet() async throws {
    let listening = Listening(remote)
    var writing = Writing(remote)
    remote.fail(with: Failure())
    await #expect(throws: Failure.self) { try await remote.fetch([path], in: RemoteContext()) }
    await #expect(throws: Failure.self) {
      try await remote.commit(RemoteBatch(writes: []), in: RemoteContext())
    }
    await #expect(throws: Failure.self) { for try await _ in listening.events {} }
    await #expect(throws: Failure.self) { while try await writing.next() != nil {} }
    await #expect(throws: Failure.self) { for try await _ in Listening(remote).events {} }
    remote.fail(with: nil)
    #expect(try await remote.fetch([path], in: RemoteContext()).count == 1)
  }

  @Test func droppedStreamsCanBeOpenedAgainAtOnce() async throws {
    let listening = Listening(remote)
    remote.dropStreams(with: Failure())
    await #expect(throws: Failure.self) { for try await _ in listening.events {} }
    let again = Listening(remote)
    again.add(ListenTarget(id: 1, content: .query(query)))
    try await again.untilAgreement()
    #expect(remote.openStreams.listening == 1)
    #expect(remote.listenRequests.count == 1)
  }

  @Test func aBatchWhoseAcknowledgementWasLostIsAppliedOnce() async throws {
    let batch = RemoteBatch(writes: [
      DocumentWrite(path, .update([:], mask: []), transforms: [FieldTransform("n", .increment(1))])
    ])
    remote.decideNextBatches(.unanswered(StoreRemoteError(.unavailable, "The connection broke.")))
    await #expect(throws: StoreRemoteError.self) {
      try await remote.commit(batch, in: RemoteContext())
    }
    #expect(try await remote.fetch([path], in: RemoteContext()).first?.fields == ["n": 1])
    let answer = try await remote.commit(batch, in: RemoteContext())
    #expect(answer.results.first?.transformResults == [1])
    #expect(try await remote.fetch([path], in: RemoteContext()).first?.fields == ["n": 1])
  }

  @Test func refusedBatchesEndTheirStreamAndChangeNothing() async throws {
    var writing = Writing(remote)
    remote.decideNextBatches(.applied, .refused(StoreRemoteError(.permissionDenied, "Not you.")))
    _ = try await writing.next()
    writing.send(RemoteBatch(writes: [set(1)]))
    writing.send(RemoteBatch(writes: [set(2)]))
    _ = try await writing.next()
    let error = await #expect(throws: StoreRemoteError.self) { try await writing.next() }
    #expect(error?.code == .permissionDenied)
    #expect(try await remote.fetch([path], in: RemoteContext()).first?.fields == ["n": 1])
    #expect(remote.batches.count == 2)
  }

  @Test func heldBackChangesAreAppliedAndReportedLater() async throws {
    let listening = Listening(remote)
    listening.add(ListenTarget(id: 1, content: .query(query)))
    try await listening.untilAgreement()
    remote.delayResponses()
    let (remote, write) = (remote, set(1))
    let release = Release()
    let answering = Task {
      let answer = try await remote.commit(RemoteBatch(writes: [write]), in: RemoteContext())
      return (answer.results.count, release.isOver)
    }
    let events = listening.events
    let reading = Task {
      for try await case .document(let document, added: [1], removed: []) in events {
        return (document.fields, release.isOver)
      }
      return (nil, false)
    }
    try await eventually { !remote.batches.isEmpty }
    release.isOver = true
    remote.deliverDelayedResponses()
    #expect(try await answering.value == (1, true))
    #expect(try await reading.value == (["n": 1], true))
  }

  @Test func aCancelledCallerDoesNotWaitForAHeldBackResponse() async throws {
    remote.delayResponses()
    let (remote, path) = (remote, path)
    let fetching = Task { try await remote.fetch([path], in: RemoteContext()) }
    fetching.cancel()
    await #expect(throws: CancellationError.self) { try await fetching.value }
  }

  @Test func targetsCanBeRefusedAtOnceOrLater() async throws {
    let listening = Listening(remote)
    listening.add(ListenTarget(id: 1, content: .query(query)))
    try await listening.untilAgreement()
    remote.refuseTargets { target in
      target.id < 3 ? StoreRemoteError(.permissionDenied, "Not you.") : nil
    }
    #expect(try await listening.untilRemoval() == 1)
    listening.add(ListenTarget(id: 2, content: .query(query)))
    #expect(try await listening.untilRemoval() == 2)
    listening.add(ListenTarget(id: 3, content: .query(query)))
    try await listening.untilAgreement()
  }

  @Test func forgottenTokensResendEverything() async throws {
    try remote.apply([set(1)])
    let listening = Listening(remote)
    listening.add(ListenTarget(id: 1, content: .query(query)))
    let token = try #require(try await listening.untilAgreement().token)
    try remote.apply([set(2)])
    remote.forgetTokens()
    let again = Listening(remote)
    again.add(ListenTarget(id: 1, content: .query(query), resumption: .token(token)))
    #expect(try await again.untilAgreement().wasReset)
  }

  @Test func aNewBackendRejectsOldTokens() async throws {
    try remote.apply([set(1)])
    let listening = Listening(remote)
    listening.add(ListenTarget(id: 1, content: .query(query)))
    let token = try #require(try await listening.untilAgreement().token)
    remote.loseDocuments()
    await #expect(throws: StoreRemoteError.self) { try await listening.untilRemoval() }
    let again = Listening(remote)
    again.add(ListenTarget(id: 1, content: .query(query), resumption: .token(token)))
    #expect(try await again.untilAgreement().wasReset)
  }
}

/// Whether the held responses were released.
private final class Release: Sendable {
  private let state = Lock(false)
  var isOver: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// A listen stream whose events are read one at a time.
private struct Listening {
  let events: AsyncThrowingStream<ListenEvent, any Error>
  private let requests: AsyncStream<ListenRequest>.Continuation

  init(_ remote: FakeStoreRemote) {
    let (stream, requests) = AsyncStream<ListenRequest>.makeStream()
    self.requests = requests
    events = remote.listen(stream, in: RemoteContext())
  }

  func add(_ target: ListenTarget) { requests.yield(.add(target)) }

  @discardableResult
  func untilAgreement() async throws -> (token: Data?, wasReset: Bool) {
    var wasReset = false
    for try await case .target(let change) in events {
      if case .reset = change.kind { wasReset = true }
      if change.targets.isEmpty, change.readTime != nil { return (change.token, wasReset) }
    }
    throw StoreRemoteError(.unknown, "The listening ended.")
  }

  func untilRemoval() async throws -> Int? {
    for try await case .target(let change) in events {
      if case .removed(.some) = change.kind { return change.targets.first }
    }
    throw StoreRemoteError(.unknown, "The listening ended.")
  }
}

/// A write stream.
private struct Writing {
  private let batches: AsyncStream<RemoteBatch>.Continuation
  private var events: AsyncThrowingStream<WriteEvent, any Error>.Iterator

  init(_ remote: FakeStoreRemote) {
    let (stream, batches) = AsyncStream<RemoteBatch>.makeStream()
    self.batches = batches
    events = remote.write(stream, token: nil, in: RemoteContext()).makeAsyncIterator()
  }

  func send(_ batch: RemoteBatch) { batches.yield(batch) }
  mutating func next() async throws -> WriteEvent? { try await events.next(isolation: #isolation) }
}
