import TenonSQLite
import TenonTesting
import Testing

@testable import TenonStore

@Suite(.timeLimit(.minutes(5)))
struct ForeignChangesTests {
  private enum Event: Equatable { case poll, end }

  /// Sends `end` when it is deallocated: when the polling task has ended and released its function.
  private final class Witness: Sendable {
    let events: AsyncStream<Event>.Continuation

    init(_ events: AsyncStream<Event>.Continuation) { self.events = events }
    deinit { events.yield(.end) }
  }

  @Test func pollingEndsWithoutAnotherCallWhenStopped() async throws {
    let (time, connection) = (TestTime(), try Connection.open(nil))
    var waits = time.waits.makeAsyncIterator()
    let (stream, channel) = AsyncStream<Event>.makeStream()
    var events = stream.makeAsyncIterator()
    let changes = ForeignChanges(time.source)
    changes.start(connection) { [witness = Witness(channel)] in witness.events.yield(.poll) }
    #expect(await waits.next() == 0.05)
    time.advance(by: 0.05)
    #expect(await events.next() == .poll)
    #expect(await waits.next() == 0.05)
    #expect(changes.isPolling)
    changes.stop()
    #expect(!changes.isPolling)
    #expect(await events.next() == .end)
  }
}
