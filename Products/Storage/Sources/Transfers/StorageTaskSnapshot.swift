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
  public let progress: StorageProgress
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
}
