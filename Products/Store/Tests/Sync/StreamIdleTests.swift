import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// When a stream without work is closed.
@Suite(.limited) struct StreamIdleTests {
  @Test func aListenStreamWithoutListenersIsClosedAfterAWhile() throws {
    let driven = try DrivenSync()
    let listener = try driven.listen()
    #expect(driven.timers.waiting[.listenIdle] == nil)
    try driven.sync.unlisten(listener)
    #expect(driven.timers.waiting[.listenIdle]?.delay == .seconds(60))
    driven.timers.fire(.listenIdle)
    // The next listener opens the stream again.
    _ = try driven.listen()
    #expect(driven.streams.openings == 2 && driven.streams.targets.count == 1)
  }

  @Test func aListenerThatFollowsTheLastOneSoonKeepsTheStreamOpen() throws {
    let driven = try DrivenSync()
    try driven.sync.unlisten(driven.listen())
    _ = try driven.listen()
    driven.timers.fire(.listenIdle)
    #expect(driven.streams.openings == 1 && driven.streams.targets.count == 1)
  }
}
