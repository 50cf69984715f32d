import TenonHashes
import TenonStoreInterop
import TenonTransport
import TenonTransportInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ObjectService {
  /// Handles `POST` of a bucket or an object: uploads content as the body, or together with its metadata in a
  /// multipart body. Begins or continues a resumable upload with `X-Goog-Upload-Protocol: resumable` or
  /// `upload_id`.
  ///
  /// - Returns: The metadata of the object.
  /// - Throws: ``Refusal`` with status 400, 401, 403 or 413; ``UploadConflict``.
  func upload(_ call: ObjectCall) async throws -> HTTPStreamingResponse {
    // The ID of an upload is a secret, so whoever has it was authorized to begin the upload.
    if let id = call.query["upload_id"] { return try await resume(id, call) }
    try authorize(call, "WRITE")
    let type = call.request.headers["Content-Type"]
    switch call.request.headers["X-Goog-Upload-Protocol"]?.lowercased() {
    case "multipart"?:
      let body = try MultipartBody(
        try await call.content(upTo: ObjectCall.longestMultipart), contentType: type ?? "")
      var metadata = try ObjectMetadata(uploaded: body.metadata)
      if metadata.contentType == nil { metadata.contentType = body.contentType }
      try metadata.check()
      let name = try Self.name(of: call, body.metadata)
      let record = try await store(
        BodyReader(.data(body.content)),
        as: name,
        in: call.bucket,
        metadata: metadata,
        expectedMD5: body.metadata["md5Hash"]?.text
      )
      return try Self.answer(200, json: record.wire)
    case "resumable"?:
      return try await start(call)
    default:
      var metadata = ObjectMetadata()
      metadata.contentType = type
      try metadata.check()
      let name = try Self.name(of: call, [:])
      let record = try await store(
        BodyReader(call.request.body),
        as: name,
        in: call.bucket,
        metadata: metadata,
        expectedMD5: nil
      )
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
  ///   - reader: Reads the content.
  ///   - name: The name of the object.
  ///   - bucket: The bucket.
  ///   - metadata: The metadata of the object.
  ///   - expectedMD5: The MD5 digest that the content must have, in base64; `nil` to accept any.
  /// - Throws: ``Refusal`` with status 400 if the content doesn't have the expected MD5; `TransportError` if
  ///   the file of the body can't be read; `CancellationError`.
  private func store(
    _ reader: BodyReader,
    as name: String,
    in bucket: String,
    metadata: ObjectMetadata,
    expectedMD5: String?
  ) async throws -> ObjectRecord {
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
      return try await database.transaction { database in
        let content = try begun ?? database.insertContent(created: now)
        try database.append(last, to: content, at: offset)
        return try Self.publish(
          content,
          whole,
          as: name,
          in: bucket,
          metadata: metadata,
          expectedMD5: expectedMD5,
          now: now,
          in: database
        )
      }
    } catch {
      // The content of a failed upload is useless.
      if let content { try? await database.transaction { try $0.deleteContent(content) } }
      throw error
    }
  }

  /// Appends a chunk to a content, which is created if it is `nil`.
  ///
  /// - Returns: The ID of the content.
  private func append(_ piece: Data, to content: Int64?, at offset: Int64) async throws -> Int64 {
    let now = now()
    return try await database.transaction { database in
      let content = try content ?? database.insertContent(created: now)
      try database.append(piece, to: content, at: offset)
      return content
    }
  }

  /// Turns a complete content into an object, which replaces another one of the same name.
  ///
  /// - Parameters:
  ///   - content: The ID of the content.
  ///   - digest: The size and the checksums of the content.
  ///   - name: The name of the object.
  ///   - bucket: The bucket.
  ///   - metadata: The metadata, with the download tokens in its custom metadata.
  ///   - expectedMD5: The MD5 digest that the content must have, in base64; `nil` to accept any.
  ///   - now: The current time.
  ///   - database: The database, inside a transaction.
  /// - Returns: The metadata of the object.
  /// - Throws: ``Refusal`` with status 400 if the content doesn't have the expected MD5.
  static func publish(
    _ content: Int64,
    _ digest: ContentDigest,
    as name: String,
    in bucket: String,
    metadata: ObjectMetadata,
    expectedMD5: String?,
    now: Timestamp,
    in database: isolated EmbeddedDatabase
  ) throws -> ObjectRecord {
    guard expectedMD5 == nil || expectedMD5 == digest.md5Hash else {
      throw Refusal.badObjectRequest(
        "The content's MD5 is \(digest.md5Hash), not \(expectedMD5 ?? "") as stated in the metadata."
      )
    }
    var metadata = metadata
    let tokens = metadata.removeDownloadTokens()
    let replaced = try database.object(name, in: bucket)
    let record = ObjectRecord(
      bucket: bucket,
      name: name,
      generation: max(now.millisecondsSince1970 * 1_000, (replaced?.record.generation ?? 0) &+ 1),
      metageneration: 1,
      size: digest.size,
      md5Hash: digest.md5Hash,
      crc32c: digest.crc32cHash,
      timeCreated: now.millisecondsSince1970,
      updated: now.millisecondsSince1970,
      downloadTokens: tokens.isEmpty ? [RandomText.uuid()] : tokens,
      metadata: metadata
    )
    try database.save(StoredObject(record: record, content: content))
    if let replaced { try database.deleteContent(replaced.content) }
    return record
  }
}
