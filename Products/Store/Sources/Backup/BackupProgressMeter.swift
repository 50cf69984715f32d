import TenonFoundation

/// Combines the progress of the steps of a backup or a restoration. Thread-safe.
///
/// All steps process about the same number of bytes. The total is determined by the first step that knows its
/// own, and doesn't change afterwards.
final class BackupProgressMeter: Sendable {
  private struct State {
    var completed: Int64 = 0
    var total: Int64?
  }

  private let steps: Int64
  private let onProgress: (@Sendable (OperationProgress) -> Void)?
  private let state = Lock(State())

  /// - Parameters:
  ///   - steps: the number of steps.
  ///   - onProgress: receives the progress.
  init(steps: Int64, _ onProgress: (@Sendable (OperationProgress) -> Void)?) {
    (self.steps, self.onProgress) = (steps, onProgress)
  }

  /// Reports the progress of a step.
  ///
  /// - Parameters:
  ///   - completed: the number of bytes that the step has processed.
  ///   - total: the number that it will have processed; `nil` if it isn't known.
  ///   - step: the number of the step, beginning with 0.
  func report(_ completed: Int64, of total: Int64?, in step: Int64) {
    guard let onProgress else { return }
    // Reported while the lock is held, so that reports of several threads arrive in order.
    state.withLock { state in
      if state.total == nil, let total {
        state.total = min(max(total, 0), 1 << 60) &* steps
      }
      guard let all = state.total else {
        guard completed > state.completed else { return }
        state.completed = completed
        return onProgress(OperationProgress(completedUnitCount: completed, totalUnitCount: nil))
      }
      // The sizes of the steps can differ, so each one is mapped to its part of the total.
      let part = all / steps
      let share = total.map { $0 > 0 ? min(max(Double(completed) / Double($0), 0), 1) : 1 } ?? 0
      let reached = min(all, (part &* step) &+ (Int64(exactly: (Double(part) * share).rounded()) ?? 0))
      guard reached > state.completed else { return }
      state.completed = reached
      onProgress(OperationProgress(completedUnitCount: reached, totalUnitCount: all))
    }
  }
}
