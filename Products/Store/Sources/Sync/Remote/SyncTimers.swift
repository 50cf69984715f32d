/// The timers of an engine.
package enum SyncTimer: Hashable, Sendable, CaseIterable {
  /// Backoff and idle time of the two streams, and the time limit for the first answer of the remote.
  case listenBackoff, writeBackoff, listenIdle, writeIdle, onlineState
  /// Retries a failed database operation.
  case databaseRetry
  /// Collects garbage.
  case garbageCollection
  /// Probes the remote after reads were not answered.
  case reading
  /// Checks whether this process must send writes that another process was sending.
  case queueLease
  /// Looks up documents of acknowledged writes that the remote has not sent, and that may have left a result.
  case acknowledgedDocuments
}

/// Schedules the timers of an engine. Tests supply their own, and control the time.
package protocol SyncTimers: AnyObject {
  /// Runs `action` after a delay, replacing the action scheduled for the same timer.
  func schedule(_ timer: SyncTimer, after delay: Duration, _ action: @escaping () -> Void)
  /// Cancels the scheduled action, if there is one.
  func cancel(_ timer: SyncTimer)
}

/// Exponential backoff with jitter. The first retry is immediate, the base delay of the second is 1 second, and each further one
/// is 1.5 times the previous, up to 60 seconds; jitter of up to ±50 % is added.
struct Backoff {
  private static let first = 1.0
  private static let factor = 1.5
  private static let most = 60.0

  private var base = 0.0
  private let random: () -> Double

  /// - Parameter random: returns a new random number in `0..<1` on each call.
  init(random: @escaping () -> Double) { self.random = random }

  /// Makes the next delay zero.
  mutating func reset() { base = 0 }
  /// Makes the next base delay the maximum.
  mutating func resetToMost() { base = Self.most }

  /// Returns the next delay.
  mutating func next() -> Duration {
    let delay = base * (0.5 + random())
    base = min(max(base * Self.factor, Self.first), Self.most)
    return .seconds(delay)
  }
}
