public import Foundation
import TenonTransport
import TenonTransportInterop

extension StorageReference {
  /// Writes an object from memory, replacing what was there.
  ///
  /// - Parameters:
  ///   - content: the bytes.
  ///   - metadata: what to keep with them.
  /// - Returns: what the server knows of the object.
  /// - Throws: ``StorageError``.
  @discardableResult
  public func put(_ content: Data, metadata: StorageMetadata? = nil) async throws -> StorageMetadata {
    try checkIsObject()
    let metadata = metadata ?? StorageMetadata()
    try metadata.check(for: self)
    let body = try MultipartUpload(metadata: metadata, content: content)
    let answer = try await storage.client.json(
      .post,
      self,
      at: .upload,
      headers: body.headers,
      body: .data(body.data),
      repeatable: true,
      within: .transfer(storage.maxUploadRetryTime)
    )
    return try StorageMetadata(answer, of: self)
  }

  /// Writes an object from a file in pieces, replacing what was there. A piece that gets lost is sent again.
  ///
  /// - Parameters:
  ///   - file: the file, which must not change meanwhile.
  ///   - metadata: what to keep with the content.
  ///   - progress: receives how much has been taken over by the server.
  /// - Returns: what the server knows of the object.
  /// - Throws: ``StorageError``; the error of the file system.
  @discardableResult
  public func put(
    file: URL,
    metadata: StorageMetadata? = nil,
    progress: (@Sendable (TransferProgress) -> Void)? = nil
  ) async throws -> StorageMetadata {
    try checkIsObject()
    try metadata?.check(for: self)
    let upload = ResumableUpload(
      reference: self,
      file: LocalFile(file),
      metadata: metadata ?? StorageMetadata()
    )
    return try await upload.run(progress: progress)
  }

  /// Changes what is kept with the object.
  ///
  /// ```swift
  /// try await photo.updateMetadata { $0.contentType = "image/png"; $0.custom["by"] = nil }
  /// ```
  ///
  /// - Parameter change: changes the present metadata; what becomes `nil` is cleared.
  /// - Returns: what the server knows of the object afterwards.
  /// - Throws: ``StorageError`` with ``StorageError/Code/objectNotFound`` when there is no such object.
  @discardableResult
  public func updateMetadata(_ change: (inout StorageMetadata) -> Void) async throws -> StorageMetadata {
    let old = try await metadata()
    var new = old
    change(&new)
    try new.check(for: self)
    let changes = new.changes(from: old)
    guard changes != .object([:]) else { return old }
    let headers = HTTPHeaders([HTTPField(name: "Content-Type", value: "application/json; charset=utf-8")])
    let answer = try await storage.client.json(
      .patch,
      self,
      headers: headers,
      body: .data(try changes.serialized),
      repeatable: true
    )
    return try StorageMetadata(answer, of: self)
  }

  /// Deletes the object.
  ///
  /// - Throws: ``StorageError`` with ``StorageError/Code/objectNotFound`` when there is no such object.
  public func delete() async throws {
    try checkIsObject()
    _ = try await storage.client.send(.delete, self)
  }
}
