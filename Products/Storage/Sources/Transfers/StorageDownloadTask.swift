public import TenonFoundation
public import TenonStorageInterop

/// A download into a file that can be observed, paused, resumed and cancelled. ``StorageReference`` creates
/// it, and it runs immediately, whether or not anything refers to it.
///
/// All functions can be called from any task.
public final class StorageDownloadTask: Sendable {
  /// What this task has in common with uploads.
  private let transfer: TransferTask<URL>

  /// Creates the task of a download that runs.
  init(_ transfer: TransferTask<URL>) { self.transfer = transfer }

  /// The object.
  public var reference: StorageReference { transfer.reference }

  /// The file, as soon as the download is complete. Every caller receives the same outcome.
  ///
  /// If the task of a caller is cancelled, the download is cancelled.
  ///
  /// - Throws: ``StorageError``, with ``StorageError/Code/cancelled`` after ``cancel()``; Auth's error.
  public var value: URL { get async throws { try await transfer.value } }

  /// The progress: numbers that only grow, at least every 256 KiB, beginning with the current one. A slow
  /// reader receives the newest. The stream ends with the download; each access creates another one.
  public var progress: AsyncStream<OperationProgress> { transfer.control.progressStream() }

  /// The state at this moment.
  public var snapshot: StorageTaskSnapshot { transfer.snapshot { _ in nil } }

  /// The state now, and whenever the status or the progress changes. A slow reader receives the newest.
  ///
  /// The last element has the status ``StorageTaskStatus/success``. If the download fails or is cancelled,
  /// the stream ends with the error that ``value`` throws. Ending the iteration doesn't cancel the download.
  /// Each access creates another stream.
  public var snapshots: AsyncThrowingStream<StorageTaskSnapshot, any Error> {
    transfer.snapshots { [transfer] in transfer.snapshot { _ in nil } }
  }

  /// Interrupts the download until ``resume()``. Has no effect on one that is paused or has ended.
  public func pause() { transfer.control.pause() }

  /// Continues a paused download. Has no effect on others.
  public func resume() { transfer.control.resume() }

  /// Ends the download, whose ``value`` then throws ``StorageError/Code/cancelled``. Has no effect on one
  /// that has ended, and a download that is complete at that moment succeeds.
  public func cancel() { transfer.control.cancel() }
}

/// Libraries that know only the interop follow the download, too.
extension StorageDownloadTask: StorageTransfer {}
