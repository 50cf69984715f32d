import Foundation
import TenonTransport
import TenonTransportInterop

extension ObjectService {
  /// Uploads in one request: the content as the body, or with its metadata in a multipart body.
  func upload(_ call: ObjectCall) async throws -> HTTPStreamingResponse {
    // Who was allowed to begin an upload may go on with it: its id is a secret.
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

  static func name(of call: ObjectCall, _ metadata: [String: JSON]) throws -> String {
    let name = call.query["name"] ?? call.name ?? metadata["name"]?.text ?? ""
    try ObjectName.check(name)
    return name
  }

  /// Writes content piece by piece and makes it the object's. The object changes in the same transaction that
  /// stores the last piece: what was answered is on the disk, and what failed changed nothing.
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
      // What is left of a failed upload is of no use to anybody.
      if let content { try? await database.transaction { try $0.deleteContent(content) } }
      throw error
    }
  }

  private func append(_ piece: Data, to content: Int64?, at offset: Int64) async throws -> Int64 {
    let now = now()
    return try await database.transaction { database in
      let content = try content ?? database.insertContent(created: now)
      try database.append(piece, to: content, at: offset)
      return content
    }
  }

  /// Makes a complete content the object's.
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
        "The content's MD5 is \(digest.md5Hash), not \(expectedMD5 ?? "") as the metadata say."
      )
    }
    var metadata = metadata
    let tokens = metadata.takeDownloadTokens()
    let replaced = try database.object(name, in: bucket)
    let record = ObjectRecord(
      bucket: bucket,
      name: name,
      generation: max(now.milliseconds * 1_000, (replaced?.record.generation ?? 0) + 1),
      metageneration: 1,
      size: digest.size,
      md5Hash: digest.md5Hash,
      crc32c: digest.crc32cHash,
      timeCreated: now.milliseconds,
      updated: now.milliseconds,
      downloadTokens: tokens.isEmpty ? [RandomText.uuid()] : tokens,
      metadata: metadata
    )
    try database.save(StoredObject(record: record, content: content))
    if let replaced { try database.deleteContent(replaced.content) }
    return record
  }
}
