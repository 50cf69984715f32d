/// The moments at which the engine wakes up by itself.
package enum SyncTimer: Hashable, Sendable, CaseIterable {
  case listenBackoff, writeBackoff, listenIdle, writeIdle, onlineState
  /// The database failed; what couldn't be done is tried again.
  case databaseRetry
  case garbageCollection
  /// Reads weren't answered; it is looked whether the remote can be reached again.
  case reading
  /// Another process sends the writes of the database; this one may have to go on.
  case queueLease
  /// The remote has confirmed writes, but hasn't sent their documents; they may have left a result.
  case confirmedDocuments
}

/// Wakes the engine up. Time comes from outside, so that a test can let it pass.
package protocol SyncTimers: AnyObject {
  /// Runs `action` after a time, in place of what was to be run for the same timer before.
  func schedule(_ timer: SyncTimer, after delay: Duration, _ action: @escaping () -> Void)
  /// Forgets what was to be run.
  func cancel(_ timer: SyncTimer)
}

/// How long to wait before something that failed is tried again: at once, then 1 second, each time half as long again, up
/// to a minute, and up to half of it more or less.
struct Backoff {
  private static let first = 1.0
  private static let factor = 1.5
  private static let most = 60.0

  private var base = 0.0
  private let random: () -> Double

  /// - Parameter random: a number from 0 up to 1, new with each call.
  init(random: @escaping () -> Double) { self.random = random }

  /// Begins anew.
  mutating func reset() { base = 0 }
  /// Waits as long as it ever does.
  mutating func resetToMost() { base = Self.most }

  /// The next waiting time.
  mutating func next() -> Duration {
    let delay = base * (0.5 + random())
    base = min(max(base * Self.factor, Self.first), Self.most)
    return .seconds(delay)
  }
}
