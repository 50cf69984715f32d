import NIOCore
import NIOHTTP1
import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// Writes the responses of a connection.
struct ResponseWriter: Sendable {
  let outbound: NIOAsyncChannelOutboundWriter<ResponsePart>
  let limits: ServerLimits

  /// How the end of the content is indicated.
  enum Framing: Hashable {
    case none
    /// There is no content, because the request is `HEAD`. Its length is that of the response to `GET`, `nil` if
    /// it isn't known (RFC 9110, section 8.6).
    case head(Int?)
    case length(Int)
    case chunks
    /// By the end of the connection.
    case connection

    /// Whether content follows.
    var hasContent: Bool {
      switch self {
      case .none, .head: false
      case .length, .chunks, .connection: true
      }
    }
  }

  /// Writes a response of the backend. The backend and the client wait for each other, so that at most a few
  /// pieces are in memory.
  ///
  /// - Parameters:
  ///   - fields: further fields.
  ///   - head: the request.
  /// - Returns: whether the connection can be used for another request.
  /// - Throws: `CancellationError` if the content hasn't the length that was announced.
  func write(
    _ answer: TransportStreamingResponse, _ fields: [(String, String)], to head: RequestHead
  ) async throws -> Bool {
    let framing = Self.framing(answer.status, answer.headers, of: head)
    let closes = !head.isPersistent || framing == .connection
    // What the server says about pages of other origins replaces what a function says: twice, it is invalid.
    let own = Set(fields.map { $0.0.lowercased() })
    let others = answer.headers.fields.filter { !own.contains($0.name.lowercased()) }
    try await writeHead(
      answer.status, others.map { ($0.name, $0.value) } + fields, framing: framing, closes: closes)
    if framing.hasContent {
      var written = 0
      for try await piece in answer.body {
        written += piece.count
        if case .length(let length) = framing, written > length { throw CancellationError() }
        try await writePiece(piece)
      }
      // The stream of a cancelled reader ends early, without an error.
      try Task.checkCancellation()
      if case .length(let length) = framing, written < length { throw CancellationError() }
    }
    try await writeEnd()
    return !closes
  }

  private static func framing(
    _ status: Int, _ fields: TenonTransportInterop.HTTPHeaders, of head: RequestHead
  ) -> Framing {
    if status == 204 || status == 304 { return .none }
    let length = fields["Content-Length"].flatMap { Int(decimal: $0) }.flatMap { $0 < 0 ? nil : $0 }
    if head.method == "HEAD" { return .head(length) }
    if let length { return .length(length) }
    return head.readsChunks ? .chunks : .connection
  }

  func writeHead(_ status: Int, _ fields: [(String, String)], framing: Framing, closes: Bool) async throws {
    var headers = NIOHTTP1.HTTPHeaders()
    for (name, value) in fields where !Self.own.contains(name.lowercased()) {
      headers.add(name: Self.oneLine(name), value: Self.oneLine(value))
    }
    // Prevents browsers from guessing another content type than that with which the content was stored.
    headers.add(name: "X-Content-Type-Options", value: "nosniff")
    switch framing {
    case .none, .connection, .head(nil): break
    case .head(let length?), .length(let length): headers.add(name: "Content-Length", value: "\(length)")
    case .chunks: headers.add(name: "Transfer-Encoding", value: "chunked")
    }
    headers.add(name: "Connection", value: closes ? "close" : "keep-alive")
    let status = HTTPResponseStatus(statusCode: status)
    try await outbound.write(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)))
  }

  /// Writes content, in parts that the client can receive within the time limit.
  func writePiece(_ piece: Data) async throws {
    var rest = ByteBuffer(bytes: piece)
    while let part = rest.readSlice(length: min(rest.readableBytes, Self.partSize)), part.readableBytes > 0 {
      try await outbound.write(.body(part))
    }
  }

  func writeEnd() async throws { try await outbound.write(.end(nil)) }

  private static let partSize = 64 << 10

  /// The fields that indicate the length of the content are written by this type.
  private static let own: Set<String> = [
    "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "trailer",
  ]

  /// Returns a value without line breaks. Stored values were checked when they were received; any that passed
  /// must not end the field (RFC 9110, section 5.5).
  private static func oneLine(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
    return String(
      decoding: text.utf8.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
  }
}
