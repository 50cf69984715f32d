import TenonCore
public import TenonFoundation
import TenonHashes
import TenonTransport
import TenonTransportInterop

extension StorageReference {
  /// Downloads the object into memory.
  ///
  /// The size is checked before the content is read if the server reports it, and after each chunk. A
  /// download that breaks is continued where it broke (see ``Storage/maxDownloadRetryTime``), and its content
  /// is verified with the checksums that the server reports.
  ///
  /// - Parameter maxSize: the maximum size in bytes; 10 MiB by default.
  /// - Returns: the content.
  /// - Throws: ``StorageError``, with ``StorageError/Code/downloadSizeExceeded`` if the object is larger than
  ///   `maxSize`, with ``StorageError/Code/nonMatchingChecksum`` if the content isn't what the server has,
  ///   and with ``StorageError/Code/objectNotFound`` if there is no such object.
  public func data(maxSize: Int64 = 10 << 20) async throws -> Data {
    try await recording(.download) {
      var reader = try DownloadReader(self)
      var digest = ContentDigest()
      let content = try await content(of: &reader, maxSize: maxSize) { chunk in
        guard let chunk else { return digest = ContentDigest() }
        digest.update(chunk)
      }
      try await reader.verify(digest)
      return content
    }
  }

  /// Downloads a part of the object into memory. Its checksums aren't verified, because servers report those
  /// of the whole.
  ///
  /// ```swift
  /// let head = try await video.data(range: 0..<1024)
  /// ```
  ///
  /// - Parameters:
  ///   - range: the offsets of the bytes, of which at least one must exist. Fewer bytes are returned if the
  ///     object ends before.
  ///   - maxSize: the maximum number of bytes to return; 10 MiB by default.
  /// - Returns: the bytes.
  /// - Throws: ``StorageError``, with ``StorageError/Code/invalidArgument`` if the range is empty, has
  ///   negative offsets or begins behind the end of the object, with
  ///   ``StorageError/Code/downloadSizeExceeded`` if it contains more than `maxSize` bytes, and with
  ///   ``StorageError/Code/objectNotFound`` if there is no such object.
  public func data(range: Range<Int64>, maxSize: Int64 = 10 << 20) async throws -> Data {
    try await recording(.download) {
      var reader = try DownloadReader(self, range: range)
      return try await content(of: &reader, maxSize: maxSize) { _ in }
    }
  }

  /// Returns the content of the object as a sequence of chunks, for objects that are processed while they
  /// arrive.
  ///
  /// Each iteration downloads the object. A chunk is received when the previous ones have been read, so a
  /// slow reader slows down the server. A download that breaks is continued where it broke. At its end, the
  /// content is verified with the checksums that the server reports: a reader must not treat what it has read
  /// as complete before the sequence has ended without an error.
  ///
  /// ```swift
  /// for try await chunk in video.stream() { player.append(chunk) }
  /// ```
  ///
  /// - Returns: the sequence. It throws ``StorageError``, with ``StorageError/Code/nonMatchingChecksum`` if
  ///   the content isn't what the server has, with ``StorageError/Code/unavailable`` if the object was
  ///   replaced while it was being read, and with ``StorageError/Code/objectNotFound`` if there is no such
  ///   object.
  public func stream() -> StorageDownloadStream { StorageDownloadStream(reference: self, range: nil) }

  /// Returns a part of the object as a sequence of chunks. See ``stream()``; checksums aren't verified.
  ///
  /// - Parameter range: the offsets of the bytes, as for ``data(range:maxSize:)``.
  /// - Returns: the sequence. It also throws ``StorageError/Code/invalidArgument`` if the range is empty, has
  ///   negative offsets or begins behind the end of the object.
  public func stream(range: Range<Int64>) -> StorageDownloadStream {
    StorageDownloadStream(reference: self, range: range)
  }

  /// Downloads the object into a file, with a task that can be observed, paused and cancelled.
  ///
  /// The file is created or replaced atomically when the download is complete and verified with the checksums
  /// that the server reports; until then, and after an error, it remains as it was. A download that breaks is
  /// continued where it broke (see ``Storage/maxDownloadRetryTime``).
  ///
  /// The bytes that have arrived are in a hidden file beside the target, `.NAME.download`. It is removed if
  /// the download fails or is cancelled. If the process ends before, also while the download is paused, it
  /// remains, and **the next download of the object to the same file continues from it**, unless the object
  /// has changed; another download to the file replaces it. This applies to objects of 1 MiB or more whose
  /// checksums the server reports, on systems other than Windows. No token has to be stored.
  ///
  /// - Parameters:
  ///   - fileURL: the file. Its directory must exist. If two downloads write to the same file, the last one
  ///     to end wins.
  ///   - onProgress: called with numbers that only grow, at least every 256 KiB, on an unspecified thread.
  /// - Returns: the task, which runs. Its value throws ``StorageError``, with ``StorageError/Code/fileError``
  ///   if the file can't be written, with ``StorageError/Code/nonMatchingChecksum`` if the content isn't what
  ///   the server has, and with ``StorageError/Code/objectNotFound`` if there is no such object.
  @discardableResult
  public func write(
    toFile fileURL: URL, onProgress: (@Sendable (OperationProgress) -> Void)? = nil
  ) -> StorageDownloadTask {
    let control = TransferControl(onProgress: onProgress)
    return StorageDownloadTask(
      TransferTask(self, control) { control in
        try await recording(.download) { try await FileDownload(self, fileURL, control).run() }
      })
  }

  /// Downloads the object into a file and waits for it. See ``write(toFile:onProgress:)``.
  ///
  /// - Parameters:
  ///   - fileURL: the file. Its directory must exist.
  ///   - onProgress: called with numbers that only grow, at least every 256 KiB, on an unspecified thread.
  /// - Returns: `fileURL`.
  /// - Throws: ``StorageError``, as the task of ``write(toFile:onProgress:)``; Auth's error;
  ///   `CancellationError` if the calling task is cancelled.
  @discardableResult
  public func writeAsync(
    toFile fileURL: URL, onProgress: (@Sendable (OperationProgress) -> Void)? = nil
  ) async throws -> URL {
    let control = TransferControl(onProgress: onProgress)
    defer { control.finish() }
    return try await recording(.download) { try await FileDownload(self, fileURL, control).run() }
  }

  /// Collects a content in memory.
  ///
  /// - Parameters:
  ///   - reader: receives the content.
  ///   - maxSize: the maximum size in bytes.
  ///   - received: called with each chunk, and with `nil` when the content begins again.
  private func content(
    of reader: inout DownloadReader, maxSize: Int64, _ received: (Data?) -> Void
  ) async throws -> Data {
    /// Checks a number of bytes against the limit.
    func check(_ size: Int64) throws(StorageError) {
      guard size <= maxSize else {
        throw StorageError(
          .downloadSizeExceeded,
          "\(self) has at least \(size) bytes, but at most \(maxSize) are allowed. "
            + "Raise maxSize, or use writeAsync(toFile:)."
        )
      }
    }
    var content = Data()
    while let event = try await reader.next() {
      switch event {
      case .begins(let size):
        content = Data()
        received(nil)
        if let size { try check(size) }
      case .bytes(let chunk):
        content += chunk
        try check(Int64(content.count))
        received(chunk)
      }
    }
    return content
  }
}
