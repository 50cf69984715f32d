import TenonFoundation

/// Writes the responses of a connection.
struct ResponseWriter {
  let stream: SocketStream
  let limits: ServerLimits

  /// How the end of the content is indicated.
  enum Framing: Hashable {
    case none
    case length(Int)
    case chunks
    /// By the end of the connection.
    case connection
  }

  /// Writes that the content is expected (RFC 9110, section 10.1.1).
  func writeContinue() throws { try write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }

  func writeHead(_ status: Int, _ fields: [(String, String)], framing: Framing, closes: Bool) throws {
    // The reason phrase may be empty (RFC 9112, section 4).
    var text = "HTTP/1.1 \(status) \r\n"
    for (name, value) in fields where !Self.own.contains(name.lowercased()) {
      text += "\(Self.oneLine(name)): \(Self.oneLine(value))\r\n"
    }
    // Prevents browsers from guessing another content type than that with which the content was stored.
    text += "X-Content-Type-Options: nosniff\r\n"
    switch framing {
    case .none, .connection: break
    case .length(let length): text += "Content-Length: \(length)\r\n"
    case .chunks: text += "Transfer-Encoding: chunked\r\n"
    }
    text += "Connection: \(closes ? "close" : "keep-alive")\r\n\r\n"
    try write(Data(text.utf8))
  }

  /// Writes a chunk of the content.
  func writePiece(_ piece: Data, framing: Framing) throws {
    guard !piece.isEmpty, framing != .none else { return }
    guard framing == .chunks else { return try write(piece) }
    try write(Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8))
  }

  func writeEnd(framing: Framing) throws {
    if framing == .chunks { try write(Data("0\r\n\r\n".utf8)) }
  }

  private func write(_ data: Data) throws { try stream.write(data, stall: limits.stallTime) }

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
