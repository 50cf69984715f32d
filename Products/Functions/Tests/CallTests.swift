import Foundation
import TenonAppCheckInterop
import TenonAuthInterop
import TenonCore
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonFunctions

@Suite(.limited) struct CallTests {
  /// Returns functions with a transport that answers every request with `content`.
  private func functions(
    _ content: String,
    status: Int = 200,
    options: AppOptions = AppOptions(projectID: "demo"),
    auth: (any AuthInterop)? = nil,
    appCheck: (any AppCheckInterop)? = nil
  ) throws -> (functions: Functions, transport: FakeTransport) {
    let transport = FakeTransport { _ in TransportResponse(status: status, body: Data(content.utf8)) }
    let context = AppContext(name: "tests", options: options, userAgent: "tenon-tests/1")
    let instances = try FunctionsInstances(app: context, auth: auth, appCheck: appCheck, transport: transport)
    return (try instances.functions(region: "us-central1"), transport)
  }

  private func sent(_ transport: FakeTransport) throws -> (request: TransportRequest, body: String) {
    let request = try #require(transport.requests.first)
    guard case .data(let body) = request.body else { return (request, "") }
    return (request, String(decoding: body, as: UTF8.self))
  }

  struct Order: Codable, Equatable {
    var item: String
    var count: Int
    var due: Date
  }

  @Test func callIsOnePostWithItsData() async throws {
    let (functions, transport) = try functions(#"{"result": null}"#)
    let order = Order(item: "tea", count: 2, due: Date(timeIntervalSince1970: 0.25))
    try await functions.httpsCallable("orders-add").call(order)
    let (request, body) = try sent(transport)
    #expect(request.method == .post)
    #expect(request.url.absoluteString == "https://us-central1-demo.cloudfunctions.net/orders-add")
    #expect(
      try JSONDecoder().decode([String: [String: JSONText]].self, from: Data(body.utf8))
        == ["data": ["item": "tea", "count": "2", "due": "1970-01-01T00:00:00.250Z"]]
    )
    let fields = request.headers.fields
    #expect(fields.first { $0.name == "Content-Type" }?.value.hasPrefix("application/json") == true)
    #expect(fields.contains { $0.name == "User-Agent" && $0.value == "tenon-tests/1" })
    #expect(!fields.contains { $0.name == "Authorization" || $0.name == "X-Firebase-AppCheck" })
  }

