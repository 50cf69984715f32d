import TenonFoundation
import TenonHashes
import TenonTransport
import TenonTransportInterop
import TenonValues

extension ObjectService {
  /// Handles `POST` of a bucket or an object: uploads content as the body, or together with its metadata in a
  /// multipart body. Begins or continues a resumable upload with `X-Goog-Upload-Protocol: resumable` or
  /// `upload_id`.
  ///
  /// - Returns: the metadata of the object.
  /// - Throws: ``Refusal`` with status 400, 401, 403 or 413; ``UploadConflict``.
  func upload(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    // The ID of an upload is a secret, so whoever has it was authorized to begin the upload.
    if let id = call.query["upload_id"] { return try await resume(id, call) }
    let caller = try admit(call, "WRITE")
    let type = call.request.headers["Content-Type"]
    switch call.request.headers["X-Goog-Upload-Protocol"]?.lowercased() {
    case "multipart"?:
      let body = try MultipartBody(
        try await call.content(upTo: ObjectCall.longestMultipart), contentType: type ?? "")
      var metadata = try ObjectMetadata(uploaded: body.metadata)
      if metadata.contentType == nil { metadata.contentType = body.contentType }
      try metadata.check()
      let publication = ObjectPublication(
        name: try Self.name(of: call, body.metadata), bucket: call.bucket, metadata: metadata,
        expected: ExpectedDigest(body.metadata, call.request.headers["X-Goog-Hash"]), caller: caller)
      let size = Int64(body.content.count)
      let record = try await store(BodyReader(.data(body.content)), size: size, as: publication)
      return try Self.answer(200, json: record.wire)
    case "resumable"?:
      return try await start(call, by: caller)
    default:
      var metadata = ObjectMetadata()
      metadata.contentType = type
      try metadata.check()
      let publication = ObjectPublication(
        name: try Self.name(of: call, [:]), bucket: call.bucket, metadata: metadata,
        expected: ExpectedDigest([:], call.request.headers["X-Goog-Hash"]), caller: caller)
      let record = try await store(BodyReader(call.request.body), size: call.statedSize, as: publication)
      return try Self.answer(200, json: record.wire)
    }
  }

  /// Returns the name of the object to upload: the one in the query, the path or the metadata.
  ///
  /// - Throws: ``Refusal`` with status 400 if it is missing or not allowed.
  static func name(of call: ObjectCall, _ metadata: [String: JSON]) throws -> String {
    let name = call.query["name"] ?? call.name ?? metadata["name"]?.text ?? ""
    try ObjectName.check(name)
    return name
  }

  /// Stores content in chunks and turns it into an object. The object is created in the transaction that
  /// stores the last chunk, so it is durable when the method returns, and nothing has changed if it throws.
  ///
  /// - Parameters:
  ///   - reader: reads the content.
  ///   - size: the size that the client states; `nil` if it is unknown.
  ///   - publication: what is to become of the content.
  /// - Throws: ``Refusal`` with status 400 if the content doesn't have the expected checksums, with status
  ///   403 if the rules deny it, with status 412 if a precondition doesn't hold; `TransportError` if the file
  ///   of the body can't be read; `CancellationError`.
  func store(
    _ reader: BodyReader, size: Int64?, as publication: ObjectPublication
  ) async throws -> ObjectRecord {
    let replaced = try await database.object(publication.name, in: publication.bucket)?.record
    try await checking { check in try publication.checkBeginning(replaced, size: size, check) }
    try publication.conditions.check(replaced)
    if let replaced { try await database.checkRemoval(of: replaced, now: now()) }
    await database.retryDiscards()
    var digest = ContentDigest()
    var content: Int64?
    do {
      var piece = try await reader.next(upTo: Self.pieceSize) ?? Data()
      while let following = try await reader.next(upTo: Self.pieceSize) {
        try Task.checkCancellation()
        content = try await append(piece, to: content, at: digest.size)
        digest.update(piece)
        piece = following
      }
      try Task.checkCancellation()
      let (last, offset, begun) = (piece, digest.size, content)
      digest.update(piece)
      let whole = digest
      let now = now()
      return try await checking { check in
        try await database.transaction { database in
          let content = try begun ?? database.insertContent(created: now)
          try database.append(last, to: content, at: offset)
          return try publication.publish(content, StoredDigest(whole), check, now: now, in: database)
        }
      }
    } catch {
      // The content of a failed upload is useless.
      if let content { await database.discard(content) }
      throw error
    }
  }

  /// Appends a chunk to a content, which is created if it is `nil`.
  ///
  /// - Returns: the ID of the content.
  private func append(_ piece: Data, to content: Int64?, at offset: Int64) async throws -> Int64 {
    let now = now()
    return try await database.transaction { database in
      let content = try content ?? database.insertContent(created: now)
      try database.append(piece, to: content, at: offset)
      return content
    }
  }
}
