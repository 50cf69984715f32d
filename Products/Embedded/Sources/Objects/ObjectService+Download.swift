import TenonFoundation
import TenonTransport
import TenonTransportInterop

extension ObjectService {
  /// Handles `GET` of an object with `alt=media`: returns its content or a range of it. The body is read in
  /// chunks, as the caller requests them.
  ///
  /// - Parameters:
  ///   - name: the name of the object.
  ///   - call: the request, whose `token` may be a download token of the object.
  /// - Returns: status 200, 206 for a range, or 416 for a range outside of the content. The body throws
  ///   `TransportError` with `connectionLost` if the object is replaced or deleted while it is read.
  /// - Throws: ``Refusal`` with status 401, 403 or 404.
  func download(_ name: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    let object = try await database.object(name, in: call.bucket)
    let isOpened = call.query["token"].map { object?.record.downloadTokens.contains($0) ?? false } ?? false
    if !isOpened {
      let caller = try admit(call, "READ")
      try await checking { check in
        try check(.get, name, in: call.bucket, by: caller, object: object?.record.access)
      }
    }
    guard let object else { throw Refusal.noSuchObject }
    return try content(of: object, call)
  }

  /// Returns the content of an object, or the range of it that a request selects.
  ///
  /// - Parameters:
  ///   - object: the object.
  ///   - call: the request.
  /// - Returns: status 200, 206 or 416.
  func content(of object: StoredObject, _ call: ObjectCall) throws -> TransportStreamingResponse {
    let size = object.record.size
    var headers = Self.headers(of: object.record)
    // Checked: a record with a negative size is damaged; it was refused.
    var (status, wanted) = (200, 0..<size)
    switch Self.range(of: call.request, in: object.record) {
    case .whole: break
    case .part(let range):
      (status, wanted) = (206, range)
      headers.add("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)")
    case .unsatisfiable: return try Self.unsatisfiable(size: size)
    }
    headers.add("Content-Length", String(wanted.count))
    return TransportStreamingResponse(status: status, headers: headers, body: pieces(of: object, in: wanted))
  }

  /// Returns the range that a request selects. `If-Range` with another entity tag selects the whole content
  /// (RFC 9110, section 13.1.5).
  private static func range(of request: TransportRequest, in record: ObjectRecord) -> ByteRange {
    if let condition = request.headers["If-Range"], !record.matches(condition) {
      return .whole
    }
    return ByteRange(request.headers["Range"], size: record.size)
  }

  /// Returns the response for a range outside of the content, with the size of the content (RFC 9110, section
  /// 15.5.17).
  private static func unsatisfiable(size: Int64) throws -> TransportStreamingResponse {
    var response = try Refusal(
      416, "The requested range is outside of the object's \(size) bytes.",
      reason: "requestedRangeNotSatisfiable"
    ).response
    response.headers.add("Content-Range", "bytes */\(size)")
    return TransportStreamingResponse(response)
  }

  /// Returns a stream of the chunks of an object's whole content.
  func pieces(of object: StoredObject) -> AsyncThrowingStream<Data, any Error> {
    // Checked: a record with a negative size is damaged; it was refused.
    pieces(of: object, in: 0..<object.record.size)
  }

  private func pieces(of object: StoredObject, in range: Range<Int64>) -> AsyncThrowingStream<Data, any Error>
  {
    pieces(of: object.content, named: object.record.name, in: range)
  }

  /// Returns a stream of the chunks of a content.
  ///
  /// - Parameters:
  ///   - content: the ID of the content.
  ///   - name: the name of the object, for errors.
  ///   - range: the bytes, which lie within the content.
  func pieces(
    of content: Int64, named name: String, in range: Range<Int64>
  ) -> AsyncThrowingStream<Data, any Error> {
    let database = database
    let reader = PieceReader(position: range.lowerBound)
    return AsyncThrowingStream {
      try await reader.next(before: range.upperBound) { position, count in
        let piece: Data?
        do { piece = try await database.bytes(of: content, from: position, count: count) } catch {
          throw TransportError(
            .invalidResponse,
            "The content of the object \(name) can't be read: \(error.systemReason)",
            underlying: error)
        }
        guard let piece else {
          throw TransportError(
            .connectionLost,
            "The object \(name) was replaced or deleted while it was being read."
          )
        }
        return piece
      }
    }
  }

  /// Returns the header fields of an object.
  private static func headers(of record: ObjectRecord) -> HTTPHeaders {
    let metadata = record.metadata
    var fields = [
      HTTPHeader(name: "Accept-Ranges", value: "bytes"),
      // Content of users has the origin of a server that its pages' scripts must not have.
      HTTPHeader(name: "Content-Security-Policy", value: "sandbox"),
      HTTPHeader(name: "X-Content-Type-Options", value: "nosniff"),
      HTTPHeader(name: "Content-Type", value: metadata.contentType ?? ObjectMetadata.defaultContentType),
      HTTPHeader(name: "Content-Disposition", value: metadata.contentDisposition ?? "inline"),
      HTTPHeader(name: "ETag", value: record.etag),
      HTTPHeader(name: "X-Goog-Generation", value: String(record.generation)),
      HTTPHeader(name: "X-Goog-Metageneration", value: String(record.metageneration)),
      HTTPHeader(name: "X-Goog-Storage-Class", value: record.storageClass),
      HTTPHeader(name: "X-Goog-Stored-Content-Encoding", value: metadata.contentEncoding ?? "identity"),
      HTTPHeader(name: "X-Goog-Stored-Content-Length", value: String(record.size)),
      HTTPHeader(name: "X-Goog-Hash", value: "crc32c=\(record.crc32c),md5=\(record.md5Hash)"),
    ]
    if let control = metadata.cacheControl {
      fields.append(HTTPHeader(name: "Cache-Control", value: control))
    }
    if let coding = metadata.contentEncoding {
      fields.append(HTTPHeader(name: "Content-Encoding", value: coding))
    }
    return HTTPHeaders(fields)
  }
}

/// The position up to which a download has been read.
private actor PieceReader {
  /// The offset of the next byte.
  private var position: Int64

  /// Creates a position at the beginning of a range.
  init(position: Int64) { self.position = position }

  /// Reads the next chunk; returns `nil` at the end of the range.
  ///
  /// - Parameters:
  ///   - end: the end of the range.
  ///   - read: reads bytes at a position, at most the given number.
  /// - Throws: `CancellationError`; the error that `read` throws.
  func next(
    before end: Int64,
    _ read: @Sendable (Int64, Int) async throws -> Data
  ) async throws -> Data? {
    try Task.checkCancellation()
    guard position < end else { return nil }
    let piece = try await read(
      position, Int(clamping: min(end - position, Int64(clamping: ObjectService.pieceSize))))
    position += Int64(piece.count)
    return piece
  }
}
