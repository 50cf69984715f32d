import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonAuth

/// Numbers in a server's answer and in a stored session may have any size.
@Suite(.limited) struct NumberTests {
  private func answer(expiresIn: String, _ fixture: AuthFixture) async throws {
    let tokens = fixture.server.state.withLock { state in
      state.users.append(ScriptedServer.User(uid: "ada", refreshToken: "refresh"))
      return state.tokens(state.users.count - 1)
    }
    let idToken = try #require(tokens["idToken"] as? String)
    fixture.server.answer(
      "signUp", #"{"idToken":"\#(idToken)","refreshToken":"refresh","expiresIn":"\#(expiresIn)"}"#)
  }

  @Test(
    arguments: [
      "1e300", "9223372036854775807", "-1", "-1e300", "inf", "nan", "soon", "31536001", "", " 5", "0x10",
      "-5",
      "9223372036854775808", "-9223372036854775808", "999999999999999999999", "1e400",
    ])
  func anImpossibleLifetimeIsRejected(expiresIn: String) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    await auth.session.keepFresh()
    try await answer(expiresIn: expiresIn, fixture)
    let error = await #expect(throws: AuthError.self) { try await auth.signInAnonymously() }
    #expect(error?.code == .internalError && error?.message.contains("\"\(expiresIn)\"") == true)
    #expect(auth.currentUser == nil)
    await auth.session.close()
  }

  @Test(arguments: ["0", "+5", "1e-400", "3600", "3600.5", "31536000"])
  func aLifetimeOfUpToAYearIsAccepted(expiresIn: String) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    try await answer(expiresIn: expiresIn, fixture)
    #expect(try await auth.signInAnonymously().user.uid == "ada")
  }

  @Test(arguments: [1e300, -1e300, 1e18, 63_113_904_000])
  func aStoredSessionMayExpireAtAnyTime(expires: Double) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    _ = try await fixture.launch().signInAnonymously()
    let file = try fixture.sessionFile
    var session = try JSONDecoder().decode(
      StoredSession.self, from: try Data(contentsOf: URL(fileURLWithPath: file)))
    session.tokens.expires = Date(timeIntervalSince1970: expires)
    try SessionFormat.encode(session).write(to: URL(fileURLWithPath: file))
    let auth = try fixture.launch()
    var waits = fixture.time.waits.makeAsyncIterator()
    await auth.session.keepFresh()
    let wait = try #require(await waits.next())
    #expect((0...31_536_000).contains(wait))
    await auth.session.close()
  }

  @Test(
    arguments: [
      "\"NaN\"", "\"Infinity\"", "\"5\"", "1e400", "-1e400", "+5", "0x10", "null", "", "true", "[1e300]",
    ])
  func aStoredSessionWhoseTimeIsNoNumberIsDamaged(expires: String) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    _ = try await fixture.launch().signInAnonymously()
    let file = URL(fileURLWithPath: try fixture.sessionFile)
    let session = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    // Version 1 has no checksum, so that only the number decides.
    let changed = session.replacing(/"expires":[-+.0-9eE]+/, with: "\"expires\":\(expires)")
      .replacing("\"version\":2", with: "\"version\":1").replacing(/,"checksum":".*"/, with: "")
    #expect(changed != session)
    try Data(changed.utf8).write(to: file)
    let auth = try fixture.launch()
    #expect(auth.sessionProblem?.code == .sessionDamaged)
    #expect(try await auth.session.token(forcingRefresh: false) == nil)
    await auth.session.close()
  }

  @Test(
    arguments: [
      "1e300", "-1e300", "-5", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e-400",
      "999999999999999999999", "0.5",
    ])
  func theTimesOfATokenMayBeAnyNumber(number: String) throws {
    let result = try AuthTokenResult(Self.token(time: number))
    let seconds = try #require(Double(number))
    #expect(result.expirationDate == Date(timeIntervalSince1970: seconds))
    #expect(result.issuedAtDate == result.expirationDate && result.authDate == result.expirationDate)
    #expect(result.description.hasPrefix("ID token of ada"))
    #expect(!result.claims.isEmpty)
  }

  @Test(arguments: ["1e400", "-1e400", "\"5\"", "\"NaN\"", "NaN", "+5", "0x10", "", "null", "[]"])
  func aTokenWhoseTimesAreNoNumbersIsMalformed(number: String) {
    let error = #expect(throws: AuthError.self) { try AuthTokenResult(Self.token(time: number)) }
    #expect(error?.code == .malformedJWT)
  }

  /// Returns a token whose times are a JSON text.
  private static func token(time: String) -> String {
    let payload =
      #"{"sub":"ada","iat":\#(time),"exp":\#(time),"auth_time":\#(time),"firebase":{"sign_in_provider":"custom"}}"#
    return [#"{"alg":"RS256"}"#, payload, "signature"].map { part in
      Data(part.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
        .replacing("/", with: "_")
    }.joined(separator: ".")
  }

  @Test(
    arguments: [
      ("nan", nil), ("inf", nil), ("1e300", nil), ("9223372036854775807", nil), ("yesterday", nil), ("", nil),
      (" 5", nil),
      ("+5", nil), ("0x10", nil), ("1e-400", nil), ("9223372036854775808", nil),
      ("-9223372036854775808", nil),
      ("999999999999999999999", nil), ("-5", -0.005),
      ("1700000000000", 1_700_000_000),
    ] as [(String, Double?)]
  )
  func anInvalidTimeIsUnknown(text: String, seconds: Double?) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    fixture.server.answer(
      "lookup", #"{"users":[{"localId":"user-1","createdAt":"\#(text)","lastLoginAt":"\#(text)"}]}"#)
    let user = try await auth.signInAnonymously().user
    let date = seconds.map { Date(timeIntervalSince1970: $0) }
    #expect(user.metadata == UserMetadata(creationDate: date, lastSignInDate: date))
    #expect(try fixture.launch().user.profile == user.profile)
  }
}
