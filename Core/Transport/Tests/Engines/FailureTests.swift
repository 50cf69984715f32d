import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@Suite(.limited)
struct FailureTests {
  @Test(arguments: Engine.allCases)
  func refusedConnectionIsUnreachable(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer.echo()
    let url = server.url("/")
    server.stop()
    await expect(.unreachable) { try await transport.send(TransportRequest(.get, url)) }
  }

  @Test(
    arguments: Engine.allCases,
    [
      "http://example.com/", "http://192.168.0.1/", "http://127.0.0.1.example.com/", "http://1270.0.0.1/",
    ])
  func plainHTTPOutsideLoopbackIsRefused(_ engine: Engine, _ url: String) async throws {
    let transport = engine.shared
    await expect(.invalidRequest) {
      try await transport.send(TransportRequest(.get, try #require(URL(string: url))))
    }
    await expect(.invalidRequest) {
      try await transport.stream(TransportRequest(.get, try #require(URL(string: url))))
    }
  }

  @Test(arguments: Engine.allCases, ["https://ex%C3%A4mple.invalid/", "https://a%20b/"])
  func percentEncodedHostIsRefused(_ engine: Engine, _ text: String) async throws {
    let url = try #require(URL(string: text))
    let error = await #expect(throws: TransportError.self) {
      try await engine.shared.send(TransportRequest(.get, url))
    }
    #expect(error?.code == .invalidRequest && error?.message.contains("in Punycode") == true)
  }

  @Test(
    arguments: Engine.allCases, ["ftp://127.0.0.1/", "/relative", "file:///etc/passwd", "https:///no-host"])
  func otherSchemesAreRefused(_ engine: Engine, _ url: String) async throws {
    let transport = engine.shared
    await expect(.invalidRequest) {
      try await transport.send(TransportRequest(.get, try #require(URL(string: url))))
    }
  }

  @Test(arguments: Engine.allCases)
  func getWithABodyIsRefused(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer.echo()
    await expect(.invalidRequest) {
      try await transport.send(TransportRequest(.get, server.url("/"), body: .data(Data([1]))))
    }
  }

  @Test(arguments: Engine.allCases, ["a\r\nX-Injected: 1", "a\nb", "a\0b"])
  func lineBreakInAFieldIsRefused(_ engine: Engine, _ value: String) async throws {
    let transport = engine.shared
    let server = try LoopbackServer.echo()
    let fields = HTTPHeaders([HTTPHeader(name: "X-Value", value: value)])
    await expect(.invalidRequest) {
      try await transport.send(TransportRequest(.get, server.url("/"), headers: fields))
    }
    #expect(server.requests.isEmpty)
  }

  @Test(
    arguments: Engine.allCases,
    [
      [LoopbackServer.Step.hangUp],
      [.truncated(promised: 100, sent: "part"), .hangUp],
      [.chunkedHead(), .chunk("part"), .hangUp],
    ])
  func truncatedResponseIsALostConnection(_ engine: Engine, _ steps: [LoopbackServer.Step]) async throws {
    let transport = engine.shared
    let server = try LoopbackServer { _ in steps }
    await expect(.connectionLost) {
      try await transport.send(TransportRequest(.post, server.url("/"), body: .data(Data([1]))))
    }
  }

  /// A repeated request would fail again.
  @Test(
    arguments: Engine.allCases,
    [
      [.answer(200, ["Content-Encoding": "gzip"], "plain")],
      [.answer(200, ["Content-Encoding": "deflate"], "\u{FFFD}\u{FFFD}plain")],
      [.answer(206, ["Content-Encoding": "x-unheard-of"], "plain")],
      [.answer(200, ["Content-Encoding": "gzip, gzip, gzip, gzip, gzip, gzip, gzip"], "plain")],
      [LoopbackServer.Step.chunkedHead(), .bytes(Data("zz\r\nplain\r\n".utf8)), .hangUp],
    ])
  func bodyThatCannotBeDecodedIsAnInvalidResponse(_ engine: Engine, _ steps: [LoopbackServer.Step])
    async throws
  {
    let transport = engine.shared
    let server = try LoopbackServer { _ in steps }
    let request = TransportRequest(.get, server.url("/"))
    await expect(.invalidResponse) {
      for try await _ in try await transport.stream(request).body {}
    }
    await expect(.invalidResponse) {
      try await HTTPClient(transport: transport).send(request, repeatable: true)
    }
    #expect(server.requests.count == 2)
  }

  /// Regardless of what the header fields state about the content.
  @Test(arguments: Engine.allCases)
  func truncatedCodedBodyIsALostConnection(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer { _ in
      let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n"
      return [.bytes(Data(head.utf8) + Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0])), .hangUp]
    }
    await expect(.connectionLost) { try await transport.send(TransportRequest(.get, server.url("/"))) }
  }

  @Test(arguments: Engine.allCases)
  func deadlineEndsTheCallAndTheConnection(_ engine: Engine) async throws {
    let transport = engine.shared
    let gate = ThreadGate()
    let server = try LoopbackServer { _ in [.wait(gate), .answer(200, "late")] }
    await expect(.timedOut) {
      try await transport.send(TransportRequest(.get, server.url("/"), deadline: .milliseconds(80)))
    }
    gate.open()
    await server.drained()
  }

  @Test(arguments: Engine.allCases)
  func deadlineCoversEveryRedirect(_ engine: Engine) async throws {
    let transport = engine.shared
    let gate = ThreadGate()
    defer { gate.open() }
    let server = try LoopbackServer { request in
      request.target == "/" ? [.redirect(302, to: "/again")] : [.wait(gate), .answer(200, "late")]
    }
    await expect(.timedOut) {
      try await transport.send(TransportRequest(.get, server.url("/"), deadline: .milliseconds(100)))
    }
  }

  @Test(arguments: Engine.allCases)
  func deadlineCoversTheBodyOfAStream(_ engine: Engine) async throws {
    let transport = engine.shared
    let gate = ThreadGate()
    defer { gate.open() }
    let server = try LoopbackServer { _ in [.chunkedHead(), .chunk("first"), .wait(gate)] }
    await expect(.timedOut) {
      let request = TransportRequest(.get, server.url("/"), deadline: .milliseconds(150))
      for try await _ in try await transport.stream(request).body {}
    }
  }
}
