import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAppCheck

@Suite(.limited) struct ExchangeTests {
  private static let secret = Secret("0E0F5F0A-1111-4222-8333-444455556666")
  private let time = TestTime()

  private func client(
    _ options: AppOptions = AppOptions(projectID: "demo", apiKey: "key", appID: "1:2:web:3"),
    _ answer: @escaping @Sendable (TransportRequest) async throws -> TransportResponse
  ) throws -> (client: ExchangeClient, transport: FakeTransport) {
    let transport = FakeTransport(answer)
    let context = AppContext(name: "tests", options: options, userAgent: "tenon-tests/1")
    return (try ExchangeClient(app: context, transport: transport, time: time.source), transport)
  }

  @Test(arguments: [false, true])
  func anExchangeHasTheFormOfFirebase(limitedUse: Bool) async throws {
    let (client, transport) = try client { _ in
      TransportResponse(status: 200, body: Data(#"{"token":"signed","ttl":"3600.5s"}"#.utf8))
    }
    let token = try await client.exchange(Self.secret, limitedUse: limitedUse)
    #expect(token == AppCheckToken(token: "signed", expirationDate: time.date + 3_600.5))
    let request = try #require(transport.requests.first)
    #expect(
      request.url.absoluteString
        == "https://firebaseappcheck.googleapis.com/v1/projects/demo/apps/1:2:web:3:exchangeDebugToken"
    )
    #expect(request.method == .post && request.deadline != nil)
    #expect(request.headers["X-Goog-Api-Key"] == "key")
    guard case .data(let body) = request.body else { return #expect(Bool(false), "no body") }
    #expect(
      try JSON(parsing: body)
        == ["debug_token": .string(Self.secret.value), "limited_use": .bool(limitedUse)]
    )
  }

  @Test(arguments: [
    (400, #"{"error":{"message":"Malformed."}}"#, AppCheckError.Code.invalidConfiguration, "Malformed."),
    (400, #"{"error":{"message":"API key not valid."}}"#, .invalidConfiguration, "AppOptions.apiKey"),
    (403, #"{"error":{"message":"App attestation failed."}}"#, .attestationRejected, "Register it"),
    (404, "<html>", .invalidConfiguration, "AppOptions.appID"),
    (418, "", .unknown, "418"),
    (429, #"{"error":{"message":"Quota."}}"#, .tooManyAttempts, "Quota."),
    (503, "", .serverFailed, "503"),
    (200, "{}", .invalidToken, "lifetime"),
    (200, #"{"token":"signed","ttl":"soon"}"#, .invalidToken, "lifetime"),
    (200, #"{"token":"signed","ttl":"-1s"}"#, .invalidToken, "lifetime"),
    (200, #"{"token":"signed","ttl":"1e300s"}"#, .invalidToken, "lifetime"),
    (200, #"{"token":"signed","ttl":"infs"}"#, .invalidToken, "lifetime"),
    (200, #"{"token":"signed","ttl":"NaNs"}"#, .invalidToken, "lifetime"),
    (200, #"{"token":"signed","ttl":"0x10s"}"#, .invalidToken, "lifetime"),
    (200, #"{"token":"signed","ttl":" 5s"}"#, .invalidToken, "lifetime"),
    (200, #"{"token":"signed","ttl":"s"}"#, .invalidToken, "lifetime"),
    (200, #"{"token":"signed","ttl":""}"#, .invalidToken, "lifetime"),
    (200, #"{"token":"signed","ttl":"1e-400s"}"#, .invalidToken, "lifetime"),
    (200, #"{"token":"signed","ttl":"9223372036854775808s"}"#, .invalidToken, "lifetime"),
    (200, #"{"token":"signed","ttl":"-9223372036854775808s"}"#, .invalidToken, "lifetime"),
    (200, #"{"token":"signed","ttl":"999999999999999999999s"}"#, .invalidToken, "lifetime"),
    (200, #"{"token":"signed","ttl":3600}"#, .invalidToken, "lifetime"),
    (200, #"{"token":"signed","ttl":"31536001s"}"#, .invalidToken, "lifetime"),
    (
      403, #"{"error":{"message":"0E0F5F0A-1111-4222-8333-444455556666 is unknown"}}"#, .attestationRejected,
      "•••"
    ),
  ])
  func rejectionsAreTypedErrors(status: Int, content: String, code: AppCheckError.Code, text: String)
    async throws
  {
    let (client, _) = try client { _ in TransportResponse(status: status, body: Data(content.utf8)) }
    let error = await #expect(throws: AppCheckError.self) {
      try await client.exchange(Self.secret, limitedUse: false)
    }
    #expect(error?.code == code)
    #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    #expect(!"\(error as Any)".contains(Self.secret.value))
  }

  @Test(arguments: ["9223372036854775807", "86401"])
  func aWaitThatIsTooLongIsLimitedToADay(retryAfter: String) async throws {
    let headers = HTTPHeaders([HTTPHeader(name: "Retry-After", value: retryAfter)])
    let (client, transport) = try client { _ in TransportResponse(status: 503, headers: headers) }
    for count in 1...2 {
      await #expect(throws: AppCheckError.self) { try await client.exchange(Self.secret, limitedUse: true) }
      #expect(transport.requests.count == 1)
      if count == 1 { time.advance(by: 86_399) }
    }
    time.advance(by: 1)
    await #expect(throws: AppCheckError.self) { try await client.exchange(Self.secret, limitedUse: true) }
    #expect(transport.requests.count == 2)
  }

  @Test(arguments: [(403, [2.0, 4, 8]), (429, [2, 4, 8]), (404, [86_400, 86_400])])
  func aRejectionDelaysTheNextExchange(status: Int, waits: [Double]) async throws {
    let (client, transport) = try client { _ in TransportResponse(status: status) }
    func refused() async {
      await #expect(throws: AppCheckError.self) { try await client.exchange(Self.secret, limitedUse: true) }
    }
    for (count, wait) in waits.enumerated() {
      await refused()
      #expect(transport.requests.count == count + 1)
      time.advance(by: wait - 0.5)
      await refused()
      #expect(transport.requests.count == count + 1)
      time.advance(by: 0.5)
    }
  }

  @Test func theServersWaitIsRespected() async throws {
    let (client, transport) = try client { _ in
      TransportResponse(status: 503, headers: HTTPHeaders([HTTPHeader(name: "Retry-After", value: "90")]))
    }
    for (seconds, count) in [(0.0, 1), (89.5, 1), (0.5, 2)] {
      time.advance(by: seconds)
      await #expect(throws: AppCheckError.self) { try await client.exchange(Self.secret, limitedUse: true) }
      #expect(transport.requests.count == count)
    }
  }

  @Test func aBrokenConnectionIsRetriedAndAnUnreachableServerIsNot() async throws {
    let time = TestTime(advancesItself: true)
    let failures = Lock<[TransportError.Code]>([.connectionLost, .connectionLost])
    let transport = FakeTransport { _ in
      if let code = failures.withLock({ $0.popLast() }) { throw TransportError(code, "Bad line.") }
      return TransportResponse(status: 200, body: Data(#"{"token":"signed","ttl":"60s"}"#.utf8))
    }
    let options = AppOptions(projectID: "demo", apiKey: "key", appID: "1:2:web:3")
    let context = AppContext(name: "tests", options: options, userAgent: "tenon-tests/1")
    let client = try ExchangeClient(app: context, transport: transport, time: time.source)
    #expect(try await client.exchange(Self.secret, limitedUse: false).token == "signed")
    #expect(transport.requests.count == 3)
    failures.withLock { $0 = [.unreachable] }
    let error = await #expect(throws: AppCheckError.self) {
      try await client.exchange(Self.secret, limitedUse: false)
    }
    #expect(error?.code == .serverUnreachable)
    #expect(transport.requests.count == 4)
  }

  @Test func aFailingServerDelaysExchangesByFourHoursAtMost() {
    var backoff = ExchangeBackoff()
    let now = ContinuousClock.now
    for _ in 0..<100 { backoff.fail(status: 503, at: now, random: 0.99) }
    #expect(backoff.remaining(at: now) == .seconds(14_400))
    #expect(backoff.remaining(at: now + .seconds(14_400)) == nil)
  }

  @Test func aSuccessResetsTheBackoff() async throws {
    let fails = Lock(true)
    let (client, transport) = try client { _ in
      fails.withLock { $0 }
        ? TransportResponse(status: 403)
        : TransportResponse(status: 200, body: Data(#"{"token":"signed","ttl":"60s"}"#.utf8))
    }
    await #expect(throws: AppCheckError.self) { try await client.exchange(Self.secret, limitedUse: false) }
    time.advance(by: 2)
    fails.withLock { $0 = false }
    for _ in 0..<2 { _ = try await client.exchange(Self.secret, limitedUse: false) }
    #expect(transport.requests.count == 3)
  }

  @Test func aFailingNetworkCausesNoWait() async throws {
    let (client, transport) = try client { _ in throw TransportError(.unreachable, "No route.") }
    for _ in 0..<2 {
      let error = await #expect(throws: AppCheckError.self) {
        try await client.exchange(Self.secret, limitedUse: false)
      }
      #expect(error?.code == .serverUnreachable && error?.underlying is TransportError)
    }
    #expect(transport.requests.count == 2)
  }

  @Test(arguments: [
    (AppBackend.production, false), (.emulator(EmulatorHosts()), false), (.embedded(directory: nil), true),
  ])
  func onlyTheEmbeddedBackendMayIssueUnsignedTokens(backend: AppBackend, isAccepted: Bool) async throws {
    let options = AppOptions(projectID: "demo", apiKey: "key", appID: "1:2:web:3", backend: backend)
    let content = #"{"token":"\#(AppCheckFixture.jwt("none"))","ttl":"60s"}"#
    let (client, _) = try client(options) { _ in TransportResponse(status: 200, body: Data(content.utf8)) }
    if isAccepted {
      #expect(try await client.exchange(Self.secret, limitedUse: false).token == AppCheckFixture.jwt("none"))
    } else {
      let error = await #expect(throws: AppCheckError.self) {
        try await client.exchange(Self.secret, limitedUse: false)
      }
      #expect(error?.code == .invalidToken)
    }
  }

  @Test(arguments: [
    (AppOptions(projectID: "demo", appID: "1:2:web:3"), "AppOptions.apiKey"),
    (AppOptions(projectID: "demo", apiKey: "key"), "AppOptions.appID"),
    (AppOptions(projectID: "demo", apiKey: "key", appID: "a?b"), "a?b"),
  ])
  func missingOptionsAreNamed(options: AppOptions, text: String) {
    let error = #expect(throws: AppCheckError.self) {
      try client(options) { _ in TransportResponse(status: 500) }
    }
    #expect(error?.code == .invalidConfiguration && error?.message.contains(text) == true)
  }
}
