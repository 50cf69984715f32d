#if os(Linux)
  import TenonHTTP
  import TenonTransportInterop

  /// Reads the head of a response from its lines (RFC 9112, sections 4 and 5), and the trailer fields behind the body, within
  /// the limits of the request.
  ///
  /// Interim responses (RFC 9110, section 15.2) precede the response; only their number matters. libcurl would accept several
  /// things that can make two recipients disagree about where a response ends (RFC 9112, section 11.2), and that are refused
  /// here: both a length and a transfer coding, several lengths, lengths that aren't numbers.
  struct ResponseHeadReader {
    /// The limits on the head.
    private let limits: HTTPLimits
    /// The host, for error messages.
    private let host: String
    /// The status; `nil` before the status line.
    private var status: Int?
    /// The header fields so far.
    private var fields: [HTTPField] = []
    /// The size of the head, or of the trailer fields.
    private var bytes = 0
    /// The number of interim responses.
    private var interimResponses = 0
    /// The number of trailer fields.
    private var trailers = 0
    /// Whether the empty line behind the header fields has been read.
    private(set) var isComplete = false
    /// The size of the body; `nil` if the head doesn't state it.
    private(set) var contentLength: Int64?

    init(_ limits: HTTPLimits, host: String) {
      self.limits = limits
      self.host = host
    }

    /// Reads a line.
    ///
    /// - Parameter line: the line with its end.
    /// - Returns: the head, if this was its last line and it isn't an interim response.
    /// - Throws: `TransportError` with `invalidResponse`.
    mutating func read(_ line: UnsafeRawBufferPointer) throws(TransportError) -> ResponseHead? {
      var line = line[...]
      let size = line.count
      if line.last == UInt8(ascii: "\n") { line.removeLast() }
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      guard size <= limits.headerLineBytes else {
        throw exceeded(
          isComplete ? .trailers : .headerLineBytes,
          "has a header line of more than \(limits.headerLineBytes) bytes")
      }
      bytes += size
      guard bytes <= limits.headerBytes else {
        throw exceeded(
          isComplete ? .trailers : .headerBytes, "has header fields of more than \(limits.headerBytes) bytes")
      }
      guard line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
        throw violation("has control characters in a header line")
      }
      guard !isComplete else { return try readTrailer(line) }
      guard status != nil else {
        try readStatus(line)
        return nil
      }
      guard line.isEmpty else {
        try readField(line)
        return nil
      }
      return try complete()
    }

    /// Reads a status line: `HTTP/1.1 200 OK`, or `HTTP/2 200`.
    private mutating func readStatus(_ line: Slice<UnsafeRawBufferPointer>) throws(TransportError) {
      let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: true)
      guard parts.count >= 2, parts[0].starts(with: "HTTP/".utf8), parts[1].count == 3,
        let status = Int(String(decoding: parts[1], as: UTF8.self)), (100...599).contains(status)
      else { throw violation("has no valid status line") }
      self.status = status
    }

    /// Reads a header field, or a line that continues one (RFC 9112, section 5.2).
    private mutating func readField(_ line: Slice<UnsafeRawBufferPointer>) throws(TransportError) {
      let value: Slice<UnsafeRawBufferPointer>
      if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
        guard let last = fields.indices.last else { throw violation("begins with a continued header line") }
        fields[last].value += " " + Self.trimmed(line)
        return
      }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
        throw violation("has a header line without a colon")
      }
      value = line[line.index(after: colon)...]
      let field = HTTPField(name: String(decoding: line[..<colon], as: UTF8.self), value: Self.trimmed(value))
      guard field.isValid else { throw violation("has a header field with an invalid name") }
      guard fields.count < limits.headerCount else {
        throw exceeded(.headerCount, "has more than \(limits.headerCount) header fields")
      }
      fields.append(field)
    }

    /// Counts a trailer field. Trailer fields are not part of the response's value.
    private mutating func readTrailer(_ line: Slice<UnsafeRawBufferPointer>) throws(TransportError)
      -> ResponseHead?
    {
      if !line.isEmpty { trailers += 1 }
      guard trailers <= limits.headerCount else {
        throw exceeded(.trailers, "has more than \(limits.headerCount) trailer fields")
      }
      return nil
    }

    /// Ends the head.
    ///
    /// - Returns: `nil` if it is that of an interim response.
    private mutating func complete() throws(TransportError) -> ResponseHead? {
      guard let status else { return nil }
      defer {
        self.status = nil
        fields = []
      }
      guard status >= 200 else {
        guard status != 101 else { throw violation("switches to another protocol, which wasn't requested") }
        interimResponses += 1
        guard interimResponses <= limits.interimResponses else {
          throw exceeded(
            .interimResponses, "is preceded by more than \(limits.interimResponses) interim responses")
        }
        bytes = 0
        return nil
      }
      let head = ResponseHead(status: status, headers: HTTPHeaders(fields))
      try checkLength(of: head)
      isComplete = true
      bytes = 0
      return head
    }

    /// Checks that the head states the length of the body at most once (RFC 9112, section 6.3).
    private mutating func checkLength(of head: ResponseHead) throws(TransportError) {
      let lengths = head.headers.values(of: "Content-Length")
      guard let text = lengths.first else { return }
      guard lengths.count == 1 else { throw violation("has several fields Content-Length") }
      guard head.headers["Transfer-Encoding"] == nil else {
        throw violation("has both Content-Length and Transfer-Encoding")
      }
      guard !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
        let length = Int64(text)
      else { throw violation("has a Content-Length that isn't a size") }
      contentLength = length
    }

    /// Returns text without leading and trailing white space. Bytes that aren't UTF-8 are replaced.
    private static func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> String {
      var text = text.drop { $0 == 0x20 || $0 == 0x09 }
      while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
      return String(decoding: text, as: UTF8.self)
    }

    private func violation(_ text: String) -> TransportError {
      TransportError(.invalidResponse, "The response of \(host) \(text).")
    }

    private func exceeded(_ limit: TransportError.Limit, _ text: String) -> TransportError {
      TransportError(.invalidResponse, "The response of \(host) \(text).", limit: limit)
    }
  }
#endif
