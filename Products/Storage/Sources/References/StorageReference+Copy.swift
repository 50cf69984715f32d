import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// What only administrators can do to an object besides its owner's operations: the protocol of Firebase's
/// clients has neither copies nor moves, so these use Cloud Storage's JSON API.
extension StorageReference {
  /// Copies the object on the server, without downloading it. An object at the target is replaced.
  ///
  /// Only administrators can copy: Firebase's protocol for users has no copies, and downloading and uploading
  /// wouldn't be one step. The target is complete or isn't changed. A large object that changes its bucket or
  /// storage class is copied in several requests, for at most ``Storage/maxTransferTime``.
  ///
  /// ```swift
  /// let storage = try Storage.storage(as: .admin)
  /// let photo = storage.reference(withPath: "inbox/tea.jpg")
  /// _ = try await photo.copy(to: storage.reference(withPath: "photos/tea.jpg"), ifTargetGeneration: 0)
  /// ```
  ///
  /// Google's Storage emulator has no copies at production's address; the error is
  /// ``StorageError/Code/unavailable``, with status 501.
  ///
  /// - Parameters:
  ///   - target: the object to create or to replace, which may be in another bucket of the app.
  ///   - metadata: the settings of the copy, all of which replace the object's; its own ones if `nil`.
  ///   - ifGeneration: the generation that the object must have; `nil` for any.
  ///   - ifTargetGeneration: the generation that the target must have, and 0 if it must not exist; `nil` for any.
  ///     With it, the request is sent once and never retried.
  /// - Returns: the metadata of the copy.
  /// - Throws: ``StorageError``, with ``StorageError/Code/unauthorized`` if ``Storage/authority`` isn't `.admin`,
  ///   with ``StorageError/Code/objectNotFound`` if there is no such object, and with
  ///   ``StorageError/Code/preconditionFailed`` if a generation is another one.
  @discardableResult
  public func copy(
    to target: StorageReference, metadata: StorageMetadata? = nil, ifGeneration: Int64? = nil,
    ifTargetGeneration: Int64? = nil
  ) async throws -> StorageMetadata {
    try check(target, for: "copy")
    try metadata?.check(for: target)
    let conditions = try Self.conditions(ifGeneration, ifTargetGeneration, self)
    let address = "rewriteTo/b/\(target.bucket)/o/\(PercentEncoding.queryValue(target.fullPath))"
    let body = try metadata.map { try $0.uploadJSON.serialized }
    let limit = StorageClient.TimeLimit(
      duration: storage.maxOperationRetryTime, setting: "Storage.maxOperationRetryTime",
      end: storage.transferEnd)
    var (token, copied) = (String?.none, Int64(-1))
    while true {
      let query = conditions + (token.map { [("rewriteToken", $0)] } ?? [])
      let answer = try await storage.client.json(
        administration(address, query, body), self, repeatable: ifTargetGeneration == nil, within: limit)
      if answer["done"]?.bool == true {
        return try StorageMetadata(administrators: answer["resource"] ?? .null, of: target)
      }
      // A server whose answers make no progress would be asked without end.
      let count = answer["totalBytesRewritten"]?.text.flatMap { Int64(decimal: $0) } ?? -1
      guard let next = answer["rewriteToken"]?.string, !next.isEmpty, count > copied else {
        throw StorageError(
          .unknown,
          "\(self): the server neither completes the copy nor says how to continue it. Check that the app uses the "
            + "intended backend.")
      }
      (token, copied) = (next, count)
    }
  }

