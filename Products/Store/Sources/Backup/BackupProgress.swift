import TenonFoundation

/// The progress of a backup or a restoration. The numbers never decrease from one report to the next.
public struct BackupProgress: Sendable, Hashable {
  /// The number of bytes that were processed. Each step counts: a backup to Storage copies all bytes and then uploads
  /// them, and a restoration fetches all bytes and then writes them into the database.
  public let completedUnitCount: Int64
  /// The number of bytes to be processed in all steps; `nil` until it is known.
  public let totalUnitCount: Int64?

  /// The completed fraction, from 0 to 1; 0 if the total is unknown.
  public var fractionCompleted: Double {
    guard let totalUnitCount else { return 0 }
    guard totalUnitCount > 0 else { return 1 }
    return min(max(Double(completedUnitCount) / Double(totalUnitCount), 0), 1)
  }
}

/// Combines the progress of the steps of a backup or a restoration. Thread-safe.
///
/// All steps process about the same number of bytes. The total is determined by the first step that knows its own, and doesn't
/// change afterwards.
final class BackupProgressMeter: Sendable {
  private struct State {
    var completed: Int64 = 0
    var total: Int64?
  }

  private let steps: Int64
  private let onProgress: (@Sendable (BackupProgress) -> Void)?
  private let state = Lock(State())

  /// - Parameters:
  ///   - steps: the number of steps.
  ///   - onProgress: receives the progress.
  init(steps: Int64, _ onProgress: (@Sendable (BackupProgress) -> Void)?) {
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
        return onProgress(BackupProgress(completedUnitCount: completed, totalUnitCount: nil))
      }
      // The sizes of the steps can differ, so each one is mapped to its part of the total.
      let part = all / steps
      let share = total.map { $0 > 0 ? min(max(Double(completed) / Double($0), 0), 1) : 1 } ?? 0
      let reached = min(all, (part &* step) &+ (Int64(exactly: (Double(part) * share).rounded()) ?? 0))
      guard reached > state.completed else { return }
      state.completed = reached
      onProgress(BackupProgress(completedUnitCount: reached, totalUnitCount: all))
    }
  }
}
