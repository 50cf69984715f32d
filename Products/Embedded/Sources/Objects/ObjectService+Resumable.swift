import TenonFoundation
import TenonHashes
import TenonTransport
import TenonTransportInterop

/// Resumable uploads, which consist of several requests with commands in `X-Goog-Upload-Command`.
extension ObjectService {
  /// Handles a request with `upload_id`: the commands `query`, `cancel`, `upload` and `finalize`.
  ///
  /// - Parameters:
  ///   - id: the ID of the upload.
  ///   - call: the request.
  /// - Returns: the state of the upload, and the metadata of the object once it is finished. Finalizing again
  ///   returns the same response.
  /// - Throws: ``Refusal`` with status 404 if there is no such upload in the bucket or it has expired, with
  ///   status 400 for an unknown command; ``UploadConflict``.
  func resume(_ id: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    let field = call.request.headers["X-Goog-Upload-Command"] ?? ""
    let commands = Set(field.lowercased().split { $0 == "," || $0 == " " })
    let upload = try await activeOrEnded(id, call, isJSON: false)
    if commands.contains("query") { return try Self.answer(to: upload) }
    if commands.contains("cancel") { return try await cancel(upload) }
    guard commands.contains("upload") || commands.contains("finalize") else {
      throw Refusal.badObjectRequest("The X-Goog-Upload-Command \"\(field)\" is unknown.")
    }
    if upload.status == .final, commands.contains("finalize") { return try Self.answer(to: upload) }
    var current = upload
    if commands.contains("upload") { current = try await append(call, to: current) }
    if commands.contains("finalize") { current = try await finish(current) }
    return try Self.answer(to: current)
  }

  /// Handles the command `start`: creates an upload.
  ///
  /// - Returns: the state of the upload and its URL in `X-Goog-Upload-URL`.
  /// - Throws: ``Refusal`` with status 400 for an invalid name, invalid metadata or another command, with
  ///   status 403 if the rules deny it.
  ///
  /// - Parameters:
  ///   - call: the request.
  ///   - caller: the caller, who is also that of the finished upload.
  func start(_ call: ObjectCall, by caller: Caller) async throws -> TransportStreamingResponse {
    let command = call.request.headers["X-Goog-Upload-Command"] ?? ""
    guard command.lowercased() == "start" else {
      throw Refusal.badObjectRequest("An upload must begin with the command start, not \"\(command)\".")
    }
    let members = try await call.members()
    var metadata = try ObjectMetadata(uploaded: members)
    let fields = ["X-Goog-Upload-Header-Content-Type", "X-Goog-Upload-Content-Type"]
    if metadata.contentType == nil {
      metadata.contentType = fields.lazy.compactMap { call.request.headers[$0] }.first
    }
    try metadata.check()
    let publication = ObjectPublication(
      name: try Self.name(of: call, members), bucket: call.bucket, metadata: metadata,
      expected: ExpectedDigest(members, call.request.headers["X-Goog-Hash"]), caller: caller)
    let size =
      call.number(in: "X-Goog-Upload-Header-Content-Length")
      ?? call.number(in: "X-Goog-Upload-Content-Length")
    let upload = try await begin(publication, size: size, isJSON: false)
    return try Self.answer(
      to: upload,
      adding: [
        HTTPHeader(name: "X-Goog-Upload-URL", value: Self.url(of: upload, call)),
        HTTPHeader(name: "X-GUploader-UploadID", value: upload.id),
      ]
    )
  }

  /// Creates an upload.
  ///
  /// - Parameters:
  ///   - publication: what is to become of the content.
  ///   - size: the size that the client states; `nil` if it is unknown.
  ///   - isJSON: whether the upload belongs to the JSON API.
  /// - Throws: ``Refusal`` with status 403 if the rules deny it, with status 412 if a precondition doesn't
  ///   hold.
  func begin(_ publication: ObjectPublication, size: Int64?, isJSON: Bool) async throws -> ObjectUpload {
    let now = now()
    await database.retryDiscards()
    return try await checking { check in
      try await database.transaction { database in
        let replaced = try database.object(publication.name, in: publication.bucket)?.record
        try publication.checkBeginning(replaced, size: size, check)
        return try Self.begin(publication, replaced, size: size, isJSON: isJSON, now: now, in: database)
      }
    }
  }

