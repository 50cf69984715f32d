import Foundation
import TenonCore
import TenonFoundation
import TenonJSON
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAdmin

@Suite(.limited) struct IDTokenTests {
  @Test func aTokenOfGoogleIsVerified() async throws {
    let fixture = try AdminFixture()
    let user = try await fixture.admin.verifyIDToken(try AdminFixture.token())
    #expect(user.uid == "ada" && user.email == "ada@example.com" && user.isEmailVerified)
    #expect(user.signInProvider == "password" && user.tenantID == "tea")
    #expect(user.claims["role"] as? String == "editor")
    #expect(user.issuedAtDate == Date(timeIntervalSince1970: 1_699_999_940))
    #expect(user.expirationDate == Date(timeIntervalSince1970: 1_700_003_540))
    #expect(user.authDate == Date(timeIntervalSince1970: 1_699_999_400))
    #expect("\(user)" == "ID token of ada")
    struct Role: Decodable { var role: String }
    #expect(try user.claims(as: Role.self).role == "editor")
    #expect(
      fixture.requests == [
        "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
      ])
  }

  /// Claims that no ID token of the project has, each with the one that the error names.
  private static let wrong: [([String: JSON?], String)] = [
    (["aud": "other"], "aud"), (["aud": ["demo"]], "aud"), (["aud": nil], "aud"), (["aud": ""], "aud"),
    (["iss": "https://securetoken.google.com/other"], "iss"),
    (["iss": "https://session.firebase.google.com/demo"], "iss"),
    (["iss": "https://accounts.google.com"], "iss"),
    (["iss": nil], "iss"), (["iss": "https://securetoken.google.com/demo/"], "iss"),
    (["sub": nil], "sub"), (["sub": ""], "sub"), (["sub": 7], "sub"),
    (["sub": .string(String(repeating: "u", count: 129))], "sub"),
    (["exp": nil], "exp"), (["exp": "1700003540"], "exp"), (["exp": .null], "exp"),
    (["iat": nil], "iat"), (["iat": .int(AdminFixture.now + 61)], "iat"), (["iat": .double(1e300)], "iat"),
    (["iat": "now"], "iat"), (["iat": true], "iat"),
    (["auth_time": nil], "auth_time"), (["auth_time": .int(AdminFixture.now + 61)], "auth_time"),
    (["nbf": .int(AdminFixture.now + 61)], "nbf"), (["nbf": "never"], "nbf"),
  ]

  @Test(arguments: wrong)
  private func anErrorNamesTheClaimThatIsWrong(claims: [String: JSON?], claim: String) async throws {
    let fixture = try AdminFixture()
    let token = try AdminFixture.token(claims)
    let error = await #expect(throws: AdminError.self) { try await fixture.admin.verifyIDToken(token) }
    #expect(error?.code == .invalidIDToken && error?.claim == claim, "\(error?.description ?? "")")
  }

  @Test(arguments: [-1e300, -1, 0, 1_699_999_999, 1_700_000_000, 1_699_999_999.5])
  func aTokenEndsAtItsExpiry(time: Double) async throws {
    let fixture = try AdminFixture()
    let token = try AdminFixture.token(["exp": .double(time)])
    let error = await #expect(throws: AdminError.self) { try await fixture.admin.verifyIDToken(token) }
    #expect(error?.code == .idTokenExpired && error?.claim == "exp")
  }

  @Test(arguments: [1_700_000_000.5, 1e300, 0x1p63])
  func anyLaterTimeIsAnExpiry(time: Double) async throws {
    let fixture = try AdminFixture()
    #expect(
      try await fixture.admin.verifyIDToken(try AdminFixture.token(["exp": .double(time)])).uid == "ada")
  }

  @Test func clocksMayDifferByAMinute() async throws {
    let fixture = try AdminFixture()
    let soon = JSON.int(AdminFixture.now + 60)
    let token = try AdminFixture.token(["iat": soon, "auth_time": soon, "nbf": soon])
    #expect(try await fixture.admin.verifyIDToken(token).uid == "ada")
  }

  @Test func aTokenOfAnotherKeyIsRefused() async throws {
    let fixture = try AdminFixture()
    let token = try AdminFixture.token(key: SampleKeys.otherPrivateKey)
    let error = await #expect(throws: AdminError.self) { try await fixture.admin.verifyIDToken(token) }
    #expect(error?.code == .invalidIDToken && error?.message.contains("signature") == true)
    // What the claims say isn't revealed to whoever forges tokens.
    let forged = try AdminFixture.token(["aud": "other"], key: SampleKeys.otherPrivateKey)
    let other = await #expect(throws: AdminError.self) { try await fixture.admin.verifyIDToken(forged) }
    #expect(other?.message == error?.message)
  }

  @Test func everyChangedLetterIsNoticed() async throws {
    let fixture = try AdminFixture()
    let token = Array(try AdminFixture.token().utf8)
    for index in token.indices {
      var changed = token
      changed[index] = token[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let text = String(decoding: changed, as: UTF8.self)
      await #expect(throws: AdminError.self, "\(index)") { try await fixture.admin.verifyIDToken(text) }
    }
  }

  @Test(arguments: [AppBackend.embedded(directory: nil), .emulator(EmulatorHosts(auth: "127.0.0.1:9099"))])
  func unsignedTokensAreThoseOfAnEmulator(backend: AppBackend) async throws {
    let unsigned = TokenParts.unsigned(try JSON.object(AdminFixture.claims).serialized)
    let emulated = try AdminFixture(backend: backend)
    #expect(try await emulated.admin.verifyIDToken(unsigned).uid == "ada")
    #expect(emulated.requests.isEmpty)
    let signed = try AdminFixture.token()
    for token in [signed, try AdminFixture.token(header: ["alg": "none"]), unsigned + "AAAA"] {
      let error = await #expect(throws: AdminError.self) { try await emulated.admin.verifyIDToken(token) }
      #expect(error?.claim == "alg")
    }
    // The claims are checked as in production.
    let other = TokenParts.unsigned(
      try JSON.object(AdminFixture.claims.merging(["aud": "other"]) { $1 }).serialized)
    let error = await #expect(throws: AdminError.self) { try await emulated.admin.verifyIDToken(other) }
    #expect(error?.claim == "aud")
    let production = try AdminFixture()
    let refusal = await #expect(throws: AdminError.self) {
      try await production.admin.verifyIDToken(unsigned)
    }
    #expect(refusal?.code == .invalidIDToken && refusal?.claim == "alg" && production.requests.isEmpty)
  }

  @Test func errorsContainNoTokens() async throws {
    let fixture = try AdminFixture()
    let token = try AdminFixture.token(["aud": "other"])
    let error = try #require(
      await #expect(throws: AdminError.self) { try await fixture.admin.verifyIDToken(token) })
    for text in disclosedTexts(of: error) {
      #expect(!text.contains(token.prefix(20)) && !text.contains("ada"))
    }
  }

  @Test func otherKindsOfTokensAreVerifiedByTheirOwnRules() async throws {
    let fixture = try AdminFixture()
    let cookie = try AdminFixture.token(["iss": "https://session.firebase.google.com/demo"])
    #expect(try await fixture.admin.verifySessionCookie(cookie).uid == "ada")
    await #expect(throws: AdminError.self) { try await fixture.admin.verifyIDToken(cookie) }
    let idToken = try AdminFixture.token()
    let error = await #expect(throws: AdminError.self) {
      try await fixture.admin.verifySessionCookie(idToken)
    }
    #expect(error?.code == .invalidSessionCookie && error?.claim == "iss")
    let app = try AdminFixture.token([
      "iss": "https://firebaseappcheck.googleapis.com/12345", "sub": "1:2:web:3", "auth_time": nil,
      "aud": ["projects/12345", "projects/demo"],
    ])
    #expect(try await fixture.admin.verifyAppCheckToken(app).appID == "1:2:web:3")
    let refusal = await #expect(throws: AdminError.self) {
      try await fixture.admin.verifyAppCheckToken(idToken)
    }
    #expect(refusal?.code == .invalidAppCheckToken && refusal?.claim == "aud")
  }

  /// Also with an emulator for accounts, whose credential `owner` must not be sent to Google.
  @Test(arguments: [AppBackend.production, .emulator(EmulatorHosts(auth: "127.0.0.1:9099"))])
  func anAppCheckTokenIsConsumedOnRequest(backend: AppBackend) async throws {
    let fixture = try AdminFixture(backend: backend)
    fixture.admin.credential = try AdminCredential(json: try AdminFixture.account.serialized)
    let token = try AdminFixture.token([
      "iss": "https://firebaseappcheck.googleapis.com/12345", "sub": "1:2:web:3", "auth_time": nil,
      "aud": ["projects/12345", "projects/demo"],
    ])
    #expect(try await fixture.admin.verifyAppCheckToken(token).alreadyConsumed == nil)
    let method = "demo:verifyAppCheckToken"
    #expect(try fixture.bodies(method).isEmpty)
    fixture.server.withLock {
      $0.answers[method] = [[:], ["alreadyConsumed": true], ["alreadyConsumed": "no"]]
    }
    for expected in [false, true] {
      #expect(try await fixture.admin.verifyAppCheckToken(token, consume: true).alreadyConsumed == expected)
    }
    let error = await #expect(throws: AdminError.self) {
      try await fixture.admin.verifyAppCheckToken(token, consume: true)
    }
    #expect(error?.code == .internalError)
    #expect(try fixture.bodies(method) == Array(repeating: ["app_check_token": .string(token)], count: 3))
    let request = try #require(fixture.transport.requests.first { $0.url.lastPathComponent == method })
    #expect(request.url.absoluteString == "https://firebaseappcheck.googleapis.com/v1beta/projects/\(method)")
    #expect(request.headers["Authorization"] == "Bearer secret-access")
    // A token that isn't valid isn't consumed.
    await #expect(throws: AdminError.self) {
      try await fixture.admin.verifyAppCheckToken(String(token.dropLast(4)), consume: true)
    }
    #expect(try fixture.bodies(method).count == 3)
  }
}
