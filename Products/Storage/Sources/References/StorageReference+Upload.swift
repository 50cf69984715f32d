import TenonCore
public import TenonFoundation
import TenonTransport
import TenonTransportInterop

// Every upload verifies what the server has stored: its size, MD5 and CRC32C, as far as the server reports
// them.
//
// Content of up to 256 KiB is sent in one request, and larger content in chunks of 4 MiB. After a failure
// that may be temporary (no connection; status 408, 429 or 5xx), an upload waits a second, then twice as long
// each time, or as long as the server asks, and continues with what the server has received.

extension StorageReference {
  // MARK: - Functions that wait

  /// Uploads data, replacing any object at this path.
  ///
  /// - Parameters:
  ///   - uploadData: the content.
  ///   - metadata: the settings of the object; `nil` for the server's defaults.
  ///   - onProgress: called with growing numbers at least every 256 KiB, on an unspecified thread.
  /// - Returns: the metadata of the stored object.
  /// - Throws: ``StorageError``, with ``StorageError/Code/invalidArgument`` if the metadata contains control
  ///   characters, with ``StorageError/Code/retryLimitExceeded`` after ``Storage/maxUploadRetryTime`` without
  ///   progress, and with ``StorageError/Code/nonMatchingChecksum`` if the server has stored other bytes;
  ///   Auth's error; `CancellationError`.
  @discardableResult
  public func putDataAsync(
    _ uploadData: Data,
    metadata: StorageMetadata? = nil,
    onProgress: (@Sendable (OperationProgress) -> Void)? = nil
  ) async throws -> StorageMetadata {
    try await upload(metadata, TransferControl(onProgress: onProgress)) {
      try await $0.run(DataSource(content: uploadData))
    }
  }

  /// Uploads a file, replacing any object at this path. At most two chunks of it are in memory.
  ///
  /// - Parameters:
  ///   - url: the file. It must not change during the upload.
  ///   - metadata: the settings of the object; `nil` for the server's defaults. Without a content type, that
  ///     of the file's name is used, if its extension is known.
  ///   - onProgress: called with growing numbers at least every 256 KiB, on an unspecified thread.
  /// - Returns: the metadata of the stored object.
  /// - Throws: ``StorageError``, as ``putDataAsync(_:metadata:onProgress:)`` does, with
  ///   ``StorageError/Code/fileError`` if the file can't be read or changes, and with
  ///   ``StorageError/Code/untrustedOrigin`` if the server asks for the content at another origin, where
  ///   nothing is sent; Auth's error; `CancellationError`.
  @discardableResult
  public func putFileAsync(
    from url: URL,
    metadata: StorageMetadata? = nil,
    onProgress: (@Sendable (OperationProgress) -> Void)? = nil
  ) async throws -> StorageMetadata {
    try await upload(url, metadata, TransferControl(onProgress: onProgress))
  }

  /// Uploads content while it is produced, replacing any object at this path. What the server hasn't
  /// confirmed is kept in memory: at most a chunk, and the piece that was produced last.
  ///
  /// - Parameters:
  ///   - content: the content, in pieces of any size. It is iterated once.
  ///   - size: its size in bytes, if it is known. Content of another size is an error.
  ///   - metadata: the settings of the object; `nil` for the server's defaults.
  ///   - onProgress: called with growing numbers at least every 256 KiB, on an unspecified thread.
  /// - Returns: the metadata of the stored object.
  /// - Throws: ``StorageError``, as ``putDataAsync(_:metadata:onProgress:)`` does; Auth's error; the error of
  ///   `content`; `CancellationError`. Nothing is stored then.
  @discardableResult
  public func putStreamAsync<Content: AsyncSequence & Sendable>(
    _ content: Content,
    size: Int64? = nil,
    metadata: StorageMetadata? = nil,
    onProgress: (@Sendable (OperationProgress) -> Void)? = nil
  ) async throws -> StorageMetadata where Content.Element == Data {
    try await upload(metadata, TransferControl(onProgress: onProgress)) {
      try await $0.run(StreamSource(content, total: checked(size), self))
    }
  }

  /// Continues the upload of a file that was interrupted, also by the end of the process. See
  /// ``resumeUpload(_:from:)``.
  ///
  /// - Parameters:
  ///   - token: the token of the upload.
  ///   - url: the file.
  ///   - onProgress: called with growing numbers at least every 256 KiB, on an unspecified thread.
  /// - Returns: the metadata of the stored object.
  @discardableResult
  public func resumeUploadAsync(
    _ token: StorageUploadToken, from url: URL, onProgress: (@Sendable (OperationProgress) -> Void)? = nil
  ) async throws -> StorageMetadata {
    try await upload(continuing: token, url, TransferControl(onProgress: onProgress))
  }

  // MARK: - Tasks

  /// Starts the upload of data, as ``putDataAsync(_:metadata:onProgress:)``, and returns a task that can be
  /// paused.
  ///
  /// - Parameters:
  ///   - uploadData: the content.
  ///   - metadata: the settings of the object; `nil` for the server's defaults.
  /// - Returns: the task. Its outcome has the errors of the function above.
  @discardableResult
  public func putData(_ uploadData: Data, metadata: StorageMetadata? = nil) -> StorageUploadTask {
    StorageUploadTask(self) { control, _ in
      try await upload(metadata, control) { try await $0.run(DataSource(content: uploadData)) }
    }
  }

