import Foundation
import TenonFoundation
import TenonJSON
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAdmin

/// When access tokens are requested.
@Suite(.limited) struct AccessTokenTests {
  private static let host = "oauth2.googleapis.com"

  private func fixture(_ script: @escaping CredentialFixture.Script = { _, _ in nil }) throws
    -> CredentialFixture
  {
    let fixture = try CredentialFixture(script)
    fixture.admin.credential = try CredentialFixture.credential(CredentialFixture.user)
    return fixture
  }

  @Test func aTokenIsUsedUntilShortlyBeforeItsEnd() async throws {
    let fixture = try fixture()
    for (seconds, token) in [
      (0, "token-1"), (3_299, "token-1"), (1, "token-2"), (3_299, "token-2"), (1, "token-3"),
    ] {
      fixture.time.advance(by: Double(seconds))
      #expect(try await fixture.lookup().headers["Authorization"] == "Bearer \(token)")
    }
  }

  /// The metadata server returns the same token until five minutes before its end.
  @Test(arguments: [(240, 119, 2), (0, 0, 1)])
  func aTokenOfAShortLifeIsUsedForHalfOfIt(lifetime: Int, used: Int, rest: Int) async throws {
    let fixture = try fixture { request, number in
      guard request.url.host() == Self.host else { return nil }
      return try CredentialFixture.json([
        "access_token": .string("token-\(number)"), "expires_in": .int(Int64(lifetime)),
      ])
    }
    try await fixture.lookup()
    fixture.time.advance(by: Double(used))
    try await fixture.lookup()
    #expect(fixture.requests(to: Self.host).count == (used == 0 ? 2 : 1))
    fixture.time.advance(by: Double(rest))
    try await fixture.lookup()
    #expect(fixture.requests(to: Self.host).count == (used == 0 ? 3 : 2))
  }

  @Test func manyCallersShareOneRequest() async throws {
    let gate = Gate()
    let fixture = try fixture { request, _ in
      guard request.url.host() == Self.host else { return nil }
      try await gate.pass()
      return nil
    }
    try await withThrowingTaskGroup { group in
      for _ in 0..<50 { group.addTask { _ = try await fixture.lookup() } }
      await gate.arrival()
      gate.open()
      try await group.waitForAll()
    }
    #expect(fixture.requests(to: Self.host).count == 1)
    #expect(fixture.requests(to: "identitytoolkit.googleapis.com").count == 50)
  }

  @Test func aFailureIsNotKept() async throws {
    let fixture = try fixture { request, number in
      guard request.url.host() == Self.host, number == 1 else { return nil }
      return try CredentialFixture.json(
        ["error": "invalid_grant", "error_description": "Bad secret-client."], status: 400)
    }
    let error = await #expect(throws: AdminError.self) { try await fixture.lookup() }
    #expect(error?.code == .invalidCredential && error?.message.contains("Bad •••.") == true)
    #expect(try await fixture.lookup().headers["Authorization"] == "Bearer token-2")
  }

  @Test func aServerThatIsNotAvailableIsNotTheCredentialsFault() async throws {
    let fixture = try AdminFixture()
    fixture.admin.credential = .serviceAccount(try ServiceAccount(json: AdminFixture.account.serialized))
    fixture.server.withLock { $0.status = 503 }
    let error = await #expect(throws: AdminError.self) { try await fixture.admin.getUser(withUID: "ada") }
    #expect(error?.code == .networkError && error?.message.contains("503") == true)
  }

  @Test(
    arguments: [
      [], "text", [:], ["access_token": "", "expires_in": 3_600], ["access_token": "t"],
      ["access_token": "t", "expires_in": -1], ["access_token": "t", "expires_in": "soon"],
      ["access_token": "t", "expires_in": .double(1e300)], ["access_token": 5, "expires_in": 3_600],
    ] as [JSON])
  private func anAnswerWithoutATokenIsAnError(answer: JSON) async throws {
    let fixture = try fixture { request, _ in
      request.url.host() == Self.host ? try CredentialFixture.json(answer) : nil
    }
    let error = await #expect(throws: AdminError.self) { try await fixture.lookup() }
    #expect(error?.code == .invalidCredential)
  }

  @Test func aRequestForAnEarlierCredentialChangesNothing() async throws {
    let gate = Gate()
    let fixture = try fixture { request, number in
      guard request.url.host() == Self.host, number == 1 else { return nil }
      try await gate.pass()
      return nil
    }
    async let first = fixture.admin.getUser(withUID: "ada")
    await gate.arrival()
    fixture.admin.credential = .metadataServer
    gate.open()
    _ = try await first
    _ = try await fixture.lookup()
    #expect(fixture.requests(to: "metadata.google.internal").count == 1)
  }

  /// The token may be revoked before its end.
  @Test func aTokenThatIsNotAcceptedIsReplacedOnce() async throws {
    let fixture = try fixture { request, _ in
      guard request.headers["Authorization"] == "Bearer token-1" else { return nil }
      return try CredentialFixture.json(["error": ["message": "Invalid credentials"]], status: 401)
    }
    #expect(try await fixture.lookup().headers["Authorization"] == "Bearer token-2")
    let refusing = try self.fixture { request, _ in
      guard request.url.host() == "identitytoolkit.googleapis.com" else { return nil }
      return try CredentialFixture.json(["error": ["message": "Invalid credentials"]], status: 401)
    }
    let error = await #expect(throws: AdminError.self) { try await refusing.lookup() }
    #expect(error?.code == .invalidCredential)
    #expect(refusing.requests(to: Self.host).count == 2)
    #expect(refusing.requests(to: "identitytoolkit.googleapis.com").count == 2)
  }
}
