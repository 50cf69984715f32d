#if os(Linux)
  import TenonHTTP
  import TenonTestSupport
  import TenonTransportInterop
  import Testing

  @testable import TenonTransport

  @Suite(.limited) struct ResponseHeadReaderTests {
    /// A response before its body, and the trailer fields behind the body.
    private struct Lines {
      private var reader: ResponseHeadReader
      var head: ResponseHead?

      init(_ limits: HTTPLimits) { reader = ResponseHeadReader(limits, host: "example.com") }

      /// The size of the body.
      var contentLength: Int64? { reader.contentLength }

      /// Reads lines, and an empty one behind them.
      mutating func read(_ lines: [String]) throws(TransportError) {
        for line in lines + [""] {
          let bytes = Array("\(line)\r\n".utf8)
          let result: Result<ResponseHead?, TransportError> = bytes.withUnsafeBytes { bytes in
            do throws(TransportError) { return .success(try reader.read(bytes)) } catch {
              return .failure(error)
            }
          }
          if let head = try result.get() { self.head = head }
        }
      }

      /// Reads a status line and header fields of a number of bytes in all, with the ends of the lines and
      /// the empty one.
      mutating func read(_ status: Int, bytes: Int) throws(TransportError) {
        let line = "HTTP/1.1 \(status) OK"
        // Checked: the line ends, the empty line, and the name take 9 bytes.
        try read([line, "X: " + String(repeating: "x", count: bytes - line.utf8.count - 9)])
      }
    }

    @Test func eachHeadMayHaveTheWholeLimitOfBytes() throws {
      var lines = Lines(HTTPLimits(headerBytes: 100))
      for status in [100, 103, 103] { try lines.read(status, bytes: 100) }
      #expect(lines.head == nil)
      try lines.read(200, bytes: 100)
      #expect(lines.head?.status == 200)
      // Trailer fields have no status line.
      try lines.read(["X: " + String(repeating: "x", count: 93)])
    }

    @Test(arguments: [[101], [100, 101], [100, 100, 101]])
    func aHeadOfOneByteTooManyIsRefused(sizes: [Int]) {
      for isFinal in [true, false] {
        var lines = Lines(HTTPLimits(headerBytes: 100))
        let error = #expect(throws: TransportError.self) {
          for (index, size) in sizes.enumerated() {
            try lines.read(isFinal && index == sizes.count - 1 ? 200 : 103, bytes: size)
          }
        }
        #expect(error?.limit == .headerBytes)
      }
      var lines = Lines(HTTPLimits(headerBytes: 100))
      let error = #expect(throws: TransportError.self) {
        try lines.read(200, bytes: 100)
        try lines.read(["X: " + String(repeating: "x", count: 94)])
      }
      #expect(error?.limit == .trailers)
    }

    @Test func eachHeadMayHaveTheWholeLimitOfFields() throws {
      let fields = ["A: 1", "B: 2"]
      var lines = Lines(HTTPLimits(headerCount: 2))
      for status in [100, 103, 200] { try lines.read(["HTTP/1.1 \(status) OK"] + fields) }
      try lines.read(fields)
      #expect(lines.head?.headers.fields.map(\.name) == ["A", "B"])
      var more = Lines(HTTPLimits(headerCount: 2))
      try more.read(["HTTP/1.1 103 OK"] + fields)
      let error = #expect(throws: TransportError.self) {
        try more.read(["HTTP/1.1 200 OK"] + fields + ["C: 3"])
      }
      #expect(error?.limit == .headerCount)
    }

    @Test func interimResponsesAreCountedTogether() throws {
      var lines = Lines(HTTPLimits(interimResponses: 2))
      for _ in 0..<2 { try lines.read(["HTTP/1.1 103 Early Hints"]) }
      let error = #expect(throws: TransportError.self) { try lines.read(["HTTP/1.1 100 Continue"]) }
      #expect(error?.limit == .interimResponses)
    }

    @Test func fieldsOfAnInterimResponseAreNotThoseOfTheResponse() throws {
      var lines = Lines(HTTPLimits())
      try lines.read(["HTTP/1.1 103 Early Hints", "Content-Length: 5", "Transfer-Encoding: chunked", "A: 1"])
      try lines.read(["HTTP/1.1 200 OK", "Content-Length: 7"])
      #expect(
        lines.head
          == ResponseHead(status: 200, headers: HTTPHeaders([HTTPHeader(name: "Content-Length", value: "7")]))
      )
      #expect(lines.contentLength == 7)
    }
  }
#endif
