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
    let range = try call.request.headers["Range"].flatMap { try ByteRange.parse($0, size: size) }
    var headers = Self.headers(of: object.record)
    let wanted = range ?? 0..<size
    headers.fields.append(HTTPField(name: "Content-Length", value: String(wanted.count)))
    if let range {
      let value = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
      headers.fields.append(HTTPField(name: "Content-Range", value: value))
    }
    return HTTPStreamingResponse(
      status: range == nil ? 200 : 206,
      headers: headers,
      body: pieces(of: object, in: wanted)
    )
  }

  private func pieces(of object: StoredObject, in range: Range<Int64>) -> AsyncThrowingStream<Data, any Error>
  {
    let database = database
    let reader = PieceReader(position: range.lowerBound)
    return AsyncThrowingStream {
      try await reader.next(before: range.upperBound) { position, count in
        guard let piece = try await database.bytes(of: object.content, from: position, count: count) else {
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
