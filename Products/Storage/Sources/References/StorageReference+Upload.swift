import TenonTransport
import TenonTransportInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension StorageReference {
  /// Uploads data in one request, replacing any object at this path.
  ///
  /// - Parameters:
  ///   - uploadData: the content.
  ///   - metadata: the settings of the object; `nil` for the server's defaults.
  ///   - onProgress: called once, when the server has stored the content, on an unspecified thread.
  /// - Returns: the metadata of the stored object.
  /// - Throws: ``StorageError``, with ``StorageError/Code/invalidArgument`` if the metadata contains control characters.
  @discardableResult
  public func putDataAsync(
    _ uploadData: Data,
    metadata: StorageMetadata? = nil,
    onProgress: (@Sendable (StorageProgress) -> Void)? = nil
  ) async throws -> StorageMetadata {
    try checkObject()
    let metadata = metadata ?? StorageMetadata()
    try metadata.check(for: self)
    let body = try MultipartUpload(metadata: metadata, content: uploadData)
    let answer = try await storage.client.json(
      .post,
      self,
      at: .upload,
      headers: body.headers,
      body: .data(body.data),
      repeatable: true,
      within: .content(storage, until: storage.transferEnd)
    )
    let stored = try StorageMetadata(answer, of: self)
    let size = Int64(uploadData.count)
    onProgress?(StorageProgress(completedUnitCount: size, totalUnitCount: size))
    return stored
  }

  /// Uploads a file in chunks of 8 MiB, replacing any object at this path. A chunk that is lost is sent again, up to four
  /// times in a row.
  ///
  /// - Parameters:
  ///   - url: the file. It must not change during the upload.
  ///   - metadata: the settings of the object; `nil` for the server's defaults.
  ///   - onProgress: called after each chunk that the server has stored, on an unspecified thread.
  /// - Returns: the metadata of the stored object.
  /// - Throws: ``StorageError``, with ``StorageError/Code/fileError`` if the file can't be read, with
  ///   ``StorageError/Code/invalidArgument`` if the metadata contains control characters, and with
  ///   ``StorageError/Code/untrustedOrigin`` if the server asks for the content at another origin, where nothing is sent.
  @discardableResult
  public func putFileAsync(
    from url: URL,
    metadata: StorageMetadata? = nil,
    onProgress: (@Sendable (StorageProgress) -> Void)? = nil
  ) async throws -> StorageMetadata {
    try checkObject()
    try metadata?.check(for: self)
    let upload = ResumableUpload(
      reference: self,
      file: LocalFile(url),
      metadata: metadata ?? StorageMetadata(),
      end: storage.transferEnd
    )
    return try await upload.run(onProgress: onProgress)
  }
}
