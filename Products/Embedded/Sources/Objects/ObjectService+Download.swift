import Foundation
import TenonTransport
import TenonTransportInterop

extension ObjectService {
  /// The content of an object, or a range of it, read piece by piece as the caller asks for it.
  func download(_ name: String, _ call: ObjectCall) async throws -> HTTPStreamingResponse {
    let object = try await database.object(name, in: call.bucket)
    let isOpened = call.query["token"].map { object?.record.downloadTokens.contains($0) ?? false } ?? false
    if !isOpened { try authorize(call, "READ") }
    guard let object else { throw Refusal.noSuchObject }
    let size = object.record.size
    var headers = Self.headers(of: object.record)
    var (status, wanted) = (200, 0..<size)
    switch Self.range(of: call.request, in: object.record) {
    case .whole: break
    case .part(let range):
      (status, wanted) = (206, range)
      headers.add("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)")
    case .unsatisfiable: return try Self.unsatisfiable(size: size)
    }
    headers.add("Content-Length", String(wanted.count))
    return HTTPStreamingResponse(status: status, headers: headers, body: pieces(of: object, in: wanted))
  }

  /// The range that a request asks for, if its condition holds (RFC 9110, section 13.1.5).
  private static func range(of request: HTTPRequest, in record: ObjectRecord) -> ByteRange {
    if let condition = request.headers["If-Range"], condition.trimmingCharacters(in: ["\""]) != record.etag {
      return .whole
    }
    return ByteRange(request.headers["Range"], size: record.size)
  }

  /// The answer that says how much there is (RFC 9110, section 15.5.17).
  private static func unsatisfiable(size: Int64) throws -> HTTPStreamingResponse {
    var response = try Refusal(
      416, "The requested range is outside of the object's \(size) bytes.",
      reason: "requestedRangeNotSatisfiable"
    ).response
    response.headers.add("Content-Range", "bytes */\(size)")
    return HTTPStreamingResponse(response)
  }

  private func pieces(of object: StoredObject, in range: Range<Int64>) -> AsyncThrowingStream<Data, any Error>
  {
    let database = database
    let reader = PieceReader(position: range.lowerBound)
    return AsyncThrowingStream {
      try await reader.next(before: range.upperBound) { position, count in
        let piece: Data?
        do { piece = try await database.bytes(of: object.content, from: position, count: count) } catch {
          throw TransportError(
            .invalidResponse, "The content of the object \(object.record.name) can't be read: \(error)",
            underlying: error)
        }
        guard let piece else {
          throw TransportError(
            .connectionLost,
            "The object \(object.record.name) was replaced or deleted while it was being read."
          )
        }
        return piece
      }
    }
  }

  private static func headers(of record: ObjectRecord) -> HTTPHeaders {
    let metadata = record.metadata
    var fields = [
      HTTPField(name: "Accept-Ranges", value: "bytes"),
      HTTPField(name: "Content-Type", value: metadata.contentType ?? ObjectMetadata.defaultContentType),
      HTTPField(name: "Content-Disposition", value: metadata.contentDisposition ?? "inline"),
      HTTPField(name: "ETag", value: record.etag),
      HTTPField(name: "X-Goog-Generation", value: String(record.generation)),
      HTTPField(name: "X-Goog-Metageneration", value: String(record.metageneration)),
      HTTPField(name: "X-Goog-Storage-Class", value: "STANDARD"),
      HTTPField(name: "X-Goog-Hash", value: "crc32c=\(record.crc32c),md5=\(record.md5Hash)"),
    ]
    if let control = metadata.cacheControl { fields.append(HTTPField(name: "Cache-Control", value: control)) }
    if let coding = metadata.contentEncoding {
      fields.append(HTTPField(name: "Content-Encoding", value: coding))
    }
    return HTTPHeaders(fields)
  }
}

/// Where the reading of one download stands.
private actor PieceReader {
  private var position: Int64

  init(position: Int64) { self.position = position }

  func next(
    before end: Int64,
    _ read: @Sendable (Int64, Int) async throws -> Data
  ) async throws -> Data? {
    try Task.checkCancellation()
    guard position < end else { return nil }
    let piece = try await read(position, Int(min(end - position, Int64(ObjectService.pieceSize))))
    position += Int64(piece.count)
    return piece
  }
}
