package import Foundation
package import TenonCore

/// A controllable clock for tests: time passes when a test advances it, or with every wait.
package final class TestTime: Sendable {
  /// A task that waits.
  private struct Sleeper {
    let end: TimeInterval
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var elapsed: TimeInterval = 0
    /// By how much the wall clock was set forward or back.
    var skew: TimeInterval = 0
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var count = 0
  }

  private let state = Lock(State())
  private let start = ContinuousClock.now
  private let asked = AsyncStream.makeStream(of: TimeInterval.self)
  private let advancesItself: Bool

  /// Creates a clock.
  ///
  /// - Parameter advancesItself: whether a wait returns at once and advances the time by its duration.
  package init(advancesItself: Bool = false) { self.advancesItself = advancesItself }

  /// The durations of the waits that have begun, in seconds, as they begin. Only one task may iterate over them.
  package var waits: AsyncStream<TimeInterval> { asked.stream }

  /// A time source with this clock. Its random numbers are 0.
  package var source: TimeSource {
    TimeSource(
      now: { self.now },
      date: { self.date },
      sleep: { try await self.sleep(for: $0) },
      random: { 0 }
    )
  }

  /// The current wall-clock time.
  package var date: Date {
    state.withLock { Date(timeIntervalSince1970: 1_700_000_000 + $0.elapsed + $0.skew) }
  }

  /// The current instant of the monotonic clock, which ``set(by:)`` doesn't affect.
  package var now: ContinuousClock.Instant { start + .seconds(state.withLock { $0.elapsed }) }

  /// Advances both clocks and ends the waits whose time is over.
  package func advance(by seconds: TimeInterval) {
    let woken = state.withLock { state in
      state.elapsed += seconds
      let woken = state.sleepers.filter { $0.value.end <= state.elapsed }
      for id in woken.keys { state.sleepers[id] = nil }
      return woken.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Sets the wall clock forward or back. Waits are unaffected.
  package func set(by seconds: TimeInterval) { state.withLock { $0.skew += seconds } }

  /// Waits until the time has advanced by a duration.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
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
