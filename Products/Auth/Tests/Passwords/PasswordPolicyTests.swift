import Foundation
import TenonTestSupport
import TenonTransportInterop
import Testing

@testable import TenonAuth

/// Passwords are checked with the policy of the project or the tenant, which is loaded when it is needed.
@Suite(.limited) struct PasswordPolicyTests {
  private static let strict = """
    {"customStrengthOptions":{"minPasswordLength":8,"maxPasswordLength":12,"containsLowercaseCharacter":true,\
    "containsUppercaseCharacter":true,"containsNumericCharacter":true,"containsNonAlphanumericCharacter":true},\
    "allowedNonAlphanumericCharacters":["!","?"],"enforcementState":"ENFORCE","schemaVersion":1}
    """
  private static let lax = """
    {"customStrengthOptions":{"minPasswordLength":6},"schemaVersion":1,"enforcementState":\
    "ENFORCEMENT_STATE_UNSPECIFIED"}
    """

  private func withAuth(_ body: (Auth, ScriptedServer) async throws -> Void) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    try await body(try fixture.launch(), fixture.server)
  }

  @Test(
    arguments: [
      ("Lovelace1!", []), ("Love1!", ["min"]), ("Lovelace18151852!", ["max"]), ("LOVELACE1!", ["lower"]),
      ("lovelace1!", ["upper"]), ("Lovelace!", ["digit"]), ("Lovelace1", ["other"]),
      ("Lovelace1#", ["other"]),
      ("", ["min", "lower", "upper", "digit", "other"]), ("ÄÖÜäöü٣٤", ["lower", "upper", "digit", "other"]),
      // Two code units in UTF-16 each.
      ("😀😀Aa1!", []), ("😀😀😀😀Aa1!", []), ("😀😀😀😀😀Aa1!", ["max"]),
    ] as [(String, [String])])
  func eachRequirementIsCheckedOnItsOwn(password: String, unmet: [String]) async throws {
    try await withAuth { auth, server in
      server.answer("passwordPolicy", Self.strict)
      let status = try await auth.validatePassword(password)
      let found = [
        ("min", status.meetsMinPasswordLength), ("max", status.meetsMaxPasswordLength),
        ("lower", status.containsLowercaseLetter), ("upper", status.containsUppercaseLetter),
        ("digit", status.containsNumericCharacter), ("other", status.containsNonAlphanumericCharacter),
      ]
      #expect(found.filter { $0.1 == false }.map(\.0) == unmet && !found.contains { $0.1 == nil })
      #expect(status.isValid == unmet.isEmpty)
    }
  }

  @Test func whatThePolicyDoesNotRequireIsNil() async throws {
    try await withAuth { auth, server in
      server.answer("passwordPolicy", Self.lax)
      let status = try await auth.validatePassword("abcdef")
      #expect(status.isValid && status.meetsMinPasswordLength == true && status.meetsMaxPasswordLength == nil)
      #expect(status.containsLowercaseLetter == nil && status.containsNonAlphanumericCharacter == nil)
      #expect(status.passwordPolicy.enforcementState == "OFF" && !status.passwordPolicy.forceUpgradeOnSignin)
      #expect(status.passwordPolicy.customStrengthOptions.minPasswordLength == 6)
      #expect(try await auth.validatePassword("abc").isValid == false)
    }
  }

  @Test func thePolicyIsLoadedOnceWithoutThePassword() async throws {
    try await withAuth { auth, server in
      server.answer("passwordPolicy", Self.strict)
      for _ in 0..<3 { _ = try await auth.validatePassword("secret text") }
      #expect(server.methods == ["passwordPolicy"])
      let request = try #require(server.lastRequest)
      #expect(
        request.method == .get && request.url.path() == "/identitytoolkit.googleapis.com/v2/passwordPolicy")
      #expect(request.url.query() == "key=key" && request.json.isEmpty)
    }
  }

  @Test func eachTenantHasItsPolicy() async throws {
    try await withAuth { auth, server in
      server.answer("passwordPolicy", Self.lax)
      let ofProject = try await auth.validatePassword("abcdef")
      #expect(ofProject.isValid)
      auth.tenantID = "acme"
      server.answer("passwordPolicy", Self.strict)
      #expect(try await auth.validatePassword("abcdef").isValid == false)
      #expect(server.lastRequest?.url.query() == "key=key&tenantId=acme")
      auth.tenantID = nil
      #expect(try await auth.validatePassword("abcdef").isValid)
      #expect(server.methods.count == 2)
    }
  }

  @Test func aRefusedPasswordShowsThatThePolicyHasChanged() async throws {
    try await withAuth { auth, server in
      server.answer("passwordPolicy", Self.lax)
      let before = try await auth.validatePassword("abcdef")
      #expect(before.isValid)
      server.fail("signUp", "EMAIL_EXISTS")
      _ = await #expect(throws: AuthError.self) {
        try await auth.createUser(withEmail: "ada@example.com", password: "abcdef")
      }
      #expect(try await auth.validatePassword("abcdef").isValid)
      server.fail("signUp", "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [digit]")
      let error = await #expect(throws: AuthError.self) {
        try await auth.createUser(withEmail: "ada@example.com", password: "abcdef")
      }
      #expect(error?.code == .passwordPolicy)
      server.answer("passwordPolicy", Self.strict)
      #expect(try await auth.validatePassword("abcdef").isValid == false)
      #expect(server.methods == ["passwordPolicy", "signUp", "signUp", "passwordPolicy"])
    }
  }

  @Test func aPolicyThatArrivesAfterARefusalIsNotKept() async throws {
    try await withAuth { auth, server in
      server.answer("passwordPolicy", Self.lax)
      server.fail("signUp", "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [digit]")
      let gate = server.gate("passwordPolicy")
      async let early = auth.validatePassword("abcdef")
      await gate.arrival()
      _ = await #expect(throws: AuthError.self) {
        try await auth.createUser(withEmail: "ada@example.com", password: "abcdef")
      }
      gate.open()
      let answer = try await early
      #expect(answer.isValid)
      server.answer("passwordPolicy", Self.strict)
      #expect(try await auth.validatePassword("abcdef").isValid == false)
    }
  }

  @Test(
    arguments: [
      (#"{"schemaVersion":2}"#, .unsupportedPasswordPolicySchemaVersion), ("{}", .internalError),
      ("[]", .internalError), (#"{"schemaVersion":"1"}"#, .internalError),
      (#"{"schemaVersion":1,"customStrengthOptions":{"minPasswordLength":1e30}}"#, .internalError),
      (#"{"schemaVersion":1,"allowedNonAlphanumericCharacters":"!"}"#, .internalError),
    ] as [(String, AuthError.Code)])
  func anotherFormIsAnErrorAndNotKept(answer: String, code: AuthError.Code) async throws {
    try await withAuth { auth, server in
      server.answer("passwordPolicy", answer)
      let error = await #expect(throws: AuthError.self) { try await auth.validatePassword("abcdef") }
      #expect(error?.code == code)
      server.answer("passwordPolicy", Self.lax)
      let later = try await auth.validatePassword("abcdef")
      #expect(later.isValid)
    }
  }
}
