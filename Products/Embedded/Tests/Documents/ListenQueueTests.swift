import TenonStoreInterop
import TenonTestSupport
import Testing

@testable import TenonEmbedded

/// The events that wait for the readers of remote clients are limited together.
@Suite(.limited) struct ListenQueueTests {
  private static let event = ListenEvent.target(TargetChange(.added, targets: [1]))

  private static func events(_ count: Int) -> [ListenEvent] { Array(repeating: event, count: count) }

  @Test func onlyUnreadEventsCount() async throws {
    let total = ListenQueue.Total()
    let (slow, other) = (ListenQueue(total: total), ListenQueue(total: total))
    slow.append(Self.events(ListenQueue.Total.limit - 1))
    #expect(!total.isReached)
    other.append(Self.events(1))
    #expect(total.isReached)
    _ = try await other.next()
    #expect(!total.isReached)
  }

  @Test func theEventsOfAReaderThatHasLeftDoNotCount() {
    let total = ListenQueue.Total()
    for _ in 0..<2 {
      let queue = ListenQueue(total: total)
      queue.append(Self.events(ListenQueue.Total.limit))
      #expect(total.isReached)
      // The queue is closed again when it is released.
      queue.close()
      queue.append(Self.events(ListenQueue.Total.limit))
      #expect(!total.isReached)
    }
    let other = ListenQueue(total: total)
    other.append(Self.events(ListenQueue.Total.limit))
    #expect(total.isReached)
  }
}
