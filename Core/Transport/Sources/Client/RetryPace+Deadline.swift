import TenonCore

extension RetryPace {
  /// What others give, if it comes before a deadline.
  ///
  /// - Parameter work: is cancelled when the time is over or the caller leaves; nobody waits for it to notice.
  /// - Returns: `nil` if the time is over.
  /// - Throws: what `work` throws; `CancellationError`.
  package func value<Value: Sendable>(
    by deadline: ContinuousClock.Instant, of work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value? {
    // Apart from the group, which would wait for work that doesn't notice a cancellation.
    let working = SharedTask { try await work() }
    return try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await working.value() }
      group.addTask {
        try await sleep(deadline - now())
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }
}