  /// Starts the upload of a file, as ``putFileAsync(from:metadata:onProgress:)``, and returns a task that can
  /// be paused, and whose ``StorageUploadTask/resumeTokens`` can be stored.
  ///
  /// - Parameters:
  ///   - url: the file. It must not change during the upload.
  ///   - metadata: the settings of the object; `nil` for the server's defaults and the content type of the
  ///     file's name.
  /// - Returns: the task. Its outcome has the errors of the function above.
  @discardableResult
  public func putFile(from url: URL, metadata: StorageMetadata? = nil) -> StorageUploadTask {
    StorageUploadTask(self) { try await upload(url, metadata, $0, tokens: $1) }
  }

  /// Starts the upload of content while it is produced, as ``putStreamAsync(_:size:metadata:onProgress:)``,
  /// and returns a task that can be paused.
  ///
  /// - Parameters:
  ///   - content: the content, in pieces of any size. It is iterated once.
  ///   - size: its size in bytes, if it is known.
  ///   - metadata: the settings of the object; `nil` for the server's defaults.
  /// - Returns: the task. Its outcome has the errors of the function above.
  @discardableResult
  public func putStream<Content: AsyncSequence & Sendable>(
    _ content: Content, size: Int64? = nil, metadata: StorageMetadata? = nil
  ) -> StorageUploadTask where Content.Element == Data {
    StorageUploadTask(self) { control, _ in
      try await upload(metadata, control) {
        try await $0.run(StreamSource(content, total: checked(size), self))
      }
    }
  }

  /// Continues the upload of a file that was interrupted, also by the end of the process.
  ///
  /// The server is asked how many bytes it has, and receives the rest. The whole object is verified at the
  /// end. The settings of the object are those of the original upload.
  ///
  /// - Parameters:
  ///   - token: the token of the upload, from ``StorageUploadTask/resumeTokens``. It must belong to this
  ///     reference.
  ///   - url: the same file, unchanged. It may have been moved.
  /// - Returns: the task. Its outcome fails with ``StorageError``: with ``StorageError/Code/invalidArgument``
  ///   if the token belongs to another object, with ``StorageError/Code/fileError`` if the size or the
  ///   modification time of the file is another one, with ``StorageError/Code/untrustedOrigin`` if the token
  ///   doesn't lead to this app's service, where alone anything is sent, and with
  ///   ``StorageError/Code/sessionExpired`` if the server no longer knows the upload.
  @discardableResult
  public func resumeUpload(_ token: StorageUploadToken, from url: URL) -> StorageUploadTask {
    StorageUploadTask(self) { try await upload(continuing: token, url, $0, tokens: $1) }
  }

  // MARK: - Implementation

  /// Checks the arguments and runs an upload.
  private nonisolated(nonsending) func upload(
    _ metadata: StorageMetadata?, _ control: TransferControl,
    tokens: LatestValue<StorageUploadToken>? = nil,
    _ run: nonisolated(nonsending) (Upload) async throws -> StorageMetadata
  ) async throws -> StorageMetadata {
    try checkObject()
    try metadata?.check(for: self)
    return try await recording(.upload) {
      let stored = try await run(
        Upload(reference: self, metadata: metadata ?? StorageMetadata(), control: control, tokens: tokens))
      count(Int(clamping: stored.size), of: .upload)
      return stored
    }
  }

  /// Uploads a file.
  private func upload(
    _ url: URL, _ metadata: StorageMetadata?, _ control: TransferControl,
    tokens: LatestValue<StorageUploadToken>? = nil
  ) async throws -> StorageMetadata {
    var metadata = metadata ?? StorageMetadata()
    if metadata.contentType == nil { metadata.contentType = ContentTypes.type(ofFile: url.lastPathComponent) }
    return try await upload(metadata, control, tokens: tokens) { upload in
      let source = try await upload.mapped { try await FileSource(LocalFile(url), self) }
      return try await upload.run(source, file: source.identity)
    }
  }

  /// Continues the upload of a file.
  private func upload(
    continuing token: StorageUploadToken, _ url: URL, _ control: TransferControl,
    tokens: LatestValue<StorageUploadToken>? = nil
  ) async throws -> StorageMetadata {
    guard token.bucket == bucket, token.path == fullPath else {
      throw StorageError(
        .invalidArgument,
        "The token belongs to the upload of a different object, not of \(self). Use the reference with which the upload began."
      )
    }
    return try await upload(nil, control, tokens: tokens) { upload in
      let session = try upload.client.checked(token.session.value, self)
      let source = try await upload.mapped { try await FileSource(LocalFile(url), self) }
      guard source.identity == token.file else {
        throw StorageError(
          .fileError,
          "\(self): the file \(url.path) isn't the one whose upload began, or has changed since. Start the upload again."
        )
      }
      var resumable = ResumableUpload(upload, source, continuing: token, at: session)
      return try await resumable.run()
    }
  }

  /// Returns the size of a stream.
  ///
  /// - Throws: ``StorageError/Code/invalidArgument`` if it is negative.
  private func checked(_ size: Int64?) throws(StorageError) -> Int64? {
    if let size, size < 0 {
      throw StorageError(
        .invalidArgument, "\(self): \(size) can't be the size of a stream. Pass nil if it isn't known.")
    }
    return size
  }
}
