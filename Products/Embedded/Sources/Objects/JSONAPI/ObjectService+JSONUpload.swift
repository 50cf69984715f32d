import TenonFoundation
import TenonHashes
import TenonTransport
import TenonTransportInterop

/// Uploads of the JSON API (https://cloud.google.com/storage/docs/uploads-downloads).
extension ObjectService {
  /// Handles a request of `upload/storage/v1`: uploads content as the body (`uploadType=media`), with its
  /// metadata (`multipart`), or begins or continues a resumable upload (`resumable`).
  ///
  /// - Returns: the resource of the object; status 308 if a resumable upload continues.
  func uploadJSON(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    if let id = call.query["upload_id"] { return try await resumeJSON(id, call) }
    guard call.request.method == .post else { throw Refusal.notFound }
    let type = call.request.headers["Content-Type"]
    switch call.query["uploadType"] {
    case "multipart"?:
      let body = try MultipartBody(
        try await call.content(upTo: ObjectCall.longestMultipart), contentType: type ?? "")
      let publication = try publication(call, body.metadata, contentType: body.contentType)
      let size = Int64(body.content.count)
      let record = try await store(BodyReader(.data(body.content)), size: size, as: publication)
      return try Self.answer(200, json: call.resource(record))
    case "media"?:
      let publication = try publication(call, [:], contentType: type)
      let record = try await store(BodyReader(call.request.body), size: call.statedSize, as: publication)
      return try Self.answer(200, json: call.resource(record))
    case "resumable"?:
      let publication = try publication(
        call, try await call.members(), contentType: call.request.headers["X-Upload-Content-Type"])
      let size = call.number(in: "X-Upload-Content-Length")
      let upload = try await begin(publication, size: size, isJSON: true)
      let headers = HTTPHeaders([
        HTTPHeader(name: "Location", value: Self.url(of: upload, call)),
        HTTPHeader(name: "X-GUploader-UploadID", value: upload.id),
      ])
      return TransportStreamingResponse(TransportResponse(status: 200, headers: headers))
    default:
      throw Refusal.badObjectRequest("uploadType must be media, multipart or resumable.")
    }
  }

  /// Returns what is to become of an upload.
  ///
  /// - Parameters:
  ///   - call: the request, whose query may have the name of the object and preconditions.
  ///   - members: the metadata.
  ///   - contentType: the content type if the metadata has none.
  private func publication(
    _ call: ObjectCall, _ members: [String: JSON], contentType: String?
  ) throws -> ObjectPublication {
    let members = try call.objectMembers(members)
    var metadata = try ObjectMetadata(uploaded: members)
    if let coding = call.query["contentEncoding"] { metadata.contentEncoding = coding }
    if metadata.contentType == nil { metadata.contentType = contentType }
    try metadata.check()
    return ObjectPublication(
      name: try Self.name(of: call, members), bucket: call.bucket, metadata: metadata,
      attributes: try ObjectAttributes(uploaded: members),
      expected: ExpectedDigest(members, call.request.headers["X-Goog-Hash"]),
      conditions: try call.conditions, caller: call.caller, hasToken: false)
  }

  /// Handles a request with `upload_id`: `PUT` with the next bytes or a question, or `DELETE`.
  ///
  /// - Returns: status 200 with the resource once the upload is complete, also if it was complete before; 308
  ///   before, with the received bytes in `Range`; 499 after it was cancelled.
  func resumeJSON(_ id: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    let upload = try await activeOrEnded(id, call, isJSON: true)
    if call.request.method == .delete {
      _ = try await cancelled(upload)
      throw Refusal.cancelledUpload
    }
    guard call.request.method == .put || call.request.method == .post else { throw Refusal.notFound }
    switch upload.status {
    case .cancelled: throw Refusal.cancelledUpload
    case .final: return try Self.progress(of: upload)
    case .active: break
    }
    guard let field = call.request.headers["Content-Range"] else {
      return try await takeRest(call, upload)
    }
    guard let range = ContentRange(field) else {
      throw Refusal.badObjectRequest("The Content-Range \"\(field.prefix(100))\" isn't valid.")
    }
    switch range {
    case .none(let total):
      try Self.check(total, of: upload)
      guard let total, total == upload.digest.size else { return try Self.progress(of: upload) }
      return try await complete(upload, call)
    case .part(let first, let last, let total):
      try Self.check(total, of: upload)
      return try await take(first, last, total, call, upload)
    }
  }

