import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@Suite(.limited)
struct ExchangeTests {
  @Test(arguments: Engine.allCases, [HTTPMethod.post, .put, .patch, .delete])
  func methodsAndBodiesArrive(_ engine: Engine, _ method: HTTPMethod) async throws {
    let transport = engine.shared
    let server = try LoopbackServer.echo()
    let body = Data((0..<300).map { UInt8($0 % 256) })
    let response = try await transport.send(
      TransportRequest(method, server.url("/a?b=c%2Fd"), body: .data(body))
    )
    #expect(response.status == 200)
    #expect(response.body == body)
    #expect(response.headers["x-method"] == method.rawValue)
    #expect(response.headers["X-TARGET"] == "/a?b=c%2Fd")
  }

  @Test(arguments: Engine.allCases, [HTTPMethod.get, .head, .options])
  func requestsWithoutBodyArrive(_ engine: Engine, _ method: HTTPMethod) async throws {
    let transport = engine.shared
    let server = try LoopbackServer { _ in [.answer(200, ["X-Hello": "there"])] }
    let response = try await transport.send(TransportRequest(method, server.url("/")))
    #expect(response.headers["X-Hello"] == "there")
    #expect(server.requests.map(\.method) == [method.rawValue])
  }

  @Test(arguments: Engine.allCases)
  func bodyOfSeveralMegabytesArrives(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer.echo()
    let body = Data(repeating: 7, count: 3 << 20)
    let response = try await transport.send(TransportRequest(.post, server.url("/"), body: .data(body)))
    #expect(response.body == body)
  }

  @Test(arguments: Engine.allCases)
  func fileIsSentAsBody(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer.echo()
    let file = FileManager.default.temporaryDirectory.appending(path: "tenon-\(UUID()).bin")
    defer { try? FileManager.default.removeItem(at: file) }
    let content = Data((0..<200_000).map { UInt8($0 % 251) })
    try content.write(to: file)
    let response = try await transport.send(TransportRequest(.put, server.url("/"), body: .file(file)))
    #expect(response.body == content)
  }

  @Test(arguments: Engine.allCases)
  func missingBodyFileIsAnInvalidRequest(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer.echo()
    let file = URL(filePath: "/nowhere/\(UUID())")
    await expect(.invalidRequest) {
      try await transport.send(TransportRequest(.put, server.url("/"), body: .file(file)))
    }
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: Engine.allCases, [304, 400, 401, 404, 429, 500, 503])
  func everyStatusIsAResponse(_ engine: Engine, _ status: Int) async throws {
    let transport = engine.shared
    let server = try LoopbackServer { _ in
      [.answer(status, ["WWW-Authenticate": "Basic realm=\"x\""], status == 304 ? "" : "why")]
    }
    let response = try await transport.send(TransportRequest(.get, server.url("/")))
    #expect(response.status == status)
    #expect(response.body == Data((status == 304 ? "" : "why").utf8))
    #expect(server.requests.count == 1)
  }

  @Test(arguments: Engine.allCases)
  func cookiesAreNotKept(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer { _ in [.answer(200, ["Set-Cookie": "a=b"], "")] }
    for _ in 0..<2 { _ = try await transport.send(TransportRequest(.get, server.url("/"))) }
    #expect(server.requests.allSatisfy { $0.field("Cookie") == nil })
  }

  @Test(arguments: Engine.allCases)
  func responsesAreNotCached(_ engine: Engine) async throws {
    let transport = engine.shared
    let server = try LoopbackServer { _ in [.answer(200, ["Cache-Control": "max-age=1000"], "x")] }
    for _ in 0..<3 { _ = try await transport.send(TransportRequest(.get, server.url("/same"))) }
    #expect(server.requests.count == 3)
  }

  @Test(arguments: Engine.allCases)
  func fiftyRequestsToOneHostRunConcurrently(_ engine: Engine) async throws {
    let transport = engine.shared
    let gate = ThreadGate()
    let arrived = Arrivals(50)
    let server = try LoopbackServer { _ in
      if arrived.isComplete() { gate.open() }
      return [.wait(gate), .answer(200, "ok")]
    }
    try await withThrowingTaskGroup { group in
      for _ in 0..<50 {
        group.addTask { try await transport.send(TransportRequest(.get, server.url("/"))).status }
      }
      for try await status in group { #expect(status == 200) }
    }
  }
}
