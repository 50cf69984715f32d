import TenonHashes
import TenonTransport
import TenonTransportInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Resumable uploads, which consist of several requests with commands in `X-Goog-Upload-Command`.
extension ObjectService {
  /// Handles a request with `upload_id`: the commands `query`, `cancel`, `upload` and `finalize`.
  ///
  /// - Parameters:
  ///   - id: The ID of the upload.
  ///   - call: The request.
  /// - Returns: The state of the upload, and the metadata of the object once it is finished. Finalizing again
  ///   returns the same response.
  /// - Throws: ``Refusal`` with status 404 if there is no such upload in the bucket or it has expired, with
  ///   status 400 for an unknown command; ``UploadConflict``.
  func resume(_ id: String, _ call: ObjectCall) async throws -> HTTPStreamingResponse {
    let field = call.request.headers["X-Goog-Upload-Command"] ?? ""
    let commands = Set(field.lowercased().split { $0 == "," || $0 == " " })
    guard let upload = try await database.upload(id), upload.bucket == call.bucket,
      upload.started >= now().millisecondsSince1970 - ObjectUpload.lifetime
    else {
      throw Refusal(404, "There is no such upload.", reason: "notFound")
    }
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
  /// - Returns: The state of the upload and its URL in `X-Goog-Upload-URL`.
  /// - Throws: ``Refusal`` with status 400 for an invalid name, invalid metadata or another command.
  func start(_ call: ObjectCall) async throws -> HTTPStreamingResponse {
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
    let name = try Self.name(of: call, members)
    let now = now()
    let (uploaded, bucket, md5) = (metadata, call.bucket, members["md5Hash"]?.text)
    let upload = try await database.transaction { database in
      try database.pruneUploads(now: now)
      let upload = ObjectUpload(
        id: RandomText.secret(),
        bucket: bucket,
        name: name,
        content: try database.insertContent(created: now),
        metadata: uploaded,
        expectedMD5: md5,
        started: now.millisecondsSince1970
      )
      try database.save(upload)
      return upload
    }
    var url = URLComponents(url: call.request.url, resolvingAgainstBaseURL: true)
    let kept = (url?.queryItems ?? []).filter { !["upload_id", "upload_protocol"].contains($0.name) }
    url?.queryItems =
      kept + [
        URLQueryItem(name: "upload_id", value: upload.id),
        URLQueryItem(name: "upload_protocol", value: "resumable"),
      ]
    return try Self.answer(
      to: upload,
      adding: [
        HTTPField(name: "X-Goog-Upload-URL", value: url?.string ?? call.request.url.absoluteString),
        HTTPField(name: "X-GUploader-UploadID", value: upload.id),
      ]
    )
  }

  /// Appends the body of a request to an upload. Each chunk is stored together with the new state of the
  /// upload, so that an interrupted request leaves a state from which to continue.
  ///
  /// - Returns: The new state of the upload.
  /// - Throws: ``UploadConflict`` if the upload isn't active, `X-Goog-Upload-Offset` isn't its size, or
  ///   another request has changed it.
  ///
  /// - Parameters:
  ///   - call: The request, with its body and `X-Goog-Upload-Offset`.
  ///   - upload: The state of the upload before the request.
  private func append(_ call: ObjectCall, to upload: ObjectUpload) async throws -> ObjectUpload {
    guard upload.status == .active else { throw UploadConflict(upload: upload) }
    let offset = call.request.headers["X-Goog-Upload-Offset"].flatMap { Int64(decimal: $0) }
    guard offset == upload.digest.size else { throw UploadConflict(upload: upload) }
    let reader = BodyReader(call.request.body)
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
  /// - Returns: The final state of the upload, also if it was finished before.
  /// - Throws: ``UploadConflict`` if the upload was cancelled or another request has changed it; ``Refusal``
  ///   with status 400 if the content doesn't have the expected MD5.
  ///
  /// - Parameter upload: The state of the upload that the request continues.
  private func finish(_ upload: ObjectUpload) async throws -> ObjectUpload {
    let now = now()
    return try await database.transaction { database in
      guard var stored = try database.upload(upload.id) else { throw UploadConflict(upload: upload) }
      if stored.status == .final { return stored }
      guard stored == upload, stored.status == .active else { throw UploadConflict(upload: stored) }
      let record = try Self.publish(
        stored.content,
        stored.digest,
        as: stored.name,
        in: stored.bucket,
        metadata: stored.metadata,
        expectedMD5: stored.expectedMD5,
        now: now,
        in: database
      )
      stored.status = .final
      stored.result = record.wire
      try database.save(stored)
      return stored
    }
  }

  /// Cancels an upload and deletes its content.
  ///
  /// - Throws: ``UploadConflict`` if the upload is finished.
  private func cancel(_ upload: ObjectUpload) async throws -> HTTPStreamingResponse {
    let cancelled = try await database.transaction { database in
      guard var stored = try database.upload(upload.id), stored.status != .final else {
        throw UploadConflict(upload: try database.upload(upload.id) ?? upload)
      }
      stored.status = .cancelled
      try database.save(stored)
      try database.deleteContent(stored.content)
      return stored
    }
    return try Self.answer(to: cancelled)
  }

  /// Returns a response with the state of an upload.
  ///
  /// - Parameters:
  ///   - upload: The state of the upload.
  ///   - fields: Further header fields.
  private static func answer(to upload: ObjectUpload, adding fields: [HTTPField] = []) throws
    -> HTTPStreamingResponse
  {
    let headers = HTTPHeaders(upload.headers + fields)
    guard let result = upload.result else {
      return HTTPStreamingResponse(HTTPResponse(status: 200, headers: headers))
    }
    return try answer(200, json: result, headers: headers)
  }
}

extension ObjectUpload {
  /// The header fields with the state of the upload.
  var headers: [HTTPField] {
    [
      HTTPField(name: "X-Goog-Upload-Status", value: status.rawValue),
      HTTPField(name: "X-Goog-Upload-Size-Received", value: String(digest.size)),
      HTTPField(name: "X-Goog-Upload-Chunk-Granularity", value: "262144"),
    ]
  }
}

/// The error for a command that doesn't match the state of an upload. The response contains the state, so
/// that the client can continue.
struct UploadConflict: Error {
  /// The state of the upload.
  let upload: ObjectUpload

  /// The response: status 400 with the state of the upload.
  var response: HTTPResponse {
    get throws {
      let message = "The upload is \(upload.status.rawValue) and has \(upload.digest.size) bytes."
      var response = try Refusal.badObjectRequest(message).response
      response.headers.fields += upload.headers
      return response
    }
  }
}
