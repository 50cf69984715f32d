#if os(Linux)
  import Foundation
  import TenonTesting
  import TenonTransport
  import TenonTransportInterop
  import Testing

  /// Responses that no correct server sends. Each must end in a response or a typed error, never in a crash or a hang.
  @Suite(.timeLimit(.minutes(5)))
  struct HostileServerTests {
    let transport = CurlTransport()

    /// What the client makes of the bytes of a server.
    enum Outcome: Equatable, Sendable, CustomStringConvertible {
      case response(Int, String)
      case error(TransportError.Code, TransportError.Limit? = nil)

      var description: String {
        switch self {
        case .response(let status, let body): "response \(status) \(body.prefix(40).debugDescription)"
        case .error(let code, let limit): "error \(code.rawValue) \(limit?.rawValue ?? "")"
        }
      }
    }

    /// Returns the outcome of a request to a server that sends some bytes and closes the connection.
    private func outcome(
      _ bytes: Data, _ method: HTTPMethod = .get, streaming: Bool = false
    ) async throws -> Outcome {
      let server = try RawServer { connection in
        guard connection.readHead() != nil else { return }
        connection.write(bytes)
      }
      defer { server.stop() }
      let request = HTTPRequest(method, server.url("/"), deadline: .seconds(20))
      do {
        guard streaming else {
          let response = try await transport.send(request)
          return .response(response.status, String(decoding: response.body, as: UTF8.self))
        }
        let response = try await transport.stream(request)
        var body = Data()
        for try await chunk in response.body { body += chunk }
        return .response(response.status, String(decoding: body, as: UTF8.self))
      } catch let error as TransportError {
        return .error(error.code, error.limit)
      }
    }

    private func outcome(
      _ text: String, _ method: HTTPMethod = .get, streaming: Bool = false
    ) async throws -> Outcome {
      try await outcome(Data(text.utf8), method, streaming: streaming)
    }

    // MARK: - Cuts

    /// On most of these, `URLSession` of Linux ends the process. Only the last byte, a line feed behind everything else, may be
    /// missing.
    @Test(arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Any: value\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=\"b\"\r\nhel\r\n2\r\nlo\r\n0\r\nX-Trailer: a\r\nX-Other: b\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    ])
    func cutAtAnyByteIsALostConnection(_ whole: String) async throws {
      #expect(try await outcome(whole) == .response(200, "hello"))
      for count in 0..<(whole.utf8.count - 1) {
        for streaming in [false, true] {
          let found = try await outcome(Data(whole.utf8.prefix(count)), streaming: streaming)
          #expect(
            found == .error(.connectionLost),
            "\(count) bytes, \(streaming)")
        }
      }
    }

    @Test(arguments: [0, 1, 17, 40, 60])
    func resetIsALostConnection(_ count: Int) async throws {
      let whole = "HTTP/1.1 200 OK\r\nContent-Length: 50\r\nX-Any: value\r\n\r\nhello"
      let server = try RawServer { connection in
        _ = connection.readHead()
        connection.write(Data(whole.utf8.prefix(count)))
        connection.resetWhenClosed()
      }
      await expect(.connectionLost) { try await transport.send(HTTPRequest(.get, server.url("/"))) }
    }

    // MARK: - Heads

    @Test(arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
      "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nContent-Length: 5.0\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX Y: z\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX-Y : z\r\n\r\n",
      "HTTP/1.1 200 OK\r\n: z\r\n\r\n",
      "HTTP/1.1 200 OK\r\n folded\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX: a\u{1B}[0m\r\n\r\n",
      "HTTP/1.1 600 Much\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: any\r\n\r\n",
      "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 OK\r\n\r\n", "HTTP/7.0 200 OK\r\n\r\n",
      "HTTP/1.1200 OK\r\n\r\n", "ICY 200 OK\r\n\r\n", "hello", "\r\n\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
    ])
    func malformedHeadIsAnInvalidResponse(_ text: String) async throws {
      #expect(try await outcome(text) == .error(.invalidResponse))
      #expect(try await outcome(text, streaming: true) == .error(.invalidResponse))
    }

    @Test(arguments: [
      ("HTTP/1.0 200 OK\r\n\r\nhello", "hello"),
      ("HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", "hello"),
      ("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", "hello"),
      ("HTTP/1.1 200 OK\r\nX-Folded: a\r\n b\r\nContent-Length: 5\r\n\r\nhello", "hello"),
      ("HTTP/1.1 200 OK\r\nX-Latin: \u{e9}\r\nContent-Length: 5\r\n\r\nhello", "hello"),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Trailer: a\r\n\r\n",
        "hello"
      ),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;name=value\r\nhello\r\n0;a\r\n\r\n", "hello"),
      ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"),
      (
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "hello"
      ),
    ])
    func unusualResponseIsAResponse(_ text: String, _ body: String) async throws {
      #expect(try await outcome(text) == .response(200, body))
      #expect(try await outcome(text, streaming: true) == .response(200, body))
    }

    @Test func bytesThatAreNotTextAreReplacedInFields() async throws {
      let server = try RawServer { connection in
        _ = connection.readHead()
        connection.write(
          Data("HTTP/1.1 200 OK\r\nX-Any: ".utf8) + Data([0xFF, 0xFE, 0xC0])
            + Data("\r\nContent-Length: 0\r\n\r\n".utf8))
      }
      let response = try await transport.send(HTTPRequest(.get, server.url("/")))
      #expect(response.headers["X-Any"] == "\u{FFFD}\u{FFFD}\u{FFFD}")
    }

    @Test(arguments: [(HTTPMethod.head, 200), (.get, 204), (.get, 304)])
    func bodyThatMustNotBeThereIsIgnored(_ method: HTTPMethod, _ status: Int) async throws {
      let text = "HTTP/1.1 \(status) Any\r\nContent-Length: 5\r\nContent-Encoding: gzip\r\n\r\nhello"
      #expect(try await outcome(text, method) == .response(status, ""))
    }

    @Test func challengeIsAResponse() async throws {
      let text =
        "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"a\", Negotiate, Bearer\r\nContent-Length: 2\r\n\r\nno"
      #expect(try await outcome(text) == .response(401, "no"))
    }

    // MARK: - Chunks

    @Test(arguments: ["zz", "-5", "0x5", "", "FFFFFFFFFFFFFFFFFFFF"])
    func malformedChunkSizeIsAnError(_ size: String) async throws {
      let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nhello\r\n0\r\n\r\n"
      guard case .error(let code, nil) = try await outcome(text) else {
        Issue.record("\(size) was accepted")
        return
      }
      #expect([TransportError.Code.invalidResponse, .connectionLost].contains(code))
    }

    // MARK: - Limits

    @Test(arguments: [false, true])
    func endlessPartIsALimit(streaming: Bool) async throws {
      let start = "HTTP/1.1 200 OK\r\n"
      let line = "X-\(String(repeating: "a", count: 20_000)): b\r\n"
      let fields = (0..<1_000).map { "X-\($0): b\r\n" }.joined()
      let large = (0..<30).map { "X-\($0): \(String(repeating: "b", count: 10_000))\r\n" }.joined()
      let interim = String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 40)
      let chunked = start + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
      for (text, limit) in [
        (start + line, TransportError.Limit.headerLineBytes), (start + fields, .headerCount),
        (start + large, .headerBytes), (interim, .interimResponses), (chunked + fields + "\r\n", .trailers),
        (chunked + large + "\r\n", .trailers), (chunked + line + "\r\n", .trailers),
      ] {
        let found = try await outcome(text, streaming: streaming)
        #expect(found == .error(.invalidResponse, limit), "\(limit.rawValue) \(text.count)")
      }
    }

    @Test(arguments: [
      "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000\r\n",
    ])
    func endlessBodyIsALimit(_ head: String) async throws {
      let server = try RawServer { connection in
        _ = connection.readHead()
        connection.write(head)
        while connection.write(Data(count: 1 << 16)) {}
      }
      var request = HTTPRequest(.get, server.url("/"))
      request.limits.bodyBytes = 4 << 20
      let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
      #expect(error?.limit == .bodyBytes)
    }

    @Test func redirectsAreLimited() async throws {
      let server = try LoopbackServer { _ in [.redirect(302, to: "/again")] }
      var request = HTTPRequest(.get, server.url("/"))
      request.limits.redirects = 3
      let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
      #expect(error?.limit == .redirects)
      #expect(server.requests.count == 4)
    }

    // MARK: - Content codings

    /// 64 KiB of zeros.
    private static let zeros = Data(
      base64Encoded:
        "H4sIAAAAAAACA+3BAQEAAACAkP6v7ggKAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAauuOl9cAAAEA"
    )!
    /// `hello hello hello hello`
    private static let hello = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAJwHjUT2NFwAAAA==")!
    private static let deflated = Data(base64Encoded: "eNrLSM3JyVfIQCcBaAMIsQ==")!

    private static func coded(_ coding: String, _ body: Data) -> Data {
      Data("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
        + body
    }

    @Test func bodiesAreDecompressed() async throws {
      let text = Outcome.response(200, "hello hello hello hello")
      #expect(try await outcome(Self.coded("gzip", Self.hello)) == text)
      #expect(try await outcome(Self.coded("X-GZIP", Self.hello)) == text)
      #expect(try await outcome(Self.coded("deflate", Self.deflated)) == text)
      #expect(try await outcome(Self.coded("gzip", Self.hello), streaming: true) == text)
      #expect(
        try await outcome(Self.coded("gzip", Self.hello + Self.hello + Data(count: 8)))
          == .response(200, String(repeating: "hello hello hello hello", count: 2)))
      #expect(try await outcome(Self.coded("gzip", Data())) == .response(200, ""))
      #expect(try await outcome(Self.coded("identity", Data("x".utf8))) == .response(200, "x"))
    }

    @Test(arguments: [false, true])
    func damagedCodingIsAnInvalidResponse(streaming: Bool) async throws {
      for count in 1..<Self.hello.count {
        let found = try await outcome(Self.coded("gzip", Self.hello.prefix(count)), streaming: streaming)
        #expect(found == .error(.invalidResponse), "\(count)")
      }
      var flipped = Self.hello
      flipped[flipped.count - 5] ^= 1
      for body in [flipped, Self.hello + Data("garbage".utf8)] {
        #expect(try await outcome(Self.coded("gzip", body), streaming: streaming) == .error(.invalidResponse))
      }
      for coding in ["br", "zstd", "compress", "gzip, gzip", "x-any"] {
        #expect(
          try await outcome(Self.coded(coding, Self.hello), streaming: streaming) == .error(.invalidResponse))
      }
    }

    @Test(arguments: [false, true])
    func bombIsALimit(streaming: Bool) async throws {
      let bomb = Data((0..<10_000).flatMap { _ in Self.zeros })
      #expect(
        try await outcome(Self.coded("gzip", bomb), streaming: streaming)
          == .error(.invalidResponse, .decompressionRatio))
    }

    @Test func decompressedBodyIsLimited() async throws {
      let body = Self.coded("gzip", Data((0..<20).flatMap { _ in Self.zeros }))
      let server = try RawServer { connection in
        _ = connection.readHead()
        connection.write(body)
      }
      var request = HTTPRequest(.get, server.url("/"))
      request.limits.decompressionRatio = 2_000
      request.limits.bodyBytes = 20 * 65_536
      #expect(try await transport.send(request).body.count == 20 * 65_536)
      request.limits.bodyBytes -= 1
      let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
      #expect(error?.limit == .bodyBytes)
    }

    // MARK: - Order

    @Test func secondResponseIsNotTheAnswerToTheNextRequest() async throws {
      let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
      let server = try RawServer { connection in
        while connection.readHead() != nil {
          connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood" + evil)
        }
      }
      for _ in 0..<10 {
        #expect(try await transport.send(HTTPRequest(.get, server.url("/"))).body == Data("good".utf8))
      }
    }

    @Test func responseBeforeTheRequestIsReadIsAResponse() async throws {
      let server = try RawServer { connection in
        connection.write("HTTP/1.1 413 Too large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
        connection.drain()
      }
      let request = HTTPRequest(
        .put, server.url("/"), body: .data(Data(count: 8 << 20)), deadline: .seconds(20))
      #expect(try await transport.send(request).status == 413)
    }
  }
#endif
