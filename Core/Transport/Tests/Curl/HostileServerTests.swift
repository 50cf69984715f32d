#if os(Linux)
  import Foundation
  import TenonTestSupport
  import TenonTransport
  import TenonTransportInterop
  import Testing

  /// Responses that no correct server sends. Each must end in a response or a typed error, never in a crash
  /// or a hang.
  @Suite(.limited)
  struct HostileServerTests {
    let transport = CurlTransport()

    /// What the client makes of the bytes of a server.
    enum Outcome: Equatable, Sendable, CustomStringConvertible {
      case response(Int, String)
      case error(TransportError.Code, TransportError.Limit? = nil, TransportError.Timeout? = nil)

      var description: String {
        switch self {
        case .response(let status, let body): "response \(status) \(body.prefix(40).debugDescription)"
        case .error(let code, let limit, let timeout):
          "error \(code.rawValue) \(limit?.rawValue ?? "") \(timeout?.rawValue ?? "")"
        }
      }

      /// Whether this is what a misbehavior must lead to.
      func matches(_ expected: Misbehavior.Outcome, _ correct: Misbehavior.Response) -> Bool {
        switch expected {
        case .correct: self == .response(correct.status, String(decoding: correct.body, as: UTF8.self))
        case .other(let status): if case .response(status, _) = self { true } else { false }
        case .error(let code, let limit): self == .error(code, limit)
        case .either(let first, let second): self == .error(first) || self == .error(second)
        case .deadline: self == .error(.timedOut, nil, .exchange)
        }
      }
    }

    /// Returns the outcome of a request to a server.
    ///
    /// - Parameters:
    ///   - deadline: the deadline of the exchange.
    ///   - url: the target.
    private func outcome(
      of url: URL, _ method: HTTPMethod = .get, streaming: Bool, deadline: Duration = .seconds(60)
    ) async throws -> Outcome {
      var request = TransportRequest(method, url, deadline: deadline)
      request.limits.bodyBytes = 4 << 20
      do {
        guard streaming else {
          let response = try await transport.send(request)
          return .response(response.status, String(decoding: response.body, as: UTF8.self))
        }
        let response = try await transport.stream(request)
        var body = Data()
        for try await chunk in response.body { body += chunk.prefix(max(0, (4 << 20) - body.count)) }
        return .response(response.status, String(decoding: body, as: UTF8.self))
      } catch let error as TransportError {
        return .error(error.code, error.limit, error.timeout)
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
      return try await outcome(of: server.url("/"), method, streaming: streaming)
    }

    private func outcome(
      _ text: String, _ method: HTTPMethod = .get, streaming: Bool = false
    ) async throws -> Outcome {
      try await outcome(Data(text.utf8), method, streaming: streaming)
    }

    // MARK: - The catalogue

    private static let correct = Misbehavior.Response(200, "{\"text\": \"hello\"}")

    @Test func catalogueHasDistinctNames() {
      let names = Misbehavior.all.map(\.name)
      #expect(Set(names).count == names.count && names.count >= 60)
    }

    @Test(arguments: Misbehavior.all, [false, true])
    func misbehaviorIsAResponseOrATypedError(_ misbehavior: Misbehavior, streaming: Bool) async throws {
      let server = try HostileServer { _ in Self.correct }
      defer { server.stop() }
      server.play(misbehavior)
      let expected = streaming ? misbehavior.expectedOfStream : misbehavior.expected
      var deadline = expected == .deadline ? Duration.milliseconds(100) : .seconds(60)
      var found: Outcome
      repeat {
        found = try await outcome(of: server.url("/"), streaming: streaming, deadline: deadline)
        deadline *= 2
        // A busy machine may not have accepted the connection by then.
      } while server.played == 0 && found.matches(.deadline, Self.correct)
      #expect(found.matches(expected, Self.correct), "\(found) instead of \(expected)")
      #expect(server.played > 0)
    }

    @Test(arguments: Misbehavior.Form.allCases, [false, true])
    func cutAtAnyByteIsALostConnection(_ form: Misbehavior.Form, streaming: Bool) async throws {
      let server = try HostileServer { _ in Self.correct }
      defer { server.stop() }
      for cut in Misbehavior.cuts(of: Self.correct, form) {
        server.play(cut)
        let found = try await outcome(of: server.url("/"), streaming: streaming)
        #expect(found.matches(cut.expected, Self.correct), "\(cut): \(found)")
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
      await expect(.connectionLost) { try await transport.send(TransportRequest(.get, server.url("/"))) }
    }

    // MARK: - Heads and bodies

    @Test func bytesThatAreNotTextAreReplacedInFields() async throws {
      let server = try RawServer { connection in
        _ = connection.readHead()
        connection.write(
          Data("HTTP/1.1 200 OK\r\nX-Any: ".utf8) + Data([0xFF, 0xFE, 0xC0])
            + Data("\r\nContent-Length: 0\r\n\r\n".utf8))
      }
      let response = try await transport.send(TransportRequest(.get, server.url("/")))
      #expect(response.headers["X-Any"] == "\u{FFFD}\u{FFFD}\u{FFFD}")
    }

    /// libcurl before 8.1.1 appends such a line to a field of the previous response of the same handle, which
    /// it has freed.
    @Test func headThatBeginsWithAContinuedLineDoesNotReachThePreviousResponse() async throws {
      let server = try HostileServer { _ in Self.correct }
      defer { server.stop() }
      let folded = try #require(
        Misbehavior.all.first { $0.name == "field-with-name-folded-at-the-beginning" })
      for _ in 0..<300 {
        server.play(nil)
        #expect(try await outcome(of: server.url("/"), streaming: false).matches(.correct, Self.correct))
        server.play(folded)
        #expect(try await outcome(of: server.url("/"), streaming: false) == .error(.invalidResponse))
      }
    }

    @Test(arguments: [(HTTPMethod.head, 200), (.get, 204), (.get, 304)])
    func bodyThatMustNotBeThereIsIgnored(_ method: HTTPMethod, _ status: Int) async throws {
      let text = "HTTP/1.1 \(status) Any\r\nContent-Length: 5\r\nContent-Encoding: gzip\r\n\r\nhello"
      #expect(try await outcome(text, method) == .response(status, ""))
    }

    // MARK: - Limits

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
      var request = TransportRequest(.get, server.url("/"))
      request.limits.bodyBytes = 4 << 20
      let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
      #expect(error?.limit == .bodyBytes)
    }

    @Test func redirectsAreLimited() async throws {
      let server = try LoopbackServer { _ in [.redirect(302, to: "/again")] }
      var request = TransportRequest(.get, server.url("/"))
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
    }

    @Test func decompressedBodyIsLimited() async throws {
      let body = Self.coded("gzip", Data((0..<20).flatMap { _ in Self.zeros }))
      let server = try RawServer { connection in
        _ = connection.readHead()
        connection.write(body)
      }
      var request = TransportRequest(.get, server.url("/"))
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
        #expect(try await transport.send(TransportRequest(.get, server.url("/"))).body == Data("good".utf8))
      }
    }

    @Test func responseBeforeTheRequestIsReadIsAResponse() async throws {
      let server = try RawServer { connection in
        connection.write("HTTP/1.1 413 Too large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
        connection.drain()
      }
      let request = TransportRequest(
        .put, server.url("/"), body: .data(Data(count: 8 << 20)), deadline: .seconds(20))
      #expect(try await transport.send(request).status == 413)
    }
  }
#endif
