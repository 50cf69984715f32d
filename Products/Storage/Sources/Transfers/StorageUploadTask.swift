public import TenonFoundation
public import TenonStorageInterop

/// An upload that can be observed, paused, resumed and cancelled. ``StorageReference`` creates it, and it
/// runs immediately, whether or not anything refers to it.
///
/// ```swift
/// let upload = photo.putFile(from: file)
/// for await progress in upload.progress { show(progress.fractionCompleted) }
/// let metadata = try await upload.value
/// ```
///
/// All functions can be called from any task.
public final class StorageUploadTask: Sendable {
  /// What this task has in common with downloads.
  private let transfer: TransferTask<StorageMetadata>

  /// The tokens of the upload.
  private let tokens: LatestValue<StorageUploadToken>

  /// Starts an upload.
  ///
  /// - Parameters:
  ///   - reference: the object.
  ///   - run: runs the upload. It offers tokens if it can be continued later.
  init(
    _ reference: StorageReference,
    _ run:
      @escaping @Sendable (TransferControl, LatestValue<StorageUploadToken>) async throws -> StorageMetadata
  ) {
    let tokens = LatestValue<StorageUploadToken>()
    self.tokens = tokens
    transfer = TransferTask(reference, TransferControl()) { control in
      defer { tokens.finish() }
      return try await run(control, tokens)
    }
  }

  /// The object.
  public var reference: StorageReference { transfer.reference }

  /// The metadata of the stored object, as soon as the upload is complete. Every caller receives the same
  /// outcome.
  ///
  /// If the task of a caller is cancelled, the upload is cancelled.
  ///
  /// - Throws: ``StorageError``, with ``StorageError/Code/cancelled`` after ``cancel()``; Auth's error.
  public var value: StorageMetadata { get async throws { try await transfer.value } }

  /// The progress: numbers that only grow, at least every 256 KiB, beginning with the current one. A slow
  /// reader receives the newest. The stream ends with the upload; each access creates another one.
  ///
  /// The numbers count bytes that were sent. The server may not have stored the last of them.
  public var progress: AsyncStream<OperationProgress> { transfer.control.progressStream() }

  /// The tokens with which the upload of a file can be continued in another process: the first one as soon as
  /// the upload has begun on the server, and another one after each chunk. Each replaces the ones before; a
  /// slow reader receives the newest.
  ///
  /// Storing one token is enough; a later one saves reading the file again. There are none for files of up to
  /// 256 KiB, which are sent in one request, and none for other content. The stream ends with the upload;
  /// each access creates another one. An upload that was cancelled or has failed can be continued, too, until
  /// the server has discarded it.
  public var resumeTokens: AsyncStream<StorageUploadToken> { tokens.stream() }

  /// The newest of ``resumeTokens``; `nil` before the first one.
  public var resumeToken: StorageUploadToken? { tokens.value }

  /// The state at this moment.
  public var snapshot: StorageTaskSnapshot { transfer.snapshot { $0 } }

  /// The state now, and whenever the status or the progress changes. A slow reader receives the newest.
  ///
  /// The last element has the status ``StorageTaskStatus/success``. If the upload fails or is cancelled, the
  /// stream ends with the error that ``value`` throws. Ending the iteration doesn't cancel the upload. Each
  /// access creates another stream.
  public var snapshots: AsyncThrowingStream<StorageTaskSnapshot, any Error> {
    transfer.snapshots { [transfer] in transfer.snapshot { $0 } }
  }

  /// Interrupts the upload until ``resume()``, which continues from what the server has received. Has no
  /// effect on one that is paused or has ended.
  public func pause() { transfer.control.pause() }

  /// Continues a paused upload. Has no effect on others.
  public func resume() { transfer.control.resume() }

  /// Ends the upload, whose ``value`` then throws ``StorageError/Code/cancelled``. Has no effect on one that
  /// has ended, and an upload that is complete at that moment succeeds.
  public func cancel() { transfer.control.cancel() }
}

/// Libraries that know only the interop follow the upload, too.
extension StorageUploadTask: StorageTransfer {}
