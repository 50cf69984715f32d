#if os(Linux)
  import TenonHTTP
  import TenonJSON
  import TenonTransportInterop

  /// Reads the head of a response from its lines (RFC 9112, sections 4 and 5), and the trailer fields behind
  /// the body, within the limits of the request.
  ///
  /// Interim responses (RFC 9110, section 15.2) precede the response; only their number matters. libcurl
  /// would accept several things that can make two recipients disagree about where a response ends (RFC 9112,
  /// section 11.2), and that are refused here: both a length and a transfer coding, several lengths, lengths
  /// that aren't numbers.
  ///
  /// A ``CurlTransfer`` owns the reader and passes each line to it once, on the engine's thread. After an
  /// error, it must not be used. A head takes time and memory in proportion to its size, which the limits
  /// bound.
  struct ResponseHeadReader {
    /// The limits on the head.
    private let limits: HTTPLimits
    /// The host, for error messages.
    private let host: String
    /// The status of the response that is being read; `nil` before its status line.
    private var status: Int?
    /// The header fields so far; empty again after each head.
    private var fields: [HTTPHeader] = []
    /// The size of the head so far in bytes, or of the trailer fields. It restarts after an interim response
    /// and after the head.
    private var bytes = 0
    /// The number of interim responses that have been read.
    private var interimResponses = 0
    /// The number of trailer fields that have been read.
    private var trailers = 0
    /// Whether the empty line behind the header fields has been read. Lines that follow it are trailer
    /// fields.
    private(set) var isComplete = false
    /// The size of the body in bytes; `nil` if the head doesn't state it. In response to HEAD, it is the size
    /// that a GET would have.
    private(set) var contentLength: Int64?
    /// Whether the end of the connection ends the body, because the head states neither a length nor a
    /// transfer coding and isn't that of HTTP/2 (RFC 9112, section 6.3). Responses to HEAD and others that
    /// never have a body aren't excluded.
    private(set) var endsWithConnection = false
    /// Whether the version of the status line is 1.0 or 1.1.
    private var isVersion1 = false

    /// Creates a reader before the first status line.
    ///
    /// - Parameters:
    ///   - limits: the limits of the request.
    ///   - host: the host, for error messages.
    init(_ limits: HTTPLimits, host: String) {
      self.limits = limits
      self.host = host
    }

    /// Reads a line: a status line, a header field, the empty line behind the fields, or a trailer field,
    /// depending on what has been read.
    ///
    /// A line may end with CRLF or with LF alone (RFC 9112, section 2.2). Other control characters, except
    /// tabs, are refused in all lines.
    ///
    /// - Parameter line: the line with its end.
    /// - Returns: the head, if this was its last line and it isn't an interim response.
    /// - Throws: `TransportError` with `invalidResponse` if the line violates HTTP, or, with the limit, if it
    ///   exceeds one. Messages don't quote the line.
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

    /// Reads a status line: `HTTP/1.1 200 OK`, or `HTTP/2 200`. The version and the reason are ignored.
    ///
    /// - Parameter line: the line without its end.
    /// - Throws: `TransportError` with `invalidResponse` if the line doesn't begin with `HTTP/`, or if the
    ///   status isn't a number from 100 to 599 with three digits (RFC 9110, section 15).
    private mutating func readStatus(_ line: Slice<UnsafeRawBufferPointer>) throws(TransportError) {
      let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: true)
      guard parts.count >= 2, parts[0].starts(with: "HTTP/".utf8), parts[1].count == 3,
        let status = Int(decimal: String(decoding: parts[1], as: UTF8.self)), (100...599).contains(status)
      else { throw violation("has no valid status line") }
      self.status = status
      isVersion1 = parts[0].starts(with: "HTTP/1.".utf8)
    }

    /// Reads a header field, or a line that continues one (RFC 9112, section 5.2), which is joined to it by a
    /// space.
    ///
    /// - Parameter line: the line without its end. White space before the colon makes the name invalid
    ///   (section 5.1).
    /// - Throws: `TransportError` with `invalidResponse` if there is no colon, if the name isn't a token, if
    ///   there is no field to continue, or, with the limit `headerCount`, if there are too many fields.
    private mutating func readField(_ line: Slice<UnsafeRawBufferPointer>) throws(TransportError) {
      let value: Slice<UnsafeRawBufferPointer>
      if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
        guard let last = fields.indices.last else { throw violation("begins with a continued header line") }
        // Checked: the index of the last field.
        fields[last].value += " " + Self.trimmed(line)
        return
      }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
        throw violation("has a header line without a colon")
      }
      value = line[line.index(after: colon)...]
      let field = HTTPHeader(
        name: String(decoding: line[..<colon], as: UTF8.self), value: Self.trimmed(value))
      guard field.isValid else { throw violation("has a header field with an invalid name") }
      guard fields.count < limits.headerCount else {
        throw exceeded(.headerCount, "has more than \(limits.headerCount) header fields")
      }
      fields.append(field)
    }

    /// Counts a trailer field. Trailer fields aren't part of the response's value.
    ///
    /// - Parameter line: the line without its end. An empty one isn't counted.
    /// - Returns: `nil`.
    /// - Throws: `TransportError` with `invalidResponse` and the limit `trailers` if there are too many.
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
    /// - Returns: the head; `nil` if it is that of an interim response, after which another status line
    ///   follows.
    /// - Throws: `TransportError` with `invalidResponse` if the server switches to another protocol (101), if
    ///   the length of the body is ambiguous, or, with the limit `interimResponses`, if there are too many of
    ///   them.
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
      endsWithConnection = isVersion1 && contentLength == nil && head.headers["Transfer-Encoding"] == nil
      isComplete = true
      bytes = 0
      return head
    }

    /// Checks that the head states the length of the body at most once (RFC 9112, section 6.3), and sets
    /// ``contentLength``.
    ///
    /// Recipients that resolve an ambiguous length differently take different parts of the connection for the
    /// next response. Repeated equal lengths, which a recipient may accept (RFC 9110, section 8.6), are
    /// refused as well.
    ///
    /// - Parameter head: the complete head.
    /// - Throws: `TransportError` with `invalidResponse`, also for a length that isn't a decimal number of 63
    ///   bits.
    private mutating func checkLength(of head: ResponseHead) throws(TransportError) {
      let lengths = head.headers.values(of: "Content-Length")
      guard let text = lengths.first else { return }
      guard lengths.count == 1 else { throw violation("has several Content-Length fields") }
      guard head.headers["Transfer-Encoding"] == nil else {
        throw violation("has both Content-Length and Transfer-Encoding")
      }
      guard !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
        let length = Int64(decimal: text)
      else { throw violation("has a Content-Length that isn't a size") }
      contentLength = length
    }

    /// Returns text without leading and trailing spaces and tabs (RFC 9112, section 5.1). Bytes that aren't
    /// UTF-8 are replaced by U+FFFD.
    private static func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> String {
      var text = text.drop { $0 == 0x20 || $0 == 0x09 }
      while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
      return String(decoding: text, as: UTF8.self)
    }

    /// Returns the error of a response that violates HTTP.
    ///
    /// - Parameter text: the end of a sentence whose subject is the response.
    private func violation(_ text: String) -> TransportError {
      TransportError(.invalidResponse, "The response of \(host) \(text).")
    }

    /// Returns the error of a response that exceeds a limit.
    ///
    /// - Parameters:
    ///   - limit: the limit, which becomes a property of the error.
    ///   - text: the end of a sentence whose subject is the response.
    private func exceeded(_ limit: TransportError.Limit, _ text: String) -> TransportError {
      TransportError(.invalidResponse, "The response of \(host) \(text).", limit: limit)
    }
  }
#endif