  /// Creates an upload that the rules allow.
  private static func begin(
    _ publication: ObjectPublication, _ replaced: ObjectRecord?, size: Int64?, isJSON: Bool, now: Timestamp,
    in database: isolated EmbeddedDatabase
  ) throws -> ObjectUpload {
    try publication.conditions.check(replaced)
    if let replaced { try database.checkRemoval(of: replaced, now: now) }
    try database.pruneUploads(now: now)
    let upload = ObjectUpload(
      id: RandomText.secret(),
      bucket: publication.bucket,
      name: publication.name,
      content: try database.insertContent(created: now),
      metadata: publication.metadata,
      attributes: publication.attributes,
      expectedMD5: publication.expected.md5,
      expectedCRC32C: publication.expected.crc32c,
      // Clients of firebasestorage state the size as a hint.
      expectedSize: isJSON ? size : nil,
      conditions: publication.conditions,
      caller: StoredCaller(publication.caller),
      isJSON: isJSON ? true : nil,
      started: now.millisecondsSince1970
    )
    try database.save(upload)
    return upload
  }

  /// Returns the upload with an ID.
  ///
  /// - Parameters:
  ///   - id: the ID.
  ///   - call: the request.
  ///   - isJSON: whether the request is one of the JSON API.
  /// - Throws: ``Refusal`` with status 404 if there is no such upload in the bucket, if it belongs to the
  ///   other protocol, or if it has expired.
  func activeOrEnded(_ id: String, _ call: ObjectCall, isJSON: Bool) async throws -> ObjectUpload {
    guard let upload = try await database.upload(id), upload.bucket == call.bucket,
      (upload.isJSON ?? false) == isJSON,
      upload.started >= now().millisecondsSince1970 - ObjectUpload.lifetime
    else {
      throw Refusal(404, "There is no such upload.", reason: "notFound")
    }
    return upload
  }

  /// Returns the URL with which an upload continues: that of its first request, with the ID.
  static func url(of upload: ObjectUpload, _ call: ObjectCall) -> String {
    var url = URLComponents(url: call.request.url, resolvingAgainstBaseURL: true)
    let kept = (url?.queryItems ?? []).filter { !["upload_id", "upload_protocol"].contains($0.name) }
    let protocolItem = URLQueryItem(name: "upload_protocol", value: "resumable")
    var items = kept
    items.append(URLQueryItem(name: "upload_id", value: upload.id))
    if upload.isJSON != true { items.append(protocolItem) }
    url?.queryItems = items
    return url?.string ?? call.request.url.absoluteString
  }

  /// Appends the body of a request to an upload. Each chunk is stored together with the new state of the
  /// upload, so that an interrupted request leaves a state from which to continue.
  ///
  /// - Returns: the new state of the upload.
  /// - Throws: ``UploadConflict`` if the upload isn't active, `X-Goog-Upload-Offset` isn't its size, or
  ///   another request has changed it.
  ///
  /// - Parameters:
  ///   - call: the request, with its body and `X-Goog-Upload-Offset`.
  ///   - upload: the state of the upload before the request.
  private func append(_ call: ObjectCall, to upload: ObjectUpload) async throws -> ObjectUpload {
    guard upload.status == .active else { throw UploadConflict(upload: upload) }
    let offset = call.request.headers["X-Goog-Upload-Offset"].flatMap { Int64(decimal: $0) }
    guard offset == upload.digest.size else { throw UploadConflict(upload: upload) }
    return try await append(BodyReader(call.request.body), to: upload)
  }

  /// Appends content to an upload.
  ///
  /// - Parameters:
  ///   - reader: reads the content.
  ///   - upload: the state of the upload before.
  /// - Returns: the new state of the upload.
  /// - Throws: ``UploadConflict`` if another request has changed the upload.
  func append(_ reader: BodyReader, to upload: ObjectUpload) async throws -> ObjectUpload {
    var current = upload
    while let piece = try await reader.next(upTo: Self.pieceSize) {
      try Task.checkCancellation()
      var grown = current
      grown.digest.update(piece)
      let (before, after) = (current, grown)
      try await database.transaction { database in
        guard let stored = try database.upload(before.id), stored == before else {
          throw UploadConflict(upload: try database.upload(before.id) ?? before)
        }
        try database.append(piece, to: before.content, at: before.digest.size)
        try database.save(after)
      }
      current = grown
    }
    return current
  }

