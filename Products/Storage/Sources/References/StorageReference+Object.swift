import TenonTransport
import TenonTransportInterop

extension StorageReference {
  /// Returns the metadata of the object.
  ///
  /// - Returns: the current metadata, as the server reports it.
  /// - Throws: ``StorageError``, with ``StorageError/Code/objectNotFound`` if there is no such object, and
  ///   with ``StorageError/Code/unknown`` if the response describes another one.
  public func getMetadata() async throws -> StorageMetadata {
    try checkObject()
    return try StorageMetadata(await storage.client.json(.get, self, repeatable: true), of: self)
  }

  /// Returns whether there is an object, which is asked by reading its metadata: the security rules must permit
  /// that (`get`).
  ///
  /// ```swift
  /// if try await photo.exists() { print("There is one.") }
  /// ```
  ///
  /// - Throws: ``StorageError``, for example with ``StorageError/Code/unauthorized`` or
  ///   ``StorageError/Code/bucketNotFound``; never with ``StorageError/Code/objectNotFound``.
  public func exists() async throws -> Bool {
    do { _ = try await getMetadata() } catch let error as StorageError where error.code == .objectNotFound {
      return false
    }
    return true
  }

  /// Changes the settings of the object.
  ///
  /// Only differences are sent. For metadata from the server, these are the properties and custom keys that
  /// were changed since; one that was set to `nil` is removed, and the others remain as they are on the
  /// server. For new metadata, these are the properties that aren't `nil`. If there are no differences, the
  /// current metadata is returned.
  ///
  /// ```swift
  /// var metadata = try await photo.getMetadata()
  /// metadata.contentType = "image/png"
  /// metadata.customMetadata?["by"] = nil
  /// metadata = try await photo.updateMetadata(metadata)
  /// ```
  ///
  /// - Parameter metadata: the new settings.
  /// - Returns: the metadata of the object after the change.
  /// - Throws: ``StorageError``, with ``StorageError/Code/objectNotFound`` if there is no such object, and
  ///   with ``StorageError/Code/invalidArgument`` if the metadata contains control characters.
  @discardableResult
  public func updateMetadata(_ metadata: StorageMetadata) async throws -> StorageMetadata {
    try checkObject()
    try metadata.check(for: self)
    let changes = metadata.changes
    guard changes != .object([:]) else { return try await getMetadata() }
    let headers = HTTPHeaders([HTTPHeader(name: "Content-Type", value: "application/json; charset=utf-8")])
    let answer = try await storage.client.json(
      .patch,
      self,
      headers: headers,
      body: .data(try changes.serialized),
      repeatable: true
    )
    return try StorageMetadata(answer, of: self)
  }

  /// Deletes the object. The request is sent once and never retried.
  ///
  /// - Throws: ``StorageError``, with ``StorageError/Code/objectNotFound`` if there is no such object.
  public func delete() async throws {
    try checkObject()
    _ = try await storage.client.send(.delete, self)
  }
}
