import TenonFoundation

/// An error response to a request.
struct HTTPFailure: Error, Sendable {
  let status: Int
  /// A sentence for the reader of the response.
  let message: String

  init(_ status: Int, _ message: String) {
    self.status = status
    self.message = message
  }
}

/// The request line and the header fields (RFC 9112, sections 3 and 5).
struct RequestHead: Sendable {
  /// How the length of the content is indicated.
  enum Framing: Sendable, Hashable {
    case length(Int64)
    case chunked
  }

  let method: String
  /// The path with the query, as the client wrote it.
  let target: String
  let authority: Authority
  let fields: [(name: String, value: String)]
  let framing: Framing
  /// Whether the connection can be used for another request.
  let isPersistent: Bool
  /// Whether the client supports HTTP/1.1 and therefore chunks.
  let readsChunks: Bool

  /// The head in the one form that every parser reads in the same way, without what concerns only the
  /// connection.
  var canonical: String {
    var text = "\(method) \(target) HTTP/1.1\r\n"
    for (name, value) in fields where !Self.ofConnection.contains(name.lowercased()) {
      text += "\(name): \(value)\r\n"
    }
    switch framing {
    case .length(0): break
    case .length(let length): text += "Content-Length: \(length)\r\n"
    case .chunked: text += "Transfer-Encoding: chunked\r\n"
    }
    return text + "\r\n"
  }

  /// The fields that concern the connection and the framing (RFC 9110, section 7.6.1).
  private static let ofConnection: Set<String> = [
    "connection", "content-length", "http2-settings", "keep-alive", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade",
  ]

  /// Returns the first value of a field.
  subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// Creates the head of a request of HTTP/2, which has no framing.
  init(method: String, target: String, authority: Authority, fields: [(name: String, value: String)]) {
    self.method = method
    self.target = target
    self.authority = authority
    self.fields = fields
    (framing, isPersistent, readsChunks) = (.length(0), true, true)
  }

  /// - Parameter bytes: all bytes before the empty line.
  init(_ bytes: Data) throws(HTTPFailure) {
    // Split by bytes, because CR and LF are one `Character`.
    var lines = try bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map {
      line throws(HTTPFailure) in
      guard let text = String(validating: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self) else {
        throw HTTPFailure(400, "The head of the request isn't UTF-8.")
      }
      return text[...]
    }
    guard !lines.isEmpty else { throw HTTPFailure(400, "The request line is missing.") }
    let parts = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, Self.isToken(parts[0]), parts[2].hasPrefix("HTTP/") else {
      throw HTTPFailure(400, "The request line isn't one of HTTP/1.1.")
    }
    guard ["HTTP/1.1", "HTTP/1.0"].contains(parts[2]) else {
      throw HTTPFailure(505, "The server speaks HTTP/1.1.")
    }
    let isNew = parts[2] == "HTTP/1.1"
    method = String(parts[0])
    fields = try lines.map { line throws(HTTPFailure) in try Self.field(line) }
    readsChunks = isNew
    let tokens = Self.tokens(of: "connection", in: fields)
    isPersistent = isNew ? !tokens.contains("close") : tokens.contains("keep-alive")
    framing = try Self.framing(fields)
    (target, authority) = try Self.target(parts[1], fields)
  }

  private static func field(_ line: Substring) throws(HTTPFailure) -> (name: String, value: String) {
    guard let colon = line.firstIndex(of: ":"), isToken(line[..<colon]) else {
      throw HTTPFailure(400, "A header field isn't a name with a value.")
    }
    let isBlank = { (letter: Character) in letter == " " || letter == "\t" }
    var value = line[line.index(after: colon)...].drop(while: isBlank)
    while value.last.map(isBlank) == true { value.removeLast() }
    guard value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) else {
      throw HTTPFailure(400, "A header field has a control character.")
    }
    return (String(line[..<colon]), String(value))
  }

  private static func framing(_ fields: [(name: String, value: String)]) throws(HTTPFailure) -> Framing {
    let lengths = Set(fields.filter { $0.name.lowercased() == "content-length" }.map(\.value))
    let codings = tokens(of: "transfer-encoding", in: fields)
    guard codings.isEmpty else {
      guard lengths.isEmpty else {
        throw HTTPFailure(400, "Content-Length and Transfer-Encoding exclude each other.")
      }
      guard codings == ["chunked"] else { throw HTTPFailure(501, "The only transfer coding is chunked.") }
      return .chunked
    }
    guard let text = lengths.first else { return .length(0) }
    let isNumber =
      !text.isEmpty && text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
    guard lengths.count == 1, isNumber else { throw HTTPFailure(400, "Content-Length isn't a number.") }
    guard let length = Int64(text) else { throw HTTPFailure(413, "The content is too large.") }
    return .length(length)
  }

  /// Returns the path and the host, also from the absolute form (RFC 9112, section 3.2).
  private static func target(
    _ text: Substring, _ fields: [(name: String, value: String)]
  ) throws(HTTPFailure) -> (String, Authority) {
    let hosts = fields.filter { $0.name.lowercased() == "host" }.map(\.value)
    guard hosts.count == 1 else { throw HTTPFailure(400, "A request must have exactly one Host field.") }
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw HTTPFailure(400, "The request's target isn't a URL.")
    }
    var (path, host) = (text, hosts[0])
    if text.lowercased().hasPrefix("http://") {
      let rest = text.dropFirst("http://".count)
      host = String(rest.prefix { !"/?#".contains($0) })
      path = rest.dropFirst(host.count)
      if path.isEmpty { path = "/" }
    }
    guard let authority = Authority(host) else {
      throw HTTPFailure(400, "The host isn't a name with a port.")
    }
    guard path.hasPrefix("/") || path == "*" else {
      throw HTTPFailure(400, "The request's target isn't a URL.")
    }
    return (String(path), authority)
  }

  private static func tokens(of name: String, in fields: [(name: String, value: String)]) -> [String] {
    fields.filter { $0.name.lowercased() == name }.flatMap { field in
      field.value.split { $0 == "," || $0 == " " || $0 == "\t" }.map { $0.lowercased() }
    }
  }

  private static func isToken(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        Character(Unicode.Scalar(byte)).isLetter && byte < 0x80
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || tokenMarks.contains(byte)
      }
  }

  private static let tokenMarks = Set("!#$%&'*+-.^_`|~".utf8)
}
