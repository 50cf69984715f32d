import Foundation
import TenonTestSupport
import Testing

@testable import TenonAuth

@Suite(.limited) struct ClaimsTests {
  private struct Roles: Decodable {
    var role: String
  }

  @Test func anIDTokenHasItsClaims() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let user = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    let result = try await user.getIDTokenResult()
    #expect(
      result.userID == user.uid && result.signInProvider == EmailAuthProvider.id
        && result.signInSecondFactor.isEmpty)
    #expect(result.authDate == Date(timeIntervalSince1970: 1_699_999_999))
    #expect(result.issuedAtDate == Date(timeIntervalSince1970: 1_700_000_000))
    #expect(result.expirationDate == Date(timeIntervalSince1970: 1_700_003_600))
    #expect(try result.claims(as: Roles.self).role == "editor")
    #expect(result.claims["role"] as? String == "editor" && result.claims["iat"] as? Int == 1_700_000_000)
    #expect(
      (result.claims["firebase"] as? [String: any Sendable])?["sign_in_provider"] as? String == "password")
    #expect(try await user.getIDTokenResult(forcingRefresh: true).token != result.token)
  }

  @Test func itsDescriptionDoesNotContainTheToken() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    let result = try await auth.user.getIDTokenResult()
    var dumped = ""
    dump(result, to: &dumped)
    #expect(!"\(result) \(String(reflecting: result)) \(dumped)".contains(result.token))
  }

  /// Servers' tokens have no padding (RFC 7515, section 2).
  @Test(arguments: ["a", "ab", "abc", "a>?ÿ"])
  func aPayloadOfAnyLengthIsRead(uid: String) throws {
    let parts = [#"{"alg":"RS256"}"#, #"{"sub":"\#(uid)"}"#, "signature"].map { part in
      Data(part.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
        .replacing("/", with: "_")
    }
    let claims = try #require(IDTokenClaims(parts.joined(separator: ".")))
    #expect(claims.userID == uid && claims.isSigned)
  }

  @Test(arguments: ["", "a.b", "a.b.c", "e30.e30.", "e30.eyJzdWIiOiJhIn0."])
  func otherTextIsAnError(token: String) {
    let error = #expect(throws: AuthError.self) { try AuthTokenResult(token) }
    #expect(error?.code == .malformedJWT)
  }

  @Test(arguments: [-86_400, -301, 301, 86_400] as [Double])
  func aClockThatIsWrongFromTheStartDoesNoHarm(skew: Double) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    fixture.time.set(by: skew)
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    let first = try await auth.user.getIDToken()
    fixture.time.advance(by: 3_600 - 301)
    #expect(try await auth.user.getIDToken() == first)
    fixture.time.advance(by: 1)
    #expect(try await auth.user.getIDToken() != first)
  }

  @Test(arguments: [(-299, true), (-301, false)] as [(TimeInterval, Bool)])
  func settingTheClockBackRefreshesTheToken(by seconds: Double, isKept: Bool) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    let first = try await auth.user.getIDToken()
    fixture.time.set(by: seconds)
    #expect(try await (auth.user.getIDToken() == first) == isKept)
  }

  @Test func anOlderSessionIsRead() throws {
    let json = #"{"idToken":"i","refreshToken":"r","expires":100}"#
    let tokens = try JSONDecoder().decode(SessionTokens.self, from: Data(json.utf8))
    #expect(tokens.received == nil)
    #expect(tokens.isFresh(at: tokens.expires - 301) && !tokens.isFresh(at: tokens.expires - 300))
  }
}
