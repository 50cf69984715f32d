import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@Suite(.limited)
struct RedirectTests {
  static let credentials = [
    "Authorization", "Cookie", "X-Firebase-AppCheck", "X-Firebase-Anything", "X-Goog-Api-Key",
    "Firebase-Instance-ID-Token",
  ]

  var fields: HTTPHeaders {
    HTTPHeaders((Self.credentials + ["X-Other"]).map { HTTPHeader(name: $0, value: "secret") })
  }

  @Test(arguments: Engine.allCases, [301, 302, 303, 307, 308].flatMap { [($0, false), ($0, true)] })
  func credentialsNeverReachAnotherOrigin(_ engine: Engine, _ kind: (status: Int, streaming: Bool))
    async throws
  {
    let transport = engine.shared
    let other = try LoopbackServer.echo()
    let target = other.url("/there").absoluteString
    let server = try LoopbackServer { _ in [.redirect(kind.status, to: target)] }
    let request = TransportRequest(.get, server.url("/"), headers: fields)
    if kind.streaming {
      for try await _ in try await transport.stream(request).body {}
    } else {
      _ = try await transport.send(request)
    }
    let arrived = try #require(other.requests.first)
    for name in Self.credentials { #expect(arrived.field(name) == nil, "\(name)") }
    #expect(arrived.field("X-Other") == "secret")
    #expect(server.requests.first?.field("Authorization") == "secret")
  }

  @Test(arguments: Engine.allCases)
  func anotherHostNameOfTheSameMachineIsAnotherOrigin(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer.echo()
    let start = try LoopbackServer { [port = server.port] _ in
      [.redirect(302, to: "http://localhost:\(port)/")]
    }
    _ = try await transport.send(TransportRequest(.get, start.url("/"), headers: fields))
    #expect(server.requests.first?.field("Authorization") == nil)
  }

  @Test(arguments: Engine.allCases)
  func credentialsStayWithinTheirOrigin(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer { request in
      request.target == "/" ? [.redirect(302, to: "/next")] : [.answer(200, "here")]
    }
    let response = try await transport.send(TransportRequest(.get, server.url("/"), headers: fields))
    #expect(response.body == Data("here".utf8))
    #expect(server.requests.last?.field("Authorization") == "secret")
  }

  @Test(arguments: Engine.allCases, [307, 308].flatMap { [($0, HTTPMethod.post), ($0, .put)] })
  func methodAndBodyAreRepeated(_ engine: Engine, _ kind: (status: Int, method: HTTPMethod)) async throws {
    let transport = engine.shared
    let server = try LoopbackServer { request in
      request.target == "/" ? [.redirect(kind.status, to: "/next")] : [.answer(200, request.body.asText)]
    }
    let response = try await transport.send(
      TransportRequest(kind.method, server.url("/"), body: .data(Data("payload".utf8)))
    )
    #expect(response.body == Data("payload".utf8))
    #expect(server.requests.map(\.method) == [kind.method.rawValue, kind.method.rawValue])
  }

  @Test(arguments: Engine.allCases)
  func fileIsRepeated(_ engine: Engine) async throws {
    let transport = engine.shared
    let file = FileManager.default.temporaryDirectory.appending(path: "tenon-\(UUID()).txt")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("from a file".utf8).write(to: file)
    let server = try LoopbackServer { request in
      request.target == "/" ? [.redirect(307, to: "/next")] : [.answer(200, request.body.asText)]
    }
    let response = try await transport.send(TransportRequest(.put, server.url("/"), body: .file(file)))
    #expect(response.body == Data("from a file".utf8))
  }

  @Test(
    arguments: Engine.allCases,
    [
      (301, HTTPMethod.post, "GET"), (302, .post, "GET"), (303, .post, "GET"), (303, .put, "GET"),
      (301, .put, "PUT"), (302, .delete, "DELETE"), (303, .head, "HEAD"),
    ])
  func methodFollowsTheStatus(_ engine: Engine, _ kind: (status: Int, method: HTTPMethod, expected: String))
    async throws
  {
    let transport = engine.shared
    let (status, method, expected) = kind
    let server = try LoopbackServer { request in
      request.target == "/" ? [.redirect(status, to: "/next")] : [.answer(200)]
    }
    let body: HTTPBody = method == .head || method == .delete ? .none : .data(Data("payload".utf8))
    let fields = HTTPHeaders([HTTPHeader(name: "Content-Type", value: "text/plain")])
    _ = try await transport.send(TransportRequest(method, server.url("/"), headers: fields, body: body))
    let last = try #require(server.requests.last)
    #expect(last.method == expected)
    #expect(last.body.isEmpty == (expected != "PUT"))
    if expected == "GET" { #expect(last.field("Content-Type") == nil) }
  }

  @Test(arguments: Engine.allCases)
  func endlessRedirectIsAnInvalidResponse(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer { _ in [.redirect(302, to: "/again")] }
    await expect(.invalidResponse) { try await transport.send(TransportRequest(.get, server.url("/"))) }
    #expect(server.requests.count == 21)
  }

  @Test(arguments: Engine.allCases, ["ftp://127.0.0.1/", "file:///etc/passwd", "http://"])
  func otherTargetsAreRefused(_ engine: Engine, _ target: String) async throws {
    let transport = engine.shared
    let server = try LoopbackServer { _ in [.redirect(302, to: target)] }
    await expect(.invalidResponse) { try await transport.send(TransportRequest(.get, server.url("/"))) }
  }

  @Test(arguments: Engine.allCases)
  func plainHTTPOutsideLoopbackIsNotFollowed(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer { _ in [.redirect(302, to: "http://example.com/")] }
    await expect(.invalidRequest) { try await transport.send(TransportRequest(.get, server.url("/"))) }
  }

  @Test(arguments: Engine.allCases)
  func redirectWithoutTargetIsAResponse(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer { _ in [.answer(302, "nowhere")] }
    #expect(try await transport.send(TransportRequest(.get, server.url("/"))).status == 302)
  }
}

extension Data {
  fileprivate var asText: String { String(decoding: self, as: UTF8.self) }
}
