import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct RequestFunctionTests {
  private let backend = Backend()
  private let url = "http://127.0.0.1:5001/demo/us-central1/api"

  private func echo() throws {
    try backend.embedded.onRequest("api") { request in
      FunctionResponse(
        status: 201, headers: ["X-One": "1", "Set-Cookie": "a=1", "Set-Cookie": "b=2"],
        body: Data(
          "\(request.method) \(request.path) \(request.query) \(request.queryValues("q")) \(String(decoding: request.body, as: UTF8.self)) \(request.header("x-test") ?? "none") \(request.auth?.uid ?? "nobody")"
            .utf8))
    }
  }

  @Test(arguments: [
    ("", "/"), ("/", "/"), ("/a%2Fb/c", "/a%2Fb/c"), ("//x/", "//x/"), ("/a%20b", "/a%20b"),
  ])
  func aFunctionReceivesThePathBelowItsOwn(suffix: String, path: String) async throws {
    try echo()
    for base in [url, "https://us-central1-demo.cloudfunctions.net/api"] {
      let answer = try await backend.send(.get, base + suffix)
      #expect(String(decoding: answer.body, as: UTF8.self) == "GET \(path)  []  none nobody")
    }
  }

  @Test func aFunctionReceivesTheWholeRequestAndDeterminesTheWholeResponse() async throws {
    try echo()
    let answer = try await backend.send(
      HTTPMethod(rawValue: "PROPFIND"), "\(url)/x?q=a+b&q=%C3%A9&r", body: Data("content".utf8),
      headers: ["X-Test": "yes"])
    #expect(answer.status == 201)
    #expect(
      String(decoding: answer.body, as: UTF8.self)
        == #"PROPFIND /x q=a+b&q=%C3%A9&r ["a b", "é"] content yes nobody"#)
    #expect(answer.headers.fields.filter { $0.name == "Set-Cookie" }.map(\.value) == ["a=1", "b=2"])
  }

  @Test func aFunctionReceivesForeignCredentialsAndTheProjectsUser() async throws {
    try echo()
    func caller(_ authorization: String) async throws -> String {
      let answer = try await backend.send(.get, url, headers: ["Authorization": authorization])
      #expect(answer.status == 201)
      return String(decoding: answer.body, as: UTF8.self)
    }
    #expect(try await caller("Bearer sk_live_1").hasSuffix(" nobody"))
    #expect(try await caller("Basic YTpi").hasSuffix(" nobody"))
    let session = try await backend.call("accounts:signUp").json
    let token = try #require(session["idToken"]?.string)
    #expect(try await caller("Bearer \(token)").hasSuffix(" \(try #require(session["localId"]?.string))"))
  }

  @Test func appCheckIsEnforcedBeforeTheFunctionIsCalled() async throws {
    try echo()
    backend.embedded.settings.appCheckRequired = [.functions]
    #expect(try await backend.send(.get, url).status == 401)
    #expect(try await backend.send(.get, url, headers: ["Authorization": "Bearer x"]).status == 401)
    #expect(try await backend.send(.get, url, headers: ["Authorization": "Bearer owner"]).status == 201)
  }

  @Test func aResponseCanBeStreamed() async throws {
    try backend.embedded.onRequest("api") { _ in
      FunctionResponse(
        headers: ["Content-Type": "text/plain"],
        stream: AsyncThrowingStream { continuation in
          for number in 0..<3 { continuation.yield(Data("\(number)".utf8)) }
          continuation.finish()
        })
    }
    let answer = try await backend.embedded.stream(TransportRequest(.get, try #require(URL(string: url))))
    #expect(answer.headers["Content-Type"] == "text/plain")
    var pieces: [String] = []
    for try await piece in answer.body { pieces.append(String(decoding: piece, as: UTF8.self)) }
    #expect(pieces == ["0", "1", "2"])
  }

  @Test func whatCannotBeSentIsAnInternalError() async throws {
    struct Failure: Error {}
    let responses: [@Sendable () throws -> FunctionResponse] = [
      { throw Failure() }, { throw CallableError(.notFound, "secret") },
      { FunctionResponse(status: 42) }, { FunctionResponse(headers: ["X": "a\r\nY: b"]) },
      { FunctionResponse(headers: ["A B": ""]) },
    ]
    for response in responses {
      try backend.embedded.onRequest("api") { _ in try response() }
      let answer = try await backend.send(.get, url)
      #expect(answer.status == 500)
      #expect(String(decoding: answer.body, as: UTF8.self) == "Internal Server Error")
      try await backend.embedded.removeFunction("api")
    }
    #expect(try await backend.send(.get, url).status == 404)
  }

  @Test func aFunctionThatTakesTooLongIsAGatewayTimeout() async throws {
    try backend.embedded.onRequest("api", timeout: .milliseconds(20)) { _ in
      try await Task.sleep(for: .seconds(600))
      return FunctionResponse()
    }
    #expect(try await backend.send(.get, url).status == 504)
  }

  @Test func pagesMayReadWhatCORSAllows() async throws {
    try backend.embedded.onRequest("api", cors: .origins("https://a.example")) { _ in FunctionResponse() }
    try backend.embedded.onRequest("open", cors: .everyone) { _ in FunctionResponse() }
    try backend.embedded.onRequest("own") { FunctionResponse(status: 299, text: $0.method) }
    func origin(_ name: String, _ method: HTTPMethod, _ origin: String) async throws -> String {
      let answer = try await backend.send(
        method, "http://127.0.0.1:5001/demo/us-central1/\(name)",
        headers: ["Origin": origin, "Access-Control-Request-Headers": "x-a"])
      if method == .options, answer.status == 204 {
        #expect(
          (answer.headers["Access-Control-Allow-Headers"] == "x-a")
            == (answer.headers["Access-Control-Allow-Origin"] != nil))
      }
      return "\(answer.status) \(answer.headers["Access-Control-Allow-Origin"] ?? "none")"
    }
    for method in [HTTPMethod.get, .options] {
      let status = method == .get ? 200 : 204
      #expect(try await origin("api", method, "https://a.example") == "\(status) https://a.example")
      #expect(try await origin("api", method, "https://b.example") == "\(status) none")
      #expect(try await origin("open", method, "https://b.example") == "\(status) https://b.example")
      #expect(try await origin("own", method, "https://b.example") == "299 none")
    }
    backend.embedded.onCall("call") { (_: CallableRequest<Int>) in 1 }
    #expect(try await origin("call", .options, "https://b.example") == "204 https://b.example")
  }

  @Test func aFunctionBelongsToItsRegionAndItsName() async throws {
    try backend.embedded.onRequest("api", region: "europe-west1") { _ in FunctionResponse(text: "europe") }
    try backend.embedded.onRequest("api") { _ in FunctionResponse(text: "everywhere") }
    #expect(throws: FunctionRegistrationError.self) {
      try backend.embedded.onRequest("api") { _ in FunctionResponse() }
    }
    func text(_ region: String) async throws -> String {
      String(
        decoding: try await backend.send(.get, "http://127.0.0.1:5001/demo/\(region)/api").body, as: UTF8.self
      )
    }
    #expect(try await text("europe-west1") == "europe")
    #expect(try await text("us-central1") == "everywhere")
    // A callable function replaces both.
    backend.embedded.onCall("api") { (_: CallableRequest<Int>) in 1 }
    #expect(try await backend.post(url, body: Data(#"{"data":1}"#.utf8)).json == ["result": 1])
  }
}