  /// Finishes an upload: turns its content into an object.
  ///
  /// - Returns: the final state of the upload, also if it was finished before.
  /// - Throws: ``UploadConflict`` if the upload was cancelled or another request has changed it; ``Refusal``
  ///   with status 400 if the content doesn't have the expected checksums, with status 403 if the rules deny
  ///   it, which cancels the upload, or the object that it replaces is held or retained, or with status 412 if
  ///   a precondition doesn't hold.
  ///
  /// - Parameters:
  ///   - upload: the state of the upload that the request continues.
  ///   - expected: the checksums that the content must have; `nil` for those of the upload.
  ///   - wire: returns the object as the client expects it.
  func finish(
    _ upload: ObjectUpload, expected: ExpectedDigest? = nil,
    wire: @escaping @Sendable (ObjectRecord) -> JSON = { $0.wire }
  ) async throws -> ObjectUpload {
    do { return try await published(upload, expected: expected, wire: wire) } catch let refusal as Refusal
      where refusal.status == 403 && refusal.reason == Refusal.denied("").reason
    {
      // The content can never become an object.
      _ = try? await cancelled(upload)
      throw refusal
    }
  }

  /// Turns the content of an upload into an object, as ``finish(_:expected:wire:)`` does.
  private func published(
    _ upload: ObjectUpload, expected: ExpectedDigest?, wire: @escaping @Sendable (ObjectRecord) -> JSON
  ) async throws -> ObjectUpload {
    let now = now()
    return try await checking { check in
      try await published(upload, expected: expected, wire: wire, check, now: now)
    }
  }

  private func published(
    _ upload: ObjectUpload, expected: ExpectedDigest?, wire: @escaping @Sendable (ObjectRecord) -> JSON,
    _ check: ObjectCheck, now: Timestamp
  ) async throws -> ObjectUpload {
    try await database.transaction { database in
      guard var stored = try database.upload(upload.id) else { throw UploadConflict(upload: upload) }
      if stored.status == .final { return stored }
      guard stored == upload, stored.status == .active else { throw UploadConflict(upload: stored) }
      let digest = StoredDigest(stored.digest)
      try expected?.check(digest)
      let record = try stored.publication.publish(stored.content, digest, check, now: now, in: database)
      stored.status = .final
      stored.result = wire(record)
      try database.save(stored)
      return stored
    }
  }

  /// Cancels an upload and deletes its content.
  ///
  /// - Throws: ``UploadConflict`` if the upload is finished.
  private func cancel(_ upload: ObjectUpload) async throws -> TransportStreamingResponse {
    return try Self.answer(to: try await cancelled(upload))
  }

  /// Cancels an upload and deletes its content.
  ///
  /// - Returns: the new state of the upload.
  /// - Throws: ``UploadConflict`` if the upload is finished.
  func cancelled(_ upload: ObjectUpload) async throws -> ObjectUpload {
    try await database.transaction { database in
      guard var stored = try database.upload(upload.id), stored.status != .final else {
        throw UploadConflict(upload: try database.upload(upload.id) ?? upload)
      }
      stored.status = .cancelled
      try database.save(stored)
      try database.deleteContent(stored.content)
      return stored
    }
  }

  /// Returns a response with the state of an upload.
  ///
  /// - Parameters:
  ///   - upload: the state of the upload.
  ///   - fields: further header fields.
  private static func answer(to upload: ObjectUpload, adding fields: [HTTPHeader] = []) throws
    -> TransportStreamingResponse
  {
    let headers = HTTPHeaders(upload.headers + fields)
    guard let result = upload.result else {
      return TransportStreamingResponse(TransportResponse(status: 200, headers: headers))
    }
    return try answer(200, json: result, headers: headers)
  }
}

extension ObjectUpload {
  /// The header fields with the state of the upload.
  var headers: [HTTPHeader] {
    [
      HTTPHeader(name: "X-Goog-Upload-Status", value: status.rawValue),
      HTTPHeader(name: "X-Goog-Upload-Size-Received", value: String(digest.size)),
      HTTPHeader(name: "X-Goog-Upload-Chunk-Granularity", value: "262144"),
    ]
  }
}

/// The error for a command that doesn't match the state of an upload. The response contains the state, so
/// that the client can continue.
struct UploadConflict: Error {
  /// The state of the upload.
  let upload: ObjectUpload

  /// The response: status 400 with the state of the upload.
  var response: TransportResponse {
    get throws {
      let message = "The upload is \(upload.status.rawValue) and has \(upload.digest.size) bytes."
      var response = try Refusal.badObjectRequest(message).response
      response.headers.fields += upload.headers
      return response
    }
  }
}