  @Test(arguments: [#"{"result": RESULT}"#, #"{"data": RESULT}"#, #"{"data": RESULT, "result": 1}"#])
  func resultIsTheMemberDataOrResult(form: String) async throws {
    let result = #"{"item": "tea", "count": 3, "due": "1970-01-01T00:00:01Z"}"#
    let (functions, _) = try functions(form.replacing("RESULT", with: result))
    let order = try await functions.httpsCallable("order", requestAs: Int.self, responseAs: Order.self)(1)
    #expect(order == Order(item: "tea", count: 3, due: Date(timeIntervalSince1970: 1)))
  }

  @Test func callWithoutDataSendsNull() async throws {
    let (functions, transport) = try functions(#"{"result": 1}"#)
    #expect(try await functions.httpsCallable("count").call().data as? Int == 1)
    #expect(try sent(transport).body == #"{"data":null}"#)
  }

  @Test func integersBeyondDoublesAreSentAndReceivedExactly() async throws {
    let answer =
      #"{"result": {"@type": "type.googleapis.com/google.protobuf.UInt64Value", "value": "18446744073709551615"}}"#
    let (functions, transport) = try functions(answer)
    let next: Callable<Int64, UInt64> = functions.httpsCallable("next")
    #expect(try await next(.max) == .max)
    #expect(
      try sent(transport).body.contains(
        #""@type":"type.googleapis.com/google.protobuf.Int64Value","value":"9223372036854775807""#
      )
    )
  }

  @Test(
    arguments: [
      (
        400, #"{"error": {"status": "FAILED_PRECONDITION", "message": "Closed."}}"#, "failed-precondition",
        "Closed."
      ),
      (200, #"{"error": {"status": "NOT_FOUND", "message": "None."}}"#, "not-found", "None."),
      (500, #"{"error": {"status": "INTERNAL", "message": "It broke."}}"#, "internal", "It broke."),
      (500, #"{"error": {"status": "WEIRD", "message": "Hm."}}"#, "internal", "Hm."),
      (409, #"{"error": {"message": "Twice."}}"#, "already-exists", "Twice."),
      (404, "<html>Not here</html>", "not-found", "<html>Not here</html>"),
      (401, "", "unauthenticated", "401"),
      (403, "", "permission-denied", "403"), (429, "", "resource-exhausted", "429"),
      (499, "", "cancelled", "499"),
      (501, "", "unimplemented", "501"), (503, "", "unavailable", "503"),
      (504, "", "deadline-exceeded", "504"),
      (418, "", "internal", "418"), (200, "{}", "internal", "neither data nor result"),
      (200, "no", "internal", "no"),
      (200, #"{"result": "text"}"#, "internal", "Order"),
    ])
  func failuresAreTypedErrors(status: Int, content: String, code: String, message: String) async throws {
    let (functions, _) = try functions(content, status: status)
    let thrown = await #expect(throws: FunctionsError.self) {
      try await functions.httpsCallable("order", requestAs: Int.self, responseAs: Order.self)(1)
    }
    #expect(thrown?.code.rawValue == code)
    #expect(thrown?.message.contains(message) == true, "\(thrown?.message ?? "")")
    #expect(thrown?.localizedDescription == "\(thrown?.message ?? "") (\(code))")
  }

  @Test(
    arguments: [
      (
        500, #"{"error": {"status": "INTERNAL", "message": "INTERNAL"}}"#,
        "The function order failed without a message (INTERNAL). Its log has the reason."
      ),
      (
        403, #"{"error": {"status": "PERMISSION_DENIED"}}"#,
        "The function order failed without a message (PERMISSION_DENIED). Permit the user to call it; a "
          + "function that anyone may call has the invoker allUsers."
      ),
      (
        400, #"{"error": {"message": ""}}"#,
        "The function order failed without a message (status 400). Compare the data of the call with what the "
          + "function takes."
      ),
      (
        404, "Page not found",
        #"The function order answered with status 404: "Page not found". Check its name and region, and that it "#
          + "is deployed."
      ),
      (
        401, "",
        "The function order answered with status 401: (empty). Sign in first, and check that App Check's token "
          + "is valid if the function enforces it."
      ),
      (503, "", "The function order answered with status 503: (empty). Try again later."),
      (
        200, "{}",
        #"The response of the function order has neither data nor result: "{}". Check that it is a callable "#
          + "function (onCall)."
      ),
    ])
  func anErrorThatTheFunctionDoesNotExplainSaysWhatToDo(
    status: Int, content: String, message: String
  ) async throws {
    let (functions, _) = try functions(content, status: status)
    let thrown = await #expect(throws: FunctionsError.self) {
      try await functions.httpsCallable("order").call()
    }
    #expect(thrown?.message == message)
  }

  @Test func detailsOfAFailureAreKept() async throws {
    let (functions, _) = try functions(
      #"{"error": {"status": "INTERNAL", "message": "m", "details": {"item": "tea", "count": 1, "due": "1970-01-01T00:00:00Z"}}}"#,
      status: 500
    )
    let thrown = await #expect(throws: FunctionsError.self) {
      try await functions.httpsCallable("order").call(1)
    }
    #expect(try thrown?.details(as: Order.self)?.item == "tea")
    #expect((thrown?.details as? [String: Any])?["count"] as? Int == 1)
    #expect(throws: DecodingError.self) { try thrown?.details(as: [Int].self) }
  }

  @Test(
    arguments: [
      (TransportError.Code.timedOut, "deadline-exceeded"), (.unreachable, "unavailable"),
      (.connectionLost, "unavailable"),
      (.invalidRequest, "invalid-argument"), (.invalidResponse, "internal"),
    ])
  func missingResponseIsATypedError(code: TransportError.Code, expected: String) async throws {
    let transport = FakeTransport { _ in throw TransportError(code, "why") }
    let context = AppContext(name: "tests", options: AppOptions(projectID: "demo"), userAgent: "")
    let functions = try FunctionsInstances(app: context, auth: nil, appCheck: nil, transport: transport)
      .functions(region: "us-central1")
    let thrown = await #expect(throws: FunctionsError.self) { try await functions.httpsCallable("f").call(1) }
    #expect(thrown?.code.rawValue == expected)
    #expect(thrown?.message.contains("f") == true)
    #expect(transport.requests.count == 1)
    #expect((transport.requests.first?.deadline ?? .zero) > .seconds(60))
  }

  @Test func callsCarryTheTokensOfLinkedProducts() async throws {
    let auth = FakeAuth()
    let (functions, transport) = try functions(#"{"result": 1}"#, auth: auth, appCheck: FakeAppCheck())
    try await functions.httpsCallable("f").call(1)
    auth.signIn(userID: "ann")
    try await functions.httpsCallable("f").call(1)
    let fields = transport.requests.map { $0.headers.fields.map { "\($0.name): \($0.value)" } }
    #expect(fields.allSatisfy { $0.contains("X-Firebase-AppCheck: app-check-1") })
    #expect(fields.map { $0.contains("Authorization: Bearer ann-token-0") } == [false, true])
  }

  @Test func callCanCarryALimitedUseAppCheckToken() async throws {
    let (functions, transport) = try functions(#"{"result": 1}"#, appCheck: FakeAppCheck())
    for isLimited in [true, true, false] {
      let options = HTTPSCallableOptions(requireLimitedUseAppCheckTokens: isLimited)
      try await functions.httpsCallable("f", options: options).call(1)
    }
    let options = HTTPSCallableOptions(requireLimitedUseAppCheckTokens: true)
    let typed = functions.httpsCallable("f", options: options, requestAs: Int.self, responseAs: Int.self)
    #expect(try await typed.call(1) == 1)
    #expect(
      transport.requests.map { $0.headers["X-Firebase-AppCheck"] } == [
        "limited-use-1", "limited-use-2", "app-check-1", "limited-use-3",
      ]
    )
  }

  @Test func placeholderIsSentIfAppCheckHasNoToken() async throws {
    let appCheck = FakeAppCheck()
    appCheck.fail(with: CocoaError(.fileReadUnknown))
    let (functions, transport) = try functions(#"{"result": 1}"#, appCheck: appCheck)
    try await functions.httpsCallable("f").call(1)
    #expect(try sent(transport).request.headers["X-Firebase-AppCheck"] == FakeAppCheck.placeholder)
  }

  @Test func unavailableTokenFailsTheCall() async throws {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    auth.failTokens(with: CocoaError(.fileReadUnknown))
    let (functions, transport) = try functions(#"{"result": 1}"#, auth: auth)
    await #expect(throws: CocoaError.self) { try await functions.httpsCallable("f").call(1) }
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: [("192.168.1.5:5001", false), ("127.0.0.1:5001", true)])
  func p6TokensAreNeverSentUnencryptedToAnotherMachine(host: String, isSent: Bool) async throws {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let options = AppOptions(projectID: "demo", backend: .emulator(EmulatorHosts(functions: host)))
    let (functions, transport) = try functions(
      #"{"result": 1}"#,
      options: options,
      auth: auth,
      appCheck: FakeAppCheck()
    )
    try await functions.httpsCallable("f").call(1)
    let request = try sent(transport).request
    #expect(request.url.absoluteString == "http://\(host)/demo/us-central1/f")
    #expect(request.headers.fields.contains { $0.name == "Authorization" } == isSent)
    #expect(request.headers.fields.contains { $0.name == "X-Firebase-AppCheck" } == isSent)
  }

  @Test(arguments: ["", "a b", "ä", "a?b", "a#b"])
  func malformedNameIsAnError(name: String) async throws {
    let (functions, transport) = try functions(#"{"result": 1}"#)
    let thrown = await #expect(throws: FunctionsError.self) {
      try await functions.httpsCallable(name).call(1)
    }
    #expect(thrown?.code == .invalidArgument)
    #expect(transport.requests.isEmpty)
  }

  @Test func valueWithoutJSONFormIsAnErrorBeforeAnythingIsSent() async throws {
    let (functions, transport) = try functions(#"{"result": 1}"#)
    let thrown = await #expect(throws: FunctionsError.self) {
      try await functions.httpsCallable("f", requestAs: Double.self, responseAs: Int.self)(.nan)
    }
    #expect(thrown?.code == .invalidArgument)
    #expect(transport.requests.isEmpty)
  }
}

/// A scalar of any type, decoded as text.
private struct JSONText: Decodable, Equatable, ExpressibleByStringLiteral {
  let text: String

  init(stringLiteral value: String) { text = value }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    text = try (try? container.decode(String.self)) ?? String(container.decode(Int.self))
  }
}
