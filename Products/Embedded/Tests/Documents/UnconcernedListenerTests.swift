import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonEmbedded

/// Streams that a commit doesn't concern: they receive its time, but not for every commit.
@Suite(.limited) struct UnconcernedListenerTests {
  private let timers: TestTime
  private let backend: Backend

  init() {
    timers = TestTime()
    backend = Backend(timers: timers)
  }

  /// A stream that listens to `rooms/den`, whose events are read one by one.
  private struct Stream {
    let requests: AsyncStream<ListenRequest>.Continuation
    var events: AsyncThrowingStream<ListenEvent, any Error>.Iterator

    init(_ backend: Backend) async throws {
      let (stream, requests) = AsyncStream<ListenRequest>.makeStream()
      self.requests = requests
      events = EmbeddedStoreRemote(backend.embedded, auth: nil).listen(stream, in: RemoteContext())
        .makeAsyncIterator()
      let den = ResourcePath(segments: ["rooms", "den"])
      requests.yield(.add(ListenTarget(id: 1, content: .documents([den]))))
      while let event = try await events.next(), !event.isSnapshot {}
    }
  }

  @Test func aStreamReceivesTheTimeOfCommitsThatDoNotConcernItOnceASecond() async throws {
    var waits = timers.waits.makeAsyncIterator()
    var streams = [try await Stream(backend), try await Stream(backend)]
    let documents = backend.embedded.documents()
    var last: Timestamp?
    for number in 1...3 {
      last = try await documents.commit([.set("rooms/hall", ["n": .integer(Int64(number))])])
    }
    #expect(await waits.next() == 1)
    timers.advance(by: 1)
    for index in streams.indices {
      guard case .target(let change) = try await streams[index].events.next() else {
        Issue.record("the stream received no change of its targets")
        continue
      }
      #expect(change.targets.isEmpty && change.readTime == last && change.token != nil)
    }
    // The next commit that concerns them comes next: nothing else was sent.
    let concerning = try await documents.commit([.set("rooms/den", ["n": 1])])
    for index in streams.indices {
      guard case .document = try await streams[index].events.next() else {
        Issue.record("the stream received another event before that of its document")
        continue
      }
      guard case .target(let change) = try await streams[index].events.next() else { continue }
      #expect(change.readTime == concerning)
    }
  }

  /// What is sent for a document has a later time than the snapshot that was owed, which therefore isn't sent.
  @Test func aChangeOfADocumentReplacesTheSnapshotThatIsOwed() async throws {
    var waits = timers.waits.makeAsyncIterator()
    var stream = try await Stream(backend)
    let documents = backend.embedded.documents()
    _ = try await documents.commit([.set("rooms/hall", ["n": 1])])
    #expect(await waits.next() == 1)
    for number in 1...2 {
      _ = try await documents.commit([.set("rooms/den", ["n": .integer(Int64(number))])])
      guard case .document(let document, _, _) = try await stream.events.next() else {
        Issue.record("the stream received another event before that of its document")
        continue
      }
      #expect(document.fields == ["n": .integer(Int64(number))])
      #expect(try await stream.events.next()?.isSnapshot == true)
      timers.advance(by: 1)
    }
  }

  /// A client that lost its connection before it received an owed snapshot misses nothing and gets nothing
  /// twice.
  @Test func aStreamResumesFromBeforeTheSnapshotThatItIsOwed() async throws {
    let remote = EmbeddedStoreRemote(backend.embedded, auth: nil)
    let documents = backend.embedded.documents()
    try await documents.set("rooms/den", ["n": 1])
    let den = ResourcePath(segments: ["rooms", "den"])
    var first = ListenClient(remote, RemoteContext())
    first.add(1, .documents([den]))
    try await first.until { $0.isCurrent(1) }
    try await documents.set("rooms/hall", ["n": 1])
    first.end()
    var second = ListenClient(remote, RemoteContext())
    second.keep(1, from: first)
    let token = try #require(first.token(1))
    second.add(1, .documents([den]), .token(token), expectedCount: 1)
    try await second.until { $0.isCurrent(1) }
    #expect(second.held(1) == ["den"] && !second.wasReset(1) && !second.wasMentioned("den"))
    second.end()
  }
}
