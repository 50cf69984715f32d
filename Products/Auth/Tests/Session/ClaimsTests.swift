import Foundation
import TenonTesting
import Testing

@testable import TenonAuth

struct ClaimsTests {
  private struct Roles: Decodable {
    var role: String
  }

  @Test func anIDTokenTellsItsClaims() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    #expect(try await auth.idTokenResult() == nil)
    let user = try await auth.createUser(email: "ada@example.com", password: "lovelace").user
    let result = try #require(await auth.idTokenResult())
    #expect(result.userID == user.uid && result.signInProvider == .password && result.secondFactor == nil)
    #expect(result.signedIn == Date(timeIntervalSince1970: 1_699_999_999))
    #expect(result.issued == Date(timeIntervalSince1970: 1_700_000_000))
    #expect(result.expires == Date(timeIntervalSince1970: 1_700_003_600))
    #expect(try result.claims(as: Roles.self).role == "editor")
    #expect(try await auth.idTokenResult(forcingRefresh: true)?.token != result.token)
  }

  @Test func itsDescriptionDoesNotShowTheToken() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    let result = try #require(await auth.idTokenResult())
    var dumped = ""
    dump(result, to: &dumped)
    #expect(!"\(result) \(String(reflecting: result)) \(dumped)".contains(result.token))
  }

  /// Tokens of servers have no padding (RFC 7515, section 2).
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
  func whatIsNoIDTokenIsAnError(token: String) {
    let error = #expect(throws: AuthError.self) { try IDTokenResult(token) }
    #expect(error?.code == .malformedToken)
  }

  @Test(arguments: [-86_400, -301, 301, 86_400] as [TimeInterval])
  func aClockThatGoesWrongFromTheStartDoesNoHarm(skew: TimeInterval) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    fixture.time.set(by: skew)
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    let first = try await auth.idToken()
    fixture.time.advance(by: 3_600 - 301)
    #expect(try await auth.idToken() == first)
    fixture.time.advance(by: 1)
    #expect(try await auth.idToken() != first)
  }

  @Test(arguments: [(-299, true), (-301, false)] as [(TimeInterval, Bool)])
  func aClockThatIsPutBackMakesTokensNew(by seconds: TimeInterval, isKept: Bool) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    let first = try await auth.idToken()
    fixture.time.set(by: seconds)
    #expect(try await (auth.idToken() == first) == isKept)
  }

  @Test func anOlderSessionIsStillRead() throws {
    let json = #"{"idToken":"i","refreshToken":"r","expires":100}"#
    let tokens = try JSONDecoder().decode(SessionTokens.self, from: Data(json.utf8))
    #expect(tokens.received == nil)
    #expect(tokens.isFresh(at: tokens.expires - 301) && !tokens.isFresh(at: tokens.expires - 300))
  }
}
