/// The clocks and the randomness that products use for deadlines, retries and expiry dates.
///
/// Production code uses ``system``. Tests substitute a source whose time they control, so that they neither
/// wait nor depend on chance.
package struct TimeSource: Sendable {
  /// Returns the current instant of a monotonic clock, which measures deadlines and delays.
  package var now: @Sendable () -> ContinuousClock.Instant
  /// Returns the wall-clock time, which expiry dates and `Retry-After` refer to. It can jump in either
  /// direction.
  package var date: @Sendable () -> Date
  /// Suspends the calling task for a duration; throws `CancellationError` as soon as the task is cancelled.
  package var sleep: @Sendable (Duration) async throws -> Void
  /// Returns a number from 0 up to, but not including, 1, for jitter.
  package var random: @Sendable () -> Double

  /// Creates a time source. Every function that is omitted is the system's.
  ///
  /// - Parameters:
  ///   - now: returns the current instant of a monotonic clock.
  ///   - date: returns the wall-clock time.
  ///   - sleep: suspends the calling task; by default with ``DeadlineTimer/shared``, for at most
  ///     ``Duration/longestWait``.
  ///   - random: returns a number in 0..<1.
  package init(
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    date: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = {
      try await DeadlineTimer.shared.sleep(until: .now + $0.limited)
    },
    random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
  ) {
    self.now = now
    self.date = date
    self.sleep = sleep
    self.random = random
  }

  /// The clocks and the random number generator of this machine.
  package static let system = TimeSource()
}
