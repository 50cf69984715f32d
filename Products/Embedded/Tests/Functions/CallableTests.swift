import Foundation
import TenonCore
import TenonFoundation
import TenonTelemetry
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct CallableTests {
  private let backend = Backend()
  private let url = "https://us-central1-demo.cloudfunctions.net/greet"

  private struct Person: Codable, Sendable {
    var name: String
    var visits: Int64
  }

  private func call(_ body: String, headers: [String: String] = [:]) async throws -> (status: Int, json: JSON)
  {
    try await backend.post(url, body: Data(body.utf8), headers: headers)
  }

  @Test(arguments: [
    "https://us-central1-demo.cloudfunctions.net/greet", "http://127.0.0.1:5001/demo/us-central1/greet",
  ])
  func aFunctionReturnsTheResultOfItsClosure(url: String) async throws {
    backend.embedded.onCall("greet") { (request: CallableRequest<Person>) in
      Person(name: "Hello \(request.data.name)", visits: request.data.visits + 1)
    }
    let (status, json) = try await backend.post(url, body: Data(#"{"data":{"name":"Ada","visits":1}}"#.utf8))
    #expect(status == 200)
    #expect(json == ["result": ["name": "Hello Ada", "visits": 2]])
  }

  @Test func aFunctionWithoutAResultReturnsNull() async throws {
    backend.embedded.onCall("greet") { (request: CallableRequest<String?>) in _ = request }
    #expect(try await call(#"{"data":null}"#).json == ["result": .null])
  }

  @Test func integersKeepAllTheirBits() async throws {
    backend.embedded.onCall("greet") { (request: CallableRequest<Int64>) in request.data }
    let wrapped = #"{"@type":"type.googleapis.com/google.protobuf.Int64Value","value":"9007199254740993"}"#
    let (_, json) = try await call(#"{"data":\#(wrapped)}"#)
    #expect(json["result"] == (try JSON(parsing: Data(wrapped.utf8))))
    #expect(try await call(#"{"data":42}"#).json["result"] == 42)
  }

  @Test func datesAreTransferredAsISO8601() async throws {
    backend.embedded.onCall("greet") { (request: CallableRequest<Date>) in
      request.data.addingTimeInterval(1.5)
    }
    let (_, json) = try await call(#"{"data":"1970-01-01T00:00:00.000Z"}"#)
    #expect(json["result"] == "1970-01-01T00:00:01.500Z")
  }

  @Test func aFunctionReceivesTheCallingUser() async throws {
    backend.embedded.onCall("greet") { (request: CallableRequest<String?>) in
      try [request.auth?.uid, request.auth?.email, request.auth?.signInProvider, request.auth?.claim("aud")]
    }
    let (_, session) = try await backend.call(
      "accounts:signUp",
      ["email": "ada@example.com", "password": "lovelace"]
    )
    let token = try #require(session["idToken"]?.string)
    let (_, json) = try await call(#"{"data":null}"#, headers: ["Authorization": "Bearer \(token)"])
    #expect(json["result"] == [try #require(session["localId"]), "ada@example.com", "password", "demo"])
    #expect(try await call(#"{"data":null}"#).json["result"] == [.null, .null, .null, .null])
  }

  @Test(arguments: ["Bearer garbage", "Basic abc", "Bearer"])
  func anInvalidTokenIsRejected(authorization: String) async throws {
    backend.embedded.onCall("greet") { (_: CallableRequest<String?>) in "hello" }
    let (status, json) = try await call(#"{"data":null}"#, headers: ["Authorization": authorization])
    #expect(status == 401)
    #expect(json["error"] == ["status": "UNAUTHENTICATED", "message": "Unauthenticated"])
  }

  @Test func anExpiredTokenIsRefused() async throws {
    backend.embedded.onCall("greet") { (_: CallableRequest<String?>) in "hello" }
    let token = try #require(try await backend.call("accounts:signUp").json["idToken"]?.string)
    backend.clock.advance(bySeconds: 3_600)
    #expect(try await call(#"{"data":null}"#, headers: ["Authorization": "Bearer \(token)"]).status == 401)
  }

  @Test(arguments: [#"{}"#, #"{"data":1,"more":2}"#, "[]", "", "{"])
  func aBodyWithOtherMembersThanDataIsABadRequest(body: String) async throws {
    backend.embedded.onCall("greet") { (_: CallableRequest<Int?>) in "hello" }
    let (status, json) = try await call(body)
    #expect(status == 400)
    #expect(json["error"] == ["status": "INVALID_ARGUMENT", "message": "Bad Request"])
  }

  @Test func onlyJSONIsAccepted() async throws {
    backend.embedded.onCall("greet") { (_: CallableRequest<Int?>) in "hello" }
    #expect(try await call(#"{"data":1}"#, headers: ["Content-Type": "text/plain"]).status == 400)
    #expect(
      try await call(#"{"data":1}"#, headers: ["Content-Type": "application/json; charset=utf-8"]).status
        == 200
    )
    #expect(try await backend.send(.get, url).status == 400)
  }

  @Test func dataOfAnotherTypeIsAnInvalidArgument() async throws {
    backend.embedded.onCall("greet") { (request: CallableRequest<Person>) in request.data }
    let (status, json) = try await call(#"{"data":"Ada"}"#)
    #expect(status == 400)
    #expect(json["error"]?["status"] == "INVALID_ARGUMENT")
  }

  @Test(arguments: [
    (CallableStatus.cancelled, 499), (.unknown, 500), (.invalidArgument, 400), (.deadlineExceeded, 504),
    (.notFound, 404), (.alreadyExists, 409), (.permissionDenied, 403), (.unauthenticated, 401),
    (.resourceExhausted, 429), (.failedPrecondition, 400), (.aborted, 409), (.outOfRange, 400),
    (.unimplemented, 501), (.internal, 500), (.unavailable, 503), (.dataLoss, 500),
  ])
  func anErrorHasStatusMessageAndDetails(status: CallableStatus, expected: Int) async throws {
    backend.embedded.onCall("greet") { (_: CallableRequest<Int?>) -> String in
      throw CallableError(status, "Not today.", details: ["files": 3])
    }
    let (code, json) = try await call(#"{"data":null}"#)
    #expect(code == expected)
    #expect(
      json["error"] == ["status": .string(status.rawValue), "message": "Not today.", "details": ["files": 3]]
    )
  }

  @Test func anyOtherErrorIsInternalWithoutItsText() async throws {
    struct Secret: Error {}
    backend.embedded.onCall("greet") { (_: CallableRequest<Int?>) -> String in throw Secret() }
    let (status, json) = try await call(#"{"data":null}"#)
    #expect(status == 500)
    #expect(json == ["error": ["status": "INTERNAL", "message": "INTERNAL"]])
  }

  @Test func anUnknownFunctionIsNotFound() async throws {
    #expect(try await backend.send(.post, url, body: Data(#"{"data":1}"#.utf8)).status == 404)
  }

  @Test func aRegionCanHaveItsOwnFunction() async throws {
    backend.embedded.onCall("greet") { (_: CallableRequest<Int?>) in "anywhere" }
    backend.embedded.onCall("greet", region: "europe-west1") { (_: CallableRequest<Int?>) in "Europe" }
    let european = "https://europe-west1-demo.cloudfunctions.net/greet"
    #expect(try await backend.post(european, body: Data(#"{"data":1}"#.utf8)).json["result"] == "Europe")
    #expect(try await call(#"{"data":1}"#).json["result"] == "anywhere")
  }

  /// A cancellation isn't a failure of the function, so it isn't logged.
  @Test func cancellingTheCallCancelsTheFunction() async throws {
    let messages = Lock<[String]>([])
    // Every request is a line of the level `debug`.
    let logger = AppLogger(source: "tests") { level, message in
      if level > .debug { messages.withLock { $0.append(message) } }
    }
    let embedded = Embedded(
      projectID: "demo", directory: nil, telemetry: Telemetry(source: "tests", logger: logger))
    let started = AsyncStream.makeStream(of: Void.self)
    embedded.onCall("greet") { (_: CallableRequest<Int?>) in
      started.continuation.yield()
      try await Task.sleep(for: .seconds(3_600))
    }
    var request = TransportRequest(
      .post, try #require(URL(string: url)), body: .data(Data(#"{"data":1}"#.utf8)))
    request.headers["Content-Type"] = "application/json"
    let call = Task { [request] in try await embedded.send(request).status }
    for await _ in started.stream { break }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(messages.withLock { $0 } == [])
  }
}
