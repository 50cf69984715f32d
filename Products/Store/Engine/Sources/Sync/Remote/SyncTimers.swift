/// The timers of an engine.
package enum SyncTimer: Hashable, Sendable, CaseIterable {
  /// Backoff and idle time of the two streams, and the time limit for the first answer of the remote.
  case listenBackoff, writeBackoff, listenIdle, writeIdle, onlineState
  /// Retries a failed database operation.
  case databaseRetry
  /// Collects garbage.
  case garbageCollection
  /// Probes the remote after reads weren't answered.
  case reading
  /// Checks whether this process must send writes that another process was sending.
  case queueLease
  /// Looks up documents of acknowledged writes that the remote hasn't sent, and that may have left a result.
  case acknowledgedDocuments
}

/// Schedules the timers of an engine. Tests supply their own, and control the time.
package protocol SyncTimers: AnyObject {
  /// Runs `action` after a delay, replacing the action scheduled for the same timer.
  func schedule(_ timer: SyncTimer, after delay: Duration, _ action: @escaping () -> Void)
  /// Cancels the scheduled action, if there is one.
  func cancel(_ timer: SyncTimer)
}
