import TenonFoundation

/// What an upload or a download is doing.
///
/// The cases have the names of Firebase's `StorageTaskStatus`.
public enum StorageTaskStatus: Sendable, Hashable {
  /// It runs.
  case progress
  /// It is paused.
  case pause
  /// It has succeeded.
  case success
  /// It has failed or was cancelled.
  case failure
}

/// The state of an upload or a download at one moment. It doesn't change.
public struct StorageTaskSnapshot: Sendable {
  /// The object.
  public let reference: StorageReference
  /// What the task was doing.
  public let status: StorageTaskStatus
  /// The bytes that had been transferred.
  public let progress: OperationProgress
  /// The metadata of the stored object; `nil` unless the task was an upload that had succeeded.
  public let metadata: StorageMetadata?
  /// Why the task had failed; `nil` unless ``status`` is ``StorageTaskStatus/failure``.
  public let error: (any Error)?
}

extension TransferTask {
  /// The state at this moment.
  ///
  /// - Parameter metadata: the metadata in the outcome, if it contains any.
  func snapshot(metadata: (Outcome) -> StorageMetadata?) -> StorageTaskSnapshot {
    let (status, result) = state
    var (stored, failure): (StorageMetadata?, (any Error)?)
    switch result {
    case .success(let outcome): stored = metadata(outcome)
    case .failure(let error): failure = error
    case nil: break
    }
    return StorageTaskSnapshot(
      reference: reference, status: status, progress: control.progress, metadata: stored, error: failure)
  }

  /// Returns a stream of the state now, and after each change of the status or the progress.
  ///
  /// - Parameter state: returns the state at the moment of the call.
  /// - Returns: the stream. Its last element has the status ``StorageTaskStatus/success``; if the transfer
  ///   fails, the stream ends with its error instead.
  func snapshots(
    _ state: @escaping @Sendable () -> StorageTaskSnapshot
  ) -> AsyncThrowingStream<StorageTaskSnapshot, any Error> {
    let changes = control.changeStream()
    let isOver = Lock(false)
    return AsyncThrowingStream {
      if isOver.withLock({ $0 }) { return nil }
      // Without another change, the transfer has ended, and its outcome is set.
      _ = await changes.first { true }
      if Task.isCancelled { return nil }
      let snapshot = state()
      if let error = snapshot.error { throw error }
      if snapshot.status == .success { isOver.withLock { $0 = true } }
      return snapshot
    }
  }
}
