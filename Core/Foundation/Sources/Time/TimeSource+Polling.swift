extension TimeSource {
  /// Calls a function at regular intervals, for state that sends no notifications, such as a database file
  /// that another process changes.
  ///
  /// The first call comes after one interval, and each interval begins when the previous call has returned.
  ///
  /// - Parameters:
  ///   - interval: the time between two calls.
  ///   - check: returns whether to continue.
  /// - Returns: when `check` returns `false` or the calling task is cancelled.
  package nonisolated(nonsending) func poll(
    every interval: Duration, _ check: nonisolated(nonsending) () async -> Bool
  ) async {
    while true {
      do { try await sleep(interval) } catch { return }
      // The task can be cancelled between the end of the sleep and the call.
      guard !Task.isCancelled, await check() else { return }
    }
  }
}
