package import Foundation
import TenonCore
package import TenonTransport

/// Time that moves when it is told to, or by every wait.
package final class TestTime: Sendable {
  private struct Sleeper {
    let end: TimeInterval
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var elapsed: TimeInterval = 0
    /// What the wall clock was set to besides.
    var skew: TimeInterval = 0
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var count = 0
  }

  private let state = Lock(State())
  private let start = ContinuousClock.now
  private let asked = AsyncStream.makeStream(of: TimeInterval.self)
  private let advancesItself: Bool

  /// - Parameter advancesItself: whether a wait is over at once, and moves the time on.
  package init(advancesItself: Bool = false) { self.advancesItself = advancesItself }

  /// The waits that were asked for, in seconds. They have one reader.
  package var waits: AsyncStream<TimeInterval> { asked.stream }

  /// For what takes time and chance from a ``RetryPace``. Chance is 0.
  package var pace: RetryPace {
    RetryPace(
      now: { self.now },
      date: { self.date },
      sleep: { try await self.sleep(for: $0) },
      random: { 0 }
    )
  }

  /// The wall clock.
  package var date: Date {
    state.withLock { Date(timeIntervalSince1970: 1_700_000_000 + $0.elapsed + $0.skew) }
  }

  /// The time that passes, which nobody can set.
  package var now: ContinuousClock.Instant { start + .seconds(state.withLock { $0.elapsed }) }

  /// Moves the time on and wakes whose time has come.
  package func advance(by seconds: TimeInterval) {
    let woken = state.withLock { state in
      state.elapsed += seconds
      let woken = state.sleepers.filter { $0.value.end <= state.elapsed }
      for id in woken.keys { state.sleepers[id] = nil }
      return woken.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Sets the wall clock forward or back. Nobody wakes from that.
  package func set(by seconds: TimeInterval) { state.withLock { $0.skew += seconds } }

  /// Waits until the time has come.
  package func sleep(for duration: Duration) async throws {
    let seconds = duration / .seconds(1)
    if advancesItself {
      try Task.checkCancellation()
      asked.continuation.yield(seconds)
      return advance(by: seconds)
    }
    let id = state.withLock { state in
      state.count += 1
      return state.count
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.withLock { state in
          if state.cancelled.contains(id) { return true }
          state.sleepers[id] = Sleeper(end: state.elapsed + seconds, continuation: continuation)
          return false
        }
        if isCancelled { return continuation.resume(throwing: CancellationError()) }
        asked.continuation.yield(seconds)
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.cancelled.insert(id)
        return state.sleepers.removeValue(forKey: id)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}
