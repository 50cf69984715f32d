extension TimeSource {
  /// Runs an operation and returns its result, or `nil` if the deadline passes first.
  ///
  /// The operation is cancelled when the deadline passes or the calling task is cancelled. This function then
  /// returns immediately, even if the operation ignores its cancellation.
  ///
  /// - Parameters:
  ///   - deadline: when to stop waiting; `nil` sets no limit.
  ///   - operation: runs in a separate task, which inherits task-local values and the priority.
  /// - Throws: what `operation` throws; `CancellationError` if the calling task is cancelled.
  package func value<Value: Sendable>(
    by deadline: ContinuousClock.Instant?, of operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value? {
    // A child task would be awaited by its group, even one that ignores its cancellation.
    let running = SharedTask { try await operation() }
    guard let deadline else { return try await running.value() }
    return try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await running.value() }
      group.addTask {
        try await sleep(deadline - now())
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }
}
