/// The timers of an engine.
package enum SyncTimer: Hashable, Sendable, CaseIterable {
  case listenBackoff, writeBackoff, listenIdle, writeIdle, onlineState
  /// The database failed; the operation is retried.
  case databaseRetry
  case garbageCollection
  /// Reads weren't answered; the remote is probed.
  case reading
  /// Another process sends the writes of the database; this one may have to continue.
  case queueLease
  /// The remote has acknowledged writes, but hasn't sent their documents, which may have left a result.
  case acknowledgedDocuments
}

/// Schedules the timers of an engine. Tests supply their own, and decide when time passes.
package protocol SyncTimers: AnyObject {
  /// Runs `action` after a delay, replacing what was scheduled for the same timer before.
  func schedule(_ timer: SyncTimer, after delay: Duration, _ action: @escaping () -> Void)
  /// Cancels what was scheduled.
  func cancel(_ timer: SyncTimer)
}

/// Exponential backoff with jitter: the first retry is immediate, the next one after 1 second, and each delay is 1.5 times the one
/// before, up to a minute, plus or minus up to half of it.
struct Backoff {
  private static let first = 1.0
  private static let factor = 1.5
  private static let most = 60.0

  private var base = 0.0
  private let random: () -> Double

  /// - Parameter random: a number from 0 up to 1, new with each call.
  init(random: @escaping () -> Double) { self.random = random }

  /// Starts over.
  mutating func reset() { base = 0 }
  /// Uses the longest delay next.
  mutating func resetToMost() { base = Self.most }

  /// Returns the next delay.
  mutating func next() -> Duration {
    let delay = base * (0.5 + random())
    base = min(max(base * Self.factor, Self.first), Self.most)
    return .seconds(delay)
  }
}
