import TenonFoundation

/// Reads the requests of one connection.
struct RequestReader {
  private(set) var stream: SocketStream
  private let limits: ServerLimits

  init(_ stream: SocketStream, limits: ServerLimits) {
    self.stream = stream
    self.limits = limits
  }

  /// Waits for the first byte of a request.
  ///
  /// - Returns: `false` if the peer closed the connection, or the time limit has passed.
  mutating func waitForRequest() -> Bool {
    guard stream.buffer.isEmpty else { return true }
    let deadline = SocketStream.now + limits.idleTime
    while stream.buffer.isEmpty {
      do { try stream.fill(until: deadline) } catch { return false }
    }
    return true
  }

  /// Reads the head of a request.
  mutating func head() throws -> RequestHead {
    let deadline = SocketStream.now + limits.headTime
    var searched = 0
    while true {
      // Empty lines before a request are ignored (RFC 9112, section 2.2).
      let blank = stream.buffer.prefix { $0 == 0x0D || $0 == 0x0A }.count
      if blank > 0 { (_, searched) = (stream.take(blank), 0) }
      if let end = Self.end(of: stream.buffer, from: searched) {
        guard end.head <= limits.headBytes else { throw Self.tooLarge }
        let head = try RequestHead(stream.take(end.message).prefix(end.head))
        guard head.fields.count <= limits.headFields else { throw Self.tooLarge }
        return head
      }
      guard stream.buffer.count <= limits.headBytes else { throw Self.tooLarge }
      searched = max(0, stream.buffer.count - 3)
      try timely { try $0.fill(until: deadline) }
    }
  }

  /// Reads the content that follows a head.
  mutating func content(of head: RequestHead, into content: inout RequestContent) throws {
    let began = SocketStream.now
    switch head.framing {
    case .length(let length):
      guard length <= limits.bodyBytes else { throw HTTPFailure(413, "The content is too large.") }
      try read(length, into: &content, since: began)
    case .chunked:
      while true {
        // The size may be followed by extensions, which are ignored (RFC 9112, section 7.1.1).
        let digits = try line(since: began).prefix { $0 != ";" && $0 != " " && $0 != "\t" }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
          throw HTTPFailure(400, "A chunk has no size.")
        }
        guard let size = Int64(digits, radix: 16), size <= limits.bodyBytes - content.count else {
          throw HTTPFailure(413, "The content is too large.")
        }
        guard size > 0 else { break }
        try read(size, into: &content, since: began)
        guard try line(since: began).isEmpty else { throw HTTPFailure(400, "A chunk doesn't end.") }
      }
      // Trailer fields are read and ignored.
      var rest = limits.headFields
      while try !line(since: began).isEmpty {
        rest -= 1
        guard rest > 0 else { throw Self.tooLarge }
      }
    }
  }

  private mutating func read(_ count: Int64, into content: inout RequestContent, since began: Int64) throws {
    var rest = count
    while rest > 0 {
      if stream.buffer.isEmpty { try fill(since: began, received: content.count) }
      let piece = stream.take(Int(min(rest, 1 << 20)))
      try content.append(piece)
      rest -= Int64(piece.count)
    }
  }

  /// Reads a line, without its end.
  private mutating func line(since began: Int64) throws -> String {
    while true {
      if let end = stream.buffer.firstIndex(of: 0x0A) {
        let line = stream.take(end - stream.buffer.startIndex + 1).dropLast()
        return String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
      }
      guard stream.buffer.count <= limits.headBytes else { throw Self.tooLarge }
      try fill(since: began, received: 0)
    }
  }

  /// Waits for more content: for a limited time per wait, and in total no longer than the slowest permitted
  /// client needs.
  private mutating func fill(since began: Int64, received: Int64) throws {
    let end = began + 60_000 + received / limits.slowestBody * 1_000
    try timely { [stall = limits.stallTime] in try $0.fill(until: min(SocketStream.now + stall, end)) }
  }

  private mutating func timely(_ body: (inout SocketStream) throws -> Void) throws {
    do { try body(&stream) } catch SocketStream.Interruption.timedOut {
      throw HTTPFailure(408, "The request took too long.")
    }
  }

  private static let tooLarge = HTTPFailure(431, "The head of the request is too large.")

  /// Returns the end of a head and the beginning of what follows it.
  private static func end(of bytes: Data, from offset: Int) -> (head: Int, message: Int)? {
    let start = bytes.startIndex
    var index = start + offset
    while let line = bytes[index...].firstIndex(of: 0x0A) {
      let next = bytes[(line + 1)...]
      if next.first == 0x0A { return (line - start, line - start + 2) }
      if next.starts(with: [0x0D, 0x0A]) { return (line - start, line - start + 3) }
      index = line + 1
    }
    return nil
  }
}