  /// Appends the rest of a content, which is the whole body of the request, and completes the upload.
  private func takeRest(_ call: ObjectCall, _ upload: ObjectUpload) async throws -> TransportStreamingResponse
  {
    guard upload.digest.size == 0 else {
      throw Refusal.badObjectRequest("The Content-Range of an upload that has begun is missing.")
    }
    let grown = try await append(BodyReader(call.request.body), to: upload)
    try Self.check(grown.digest.size, of: grown)
    return try await complete(grown, call)
  }

  /// Appends the bytes of a request to an upload, without those that were received before.
  private func take(
    _ first: Int64, _ last: Int64, _ total: Int64?, _ call: ObjectCall, _ upload: ObjectUpload
  ) async throws -> TransportStreamingResponse {
    let received = upload.digest.size
    // The client learns from the response where to continue.
    guard first <= received else { return try Self.progress(of: upload) }
    // The parser accepts no last byte that is the greatest number.
    let length = last - first + 1
    guard call.statedSize ?? length == length else { throw Self.wrongLength }
    let reader = BodyReader(call.request.body)
    try await reader.skip(received - first)
    let grown = try await append(reader, to: upload)
    // A file's length is known only now. What was received remains valid.
    guard grown.digest.size == max(received, last + 1) else { throw Self.wrongLength }
    guard let total, total == grown.digest.size else { return try Self.progress(of: grown) }
    return try await complete(grown, call)
  }

  /// The error for a body whose length isn't that of its `Content-Range`.
  private static let wrongLength = Refusal.badObjectRequest(
    "The length of the request body isn't that of its Content-Range.")

  /// Turns a complete upload into an object.
  private func complete(_ upload: ObjectUpload, _ call: ObjectCall) async throws -> TransportStreamingResponse
  {
    let final = try await finish(
      upload, expected: ExpectedDigest([:], call.request.headers["X-Goog-Hash"]),
      wire: { call.resource($0) })
    return try Self.progress(of: final)
  }

  /// Checks the total size in a request against the one that was stated at the beginning and what was
  /// received.
  private static func check(_ total: Int64?, of upload: ObjectUpload) throws {
    guard let total else { return }
    guard total >= upload.digest.size, upload.expectedSize ?? total == total else {
      throw Refusal.badObjectRequest("The total size of the upload differs from what was stated before.")
    }
  }

  /// Returns the response with the state of an upload: the resource once it is complete, or status 308.
  private static func progress(of upload: ObjectUpload) throws -> TransportStreamingResponse {
    if let result = upload.result { return try answer(200, json: result) }
    var headers = HTTPHeaders([HTTPHeader(name: "X-GUploader-UploadID", value: upload.id)])
    let received = upload.digest.size
    if received > 0 { headers.add("Range", "bytes=0-\(received - 1)") }
    return TransportStreamingResponse(TransportResponse(status: 308, headers: headers))
  }
}

extension BodyReader {
  /// Reads and discards bytes, or fewer at the end of the body.
  ///
  /// - Parameter count: the number of bytes, at least 0.
  func skip(_ count: Int64) async throws {
    var rest = count
    while rest > 0 {
      let limit = Int(clamping: min(rest, Int64(clamping: ObjectService.pieceSize)))
      guard let piece = try await next(upTo: limit) else { return }
      // Checked: a piece has at most the requested size.
      rest -= Int64(piece.count)
    }
  }
}
