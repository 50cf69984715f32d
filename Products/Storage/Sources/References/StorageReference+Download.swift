import TenonCore
import TenonTransport
import TenonTransportInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension StorageReference {
  /// Downloads the object into memory.
  ///
  /// The size is checked before the content is read if the server reports it, and after each chunk.
  ///
  /// - Parameter maxSize: the maximum size in bytes; 10 MiB by default.
  /// - Returns: the content.
  /// - Throws: ``StorageError``, with ``StorageError/Code/downloadSizeExceeded`` if the object is larger than `maxSize`, and
  ///   with ``StorageError/Code/objectNotFound`` if there is no such object.
  public func data(maxSize: Int64 = 10 << 20) async throws -> Data {
    let end = storage.transferEnd
    let response = try await download(until: end)
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
    if let length = response.contentLength { try check(length) }
    var content = Data()
    try await storage.client.mapping(self, limit: "Storage.maxTransferTime") {
      for try await chunk in response.body {
        try checkTime(end)
        content += chunk
        try check(Int64(content.count))
      }
    }
    return content
  }

  /// Downloads the object into a file.
  ///
  /// The file is created or replaced atomically when the download is complete; until then, and after an error, it remains as
  /// it was. The content is written to a hidden file in the same directory first.
  ///
  /// - Parameters:
  ///   - fileURL: the file. Its directory must exist.
  ///   - onProgress: called after each chunk, on an unspecified thread.
  /// - Returns: `fileURL`.
  /// - Throws: ``StorageError``, with ``StorageError/Code/fileError`` if the file can't be written, and with
  ///   ``StorageError/Code/objectNotFound`` if there is no such object.
  @discardableResult
  public func writeAsync(
    toFile fileURL: URL, onProgress: (@Sendable (StorageProgress) -> Void)? = nil
  ) async throws -> URL {
    let end = storage.transferEnd
    let response = try await download(until: end)
    let total = response.contentLength
    try await storage.client.mapping(self, limit: "Storage.maxTransferTime") {
      try await LocalFile.write(response, to: fileURL) { completed in
        try checkTime(end)
        onProgress?(StorageProgress(completedUnitCount: completed, totalUnitCount: total))
      }
    }
    return fileURL
  }

  /// Returns a URL with which anyone can download the object, until its token is revoked. Such URLs don't expire, and
  /// security rules don't apply to them.
  ///
  /// URLs of the embedded backend have the same form, but only the app's own transport resolves them.
  ///
  /// - Returns: the URL, with the first of the object's download tokens.
  /// - Throws: ``StorageError``, with ``StorageError/Code/objectNotFound`` if there is no such object, and with
  ///   ``StorageError/Code/unknown`` if the object has no download token.
  public func downloadURL() async throws -> URL {
    try checkObject()
    let answer = try await storage.client.json(.get, self, repeatable: true)
    guard let token = answer["downloadTokens"]?.string?.split(separator: ",").first else {
      throw StorageError(
        .unknown,
        "\(self) has no download token. Create one in the Firebase console, or upload the object with a Firebase SDK."
      )
    }
    return try storage.client.url(of: self, .object).appending(queryItems: [
      URLQueryItem(name: "alt", value: "media"), URLQueryItem(name: "token", value: String(token)),
    ])
  }

  /// Requests the content of the object, which follows in chunks.
  ///
  /// - Parameter end: when the download ends at the latest.
  /// - Throws: ``StorageError``; Auth's error; `CancellationError`.
  private func download(until end: ContinuousClock.Instant) async throws -> HTTPStreamingResponse {
    try checkObject()
    return try await storage.client.download(self, until: end)
  }

  /// Checks that a download hasn't ended: a transport's deadline need not cover a streamed body.
  ///
  /// - Parameter end: when the download ends at the latest.
  /// - Throws: ``StorageError/Code/retryLimitExceeded``.
  private func checkTime(_ end: ContinuousClock.Instant) throws(StorageError) {
    guard storage.client.http.time.now() < end else {
      throw StorageError(late: self, limit: "Storage.maxTransferTime")
    }
  }
}
