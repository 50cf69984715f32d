import TenonFoundation

/// An upload or a download that runs in a separate task: what ``StorageUploadTask`` and
/// ``StorageDownloadTask`` have in common.
///
/// It runs whether or not anything refers to it.
final class TransferTask<Outcome: Sendable>: Sendable {
  /// The object.
  let reference: StorageReference
  /// What pauses, resumes and cancels the transfer, and reports its progress.
  let control: TransferControl
  /// The outcome; `nil` while the transfer runs.
  private let outcome: TransferOutcome<Outcome>
  /// The running transfer.
  private let task: Task<Outcome, any Error>

  /// Starts a transfer.
  ///
  /// - Parameters:
  ///   - reference: the object.
  ///   - control: controls the transfer.
  ///   - run: transfers the bytes. `CancellationError` after a cancellation of `control` becomes
  ///     ``StorageError/Code/cancelled``.
  init(
    _ reference: StorageReference, _ control: TransferControl,
    _ run: @escaping @Sendable (TransferControl) async throws -> Outcome
  ) {
    let outcome = TransferOutcome<Outcome>()
    self.reference = reference
    self.control = control
    self.outcome = outcome
    task = Task {
      let result: Result<Outcome, any Error>
      do { result = .success(try await run(control)) } catch is CancellationError {
        result = .failure(
          StorageError(
            .cancelled, "\(reference): the transfer was cancelled. Start it again if it is still needed."))
      } catch { result = .failure(error) }
      outcome.set(result)
      control.finish()
      return try result.get()
    }
    control.onCancel { [task] in task.cancel() }
  }

  /// The outcome. Every caller receives the same.
  ///
  /// A caller whose task is cancelled cancels the transfer.
  var value: Outcome {
    get async throws {
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        control.cancel()
      }
    }
  }

  /// What the transfer is doing, and its outcome.
  var state: (status: StorageTaskStatus, result: Result<Outcome, any Error>?) {
    switch outcome.result {
    case .success(let value): return (.success, .success(value))
    case .failure(let error): return (.failure, .failure(error))
    case nil: return (control.phase == .paused ? .pause : .progress, nil)
    }
  }
}

/// The outcome of a transfer, which is set once.
private final class TransferOutcome<Outcome: Sendable>: Sendable {
  private let value = Lock<Result<Outcome, any Error>?>(nil)

  /// The outcome; `nil` while the transfer runs.
  var result: Result<Outcome, any Error>? { value.withLock { $0 } }

  /// Sets the outcome.
  func set(_ result: Result<Outcome, any Error>) { value.withLock { $0 = result } }
}
