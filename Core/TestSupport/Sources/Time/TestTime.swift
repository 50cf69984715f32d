package import Foundation
package import TenonFoundation

/// A controllable clock for tests. Time passes when a test advances it or, with `advancesItself`, at each
/// wait.
///
/// It can be used from any task. The wall clock begins at 1,700,000,000 seconds after 1970 (14 November
/// 2023).
///
/// A test that waits for the element of ``waits`` can rely on the wait having begun, so that ``advance(by:)``
/// ends it:
///
/// ```swift
/// let time = TestTime()
/// var waits = time.waits.makeAsyncIterator()
/// let sleeping = Task { try await time.sleep(for: .seconds(30)) }
/// #expect(await waits.next() == 30)
/// time.advance(by: 30)
/// try await sleeping.value
/// ```
package final class TestTime: Sendable {
  /// A task that waits until the clock reaches a time.
  private struct Sleeper {
    /// The elapsed time at which the wait ends, in seconds.
    let end: TimeInterval
    /// Resumes the task. It is resumed by the call that removes the sleeper from the state, and so exactly
    /// once.
    let continuation: CheckedContinuation<Void, any Error>
  }

  /// The times and the waiting tasks.
  private struct State {
    /// The time since the creation of the clock, in seconds.
    var elapsed: TimeInterval = 0
    /// The difference in seconds by which the wall clock was set forward (or, if negative, back).
    var skew: TimeInterval = 0
    /// The waiting tasks, by the numbers of their waits.
    var sleepers: [Int: Sleeper] = [:]
    /// The numbers of waits that were cancelled, possibly before they began.
    var cancelled: Set<Int> = []
    /// The number of waits so far.
    var count = 0
  }

  private let state = Lock(State())
  /// The instant of the monotonic clock at which this clock begins.
  private let start = ContinuousClock.now
  /// The stream of ``waits``.
  private let waitDurations = AsyncStream.makeStream(of: TimeInterval.self)
  /// Whether a wait returns immediately and advances the time.
  private let advancesItself: Bool

  /// Creates a clock.
  ///
  /// - Parameter advancesItself: whether a wait returns immediately and advances the time by its duration.
  ///   The default is `false`.
  package init(advancesItself: Bool = false) { self.advancesItself = advancesItself }

  /// The durations of the waits in seconds, in the order in which they begin. Only one task may iterate over
  /// the stream. A wait of a task that was cancelled before isn't included.
  package var waits: AsyncStream<TimeInterval> { waitDurations.stream }

  /// A time source that uses this clock. Its random numbers are 0.
  package var source: TimeSource {
    TimeSource(
      now: { self.now },
      date: { self.date },
      sleep: { try await self.sleep(for: $0) },
      random: { 0 }
    )
  }

  /// The current wall-clock time, including the changes of ``set(by:)``.
  package var date: Date {
    state.withLock { Date(timeIntervalSince1970: 1_700_000_000 + $0.elapsed + $0.skew) }
  }

  /// The current instant of the monotonic clock, which ``set(by:)`` doesn't affect.
  package var now: ContinuousClock.Instant { start + .seconds(state.withLock { $0.elapsed }) }

  /// Advances both clocks and ends the waits whose time has come, in an unspecified order. The tasks continue
  /// after this returns or concurrently.
  ///
  /// - Parameter seconds: the duration, in seconds, which must not be negative. With 0, waits without a
  ///   duration end.
  /// - Complexity: O(*n*) in the number of waiting tasks.
  package func advance(by seconds: TimeInterval) {
    let woken = state.withLock { state in
      state.elapsed += seconds
      let woken = state.sleepers.filter { $0.value.end <= state.elapsed }
      for id in woken.keys { state.sleepers[id] = nil }
      return woken.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Sets the wall clock forward or, if `seconds` is negative, back. Waits are unaffected, because they use
  /// the monotonic clock.
  package func set(by seconds: TimeInterval) { state.withLock { $0.skew += seconds } }

  /// Waits until the time has advanced by a duration. If the clock advances itself, returns immediately.
  ///
  /// Otherwise, a duration of zero or less ends with the next call of ``advance(by:)``.
  ///
  /// - Parameter duration: the duration. It is converted to seconds as a `Double`.
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  package func sleep(for duration: Duration) async throws {
    let seconds = duration / .seconds(1)
    if advancesItself {
      try Task.checkCancellation()
      waitDurations.continuation.yield(seconds)
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
        waitDurations.continuation.yield(seconds)
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