  /// Gives the object another path in its bucket, in one step. An object at the target is replaced.
  ///
  /// Only administrators can move objects; see ``copy(to:metadata:ifGeneration:ifTargetGeneration:)``. The
  /// request is sent once and never retried: a repeated one would find no object.
  ///
  /// - Parameters:
  ///   - target: the new path, in the same bucket. Between buckets, copy the object and delete it.
  ///   - ifGeneration: the generation that the object must have; `nil` for any.
  ///   - ifTargetGeneration: the generation that the target must have, and 0 if it must not exist; `nil` for any.
  /// - Returns: the metadata of the object at the target, whose generation is a new one.
  /// - Throws: ``StorageError``, as ``copy(to:metadata:ifGeneration:ifTargetGeneration:)``; with
  ///   ``StorageError/Code/invalidArgument`` also if the target is this object or in another bucket.
  @discardableResult
  public func move(
    to target: StorageReference, ifGeneration: Int64? = nil, ifTargetGeneration: Int64? = nil
  ) async throws -> StorageMetadata {
    try check(target, for: "move")
    guard target.bucket == bucket else {
      throw StorageError(
        .invalidArgument,
        "\(self) can't be moved to the bucket \(target.bucket) in one step. Copy it with copy(to:), and delete it."
      )
    }
    guard !target.fullPath.utf8.elementsEqual(fullPath.utf8) else {
      throw StorageError(.invalidArgument, "\(self) can't be moved to itself. Name another target.")
    }
    let conditions = try Self.conditions(ifGeneration, ifTargetGeneration, self)
    let request = try administration(
      "moveTo/o/\(PercentEncoding.queryValue(target.fullPath))", conditions, nil)
    let answer = try await storage.client.json(request, self, repeatable: false)
    return try StorageMetadata(administrators: answer, of: target)
  }

  /// Checks that the caller is an administrator and that both references name objects of one app.
  private func check(_ target: StorageReference, for action: String) throws(StorageError) {
    try checkObject()
    try target.checkObject()
    try checkAdministrator(action)
    guard target.storage.client.app == storage.client.app else {
      throw StorageError(
        .invalidArgument,
        "\(target) belongs to another app. Use Storage.storage(app:url:as:) with the app of \(self).")
    }
  }

  /// Returns the parameters of preconditions.
  private static func conditions(
    _ generation: Int64?, _ targetGeneration: Int64?, _ reference: StorageReference
  ) throws(StorageError) -> [(String, String)] {
    if let negative = [generation, targetGeneration].compactMap({ $0 }).first(where: { $0 < 0 }) {
      throw StorageError(
        .invalidArgument,
        "\(reference): \(negative) isn't a generation. Pass StorageMetadata.generation, or 0 for no object.")
    }
    return (generation.map { [("ifSourceGenerationMatch", "\($0)")] } ?? [])
      + (targetGeneration.map { [("ifGenerationMatch", "\($0)")] } ?? [])
  }

  /// Returns a request of the JSON API for this object.
  ///
  /// - Parameters:
  ///   - method: the end of the path, percent-encoded.
  ///   - query: the parameters.
  ///   - body: the JSON; `nil` for none.
  private func administration(
    _ method: String, _ query: [(String, String)], _ body: Data?
  ) throws(StorageError) -> TransportRequest {
    let items = query.map { "\($0)=\(PercentEncoding.queryValue($1))" }.joined(separator: "&")
    let path = "storage/v1/b/\(bucket)/o/\(PercentEncoding.queryValue(fullPath))/\(method)"
    let url = URL(string: "\(storage.client.cloud)/\(path)\(items.isEmpty ? "" : "?\(items)")")
    guard let url else { throw StorageError(.pathError, "\(self) can't be part of a URL.") }
    guard let body else { return TransportRequest(.post, url) }
    return TransportRequest(
      .post, url,
      headers: HTTPHeaders([HTTPHeader(name: "Content-Type", value: "application/json; charset=utf-8")]),
      body: .data(body))
  }

  /// Checks that requests are made on the authority of an administrator.
  ///
  /// - Parameter action: what only administrators can do.
  /// - Throws: ``StorageError/Code/unauthorized``.
  func checkAdministrator(_ action: String) throws(StorageError) {
    guard storage.authority == .admin else {
      throw StorageError(
        .unauthorized,
        "\(self): only an administrator can \(action) objects. On a server, link TenonAdmin and use "
          + "Storage.storage(as: .admin).")
    }
  }
}

extension StorageMetadata {
  /// The name of the download tokens in the custom metadata of the JSON API.
  private static let tokensName = "firebaseStorageDownloadTokens"

  /// Creates metadata from a resource of Cloud Storage's JSON API, which has the download tokens among the
  /// custom metadata.
  ///
  /// - Throws: as ``init(_:of:)``.
  fileprivate init(administrators json: JSON, of reference: StorageReference) throws(StorageError) {
    var members = json.object ?? [:]
    if var custom = members["metadata"]?.object, let tokens = custom.removeValue(forKey: Self.tokensName) {
      members["metadata"] = custom.isEmpty ? nil : .object(custom)
      members["downloadTokens"] = tokens
    }
    try self.init(.object(members), of: reference)
  }
}
