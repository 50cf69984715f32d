import TenonFoundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

/// Enrolling passkeys, and signing in with them, as clients do it on the wire.
@Suite(.limited) struct PasskeyTests {
  private let client = FactorClient()

  /// Enrolls a passkey.
  private func enroll(
    _ user: JSON, _ authenticator: SoftwareAuthenticator, name: JSON = "Laptop",
    _ change: (inout SoftwareAuthenticator.Answer) -> Void = { _ in }
  ) async throws -> (status: Int, json: JSON) {
    let options = try await client.call("passkeyEnrollment:start", ["idToken": user]).json
    return try await client.call(
      "passkeyEnrollment:finalize",
      [
        "idToken": user, "name": name,
        "authenticatorRegistrationResponse": try authenticator.enroll(options, change),
      ])
  }

  /// Signs in with a passkey.
  private func signIn(
    _ authenticator: SoftwareAuthenticator, _ change: (inout SoftwareAuthenticator.Answer) -> Void = { _ in }
  ) async throws -> (status: Int, json: JSON) {
    let options = try await client.call("passkeySignIn:start", [:]).json
    return try await client.call(
      "passkeySignIn:finalize",
      ["authenticatorAuthenticationResponse": try authenticator.signIn(options, change)])
  }

  private func passkeys(of user: JSON) async throws -> [JSON] {
    let found = try await client.backend.call("accounts:lookup", ["idToken": user]).json
    return found["users"]?.array?.first?["passkeyInfo"]?.array ?? []
  }

  @Test func aPasskeyIsEnrolledAndSignsItsUserIn() async throws {
    let user = try await client.signedUp()
    let options = try await client.call("passkeyEnrollment:start", ["idToken": user]).json
    let creation = try #require(options["credentialCreationOptions"])
    #expect(creation["rp"]?["id"] == "localhost" && creation["user"]?["name"] == "ada@example.com")
    #expect(creation["authenticatorSelection"]?["userVerification"] == "required")
    let authenticator = try SoftwareAuthenticator()
    let enrolled = try await enroll(user, authenticator)
    #expect(enrolled.status == 200 && enrolled.json["refreshToken"] != nil)
    let id = Base64URL.encode(Data(authenticator.id))
    #expect(try await passkeys(of: user) == [["credentialId": .string(id), "name": "Laptop"]])

    let session = try await signIn(authenticator)
    #expect(session.status == 200 && session.json["localId"] == enrolled.json["localId"])
    let claims = try session.json.token("idToken").claims
    #expect(claims["firebase"]?["sign_in_provider"] == "passkey" && claims["email"] == "ada@example.com")
    #expect(try await client.backend.refresh(session.json["refreshToken"]).status == 200)
  }

  /// What can be wrong with an answer.
  enum Mistake: CaseIterable {
    case anotherOrigin, anOriginThatEndsLikeTheDomain, noOrigin, anotherDomain, anotherPurpose,
      anUnknownChallenge
    case anAbsentUser, anUnverifiedUser

    func apply(to answer: inout SoftwareAuthenticator.Answer) {
      switch self {
      case .anotherOrigin: answer.origin = "https://localhost.example.com"
      case .anOriginThatEndsLikeTheDomain: answer.origin = "http://notlocalhost"
      case .noOrigin: answer.origin = "localhost"
      case .anotherDomain: answer.relyingPartyID = "example.com"
      case .anotherPurpose: answer.type = "payment.get"
      case .anUnknownChallenge: answer.challenge = String(repeating: "a", count: 44)
      case .anAbsentUser: answer.flags &= ~0x01
      case .anUnverifiedUser: answer.flags &= ~0x04
      }
    }
  }

  @Test(arguments: Mistake.allCases) func anAnswerIsVerified(mistake: Mistake) async throws {
    let user = try await client.signedUp()
    let authenticator = try SoftwareAuthenticator()
    let refused = try await enroll(user, authenticator) { mistake.apply(to: &$0) }
    #expect(refused.json.errorMessage?.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE : ") == true)
    #expect(try await passkeys(of: user) == [])
    #expect(try await enroll(user, authenticator).status == 200)
    let stranger = try await signIn(authenticator) { mistake.apply(to: &$0) }
    #expect(stranger.json.errorMessage?.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE : ") == true)
    #expect(try await signIn(authenticator).status == 200)
  }

  @Test func aSignatureOfSomethingElseSignsNobodyIn() async throws {
    let authenticator = try SoftwareAuthenticator()
    #expect(try await enroll(try await client.signedUp(), authenticator).status == 200)
    let refused = try await signIn(authenticator) { $0.signedToo = [1] }
    #expect(refused.json.errorMessage == "INVALID_AUTHENTICATOR_RESPONSE : The signature is wrong.")
    let unknown = try await signIn(authenticator) { $0.id = [1, 2, 3] }
    #expect(unknown.status == 400 && unknown.json.errorMessage == "PASSKEY_CREDENTIAL_NOT_FOUND")
  }

  @Test func anAnswerCountsOnceAndForFiveMinutes() async throws {
    let authenticator = try SoftwareAuthenticator()
    let user = try await client.signedUp()
    #expect(try await enroll(user, authenticator).status == 200)
    let options = try await client.call("passkeySignIn:start", [:]).json
    let body: JSON = ["authenticatorAuthenticationResponse": try authenticator.signIn(options)]
    #expect(try await client.call("passkeySignIn:finalize", body).status == 200)
    #expect(try await client.call("passkeySignIn:finalize", body).status == 400)
    let later = try await client.call("passkeySignIn:start", [:]).json
    client.backend.clock.advance(bySeconds: 301)
    let late: JSON = ["authenticatorAuthenticationResponse": try authenticator.signIn(later)]
    #expect(try await client.call("passkeySignIn:finalize", late).status == 400)
    // The challenge of a sign-in enrolls nothing.
    let challenge = try #require(later["credentialRequestOptions"]?["challenge"]?.string)
    let other = try SoftwareAuthenticator(id: "credential-2")
    #expect(try await enroll(user, other) { $0.challenge = challenge }.status == 400)
  }

  @Test func aCounterThatDoesNotGrowIsThatOfACopy() async throws {
    let authenticator = try SoftwareAuthenticator()
    #expect(try await enroll(try await client.signedUp(), authenticator) { $0.signCount = 7 }.status == 200)
    #expect(try await signIn(authenticator) { $0.signCount = 8 }.status == 200)
    for count in [8, 0] as [UInt32] {
      let copy = try await signIn(authenticator) { $0.signCount = count }
      #expect(copy.json.errorMessage?.contains("may have been copied") == true)
    }
    #expect(try await signIn(authenticator) { $0.signCount = 9 }.status == 200)
  }

  @Test func aPasskeyBelongsToOneUserAndIsRemoved() async throws {
    let authenticator = try SoftwareAuthenticator()
    let user = try await client.signedUp()
    #expect(try await enroll(user, authenticator).status == 200)
    let other = try await client.backend.call("accounts:signUp").json
    let otherUser = try #require(other["idToken"])
    let twice = try await enroll(otherUser, authenticator)
    #expect(twice.json.errorMessage == "PASSKEY_ALREADY_EXISTS : The passkey is enrolled already.")
    let id = JSON.string(Base64URL.encode(Data(authenticator.id)))
    // One user can't remove another's.
    #expect(
      try await client.backend.call("accounts:update", ["idToken": otherUser, "deletePasskey": [id]]).status
        == 200)
    #expect(try await signIn(authenticator).status == 200)
    #expect(
      try await client.backend.call("accounts:update", ["idToken": user, "deletePasskey": [id]]).status == 200
    )
    #expect(try await passkeys(of: user) == [])
    #expect(try await signIn(authenticator).json.errorMessage == "PASSKEY_CREDENTIAL_NOT_FOUND")
    #expect(try await enroll(otherUser, authenticator).status == 200)
  }

  @Test func aChallengeOfOneUserEnrollsNothingForAnother() async throws {
    let (user, other) = (
      try await client.signedUp(),
      try #require(try await client.backend.call("accounts:signUp").json["idToken"])
    )
    let options = try await client.call("passkeyEnrollment:start", ["idToken": user]).json
    let answer = try SoftwareAuthenticator().enroll(options)
    let body: JSON = ["idToken": other, "authenticatorRegistrationResponse": answer]
    #expect(try await client.call("passkeyEnrollment:finalize", body).status == 400)
    #expect(try await passkeys(of: other) == [])
  }

  @Test func aDisabledOrDeletedUserIsNotSignedIn() async throws {
    let authenticator = try SoftwareAuthenticator()
    let enrolled = try await enroll(try await client.signedUp(), authenticator).json
    let id = try #require(enrolled["localId"])
    _ = try await client.backend.administrate("accounts:update", ["localId": id, "disableUser": true])
    #expect(try await signIn(authenticator).json.errorMessage == "USER_DISABLED")
    _ = try await client.backend.administrate("accounts:delete", ["localId": id])
    #expect(try await signIn(authenticator).json.errorMessage == "PASSKEY_CREDENTIAL_NOT_FOUND")
  }

  @Test func whoProvesTheAddressTakesTheAccountFromWhoeverEnrolledAPasskey() async throws {
    let authenticator = try SoftwareAuthenticator()
    let stranger = try await client.backend.call(
      "accounts:signUp", ["email": "ada@example.com", "password": "stranger"]
    ).json
    #expect(try await enroll(try #require(stranger["idToken"]), authenticator).status == 200)
    let reset: JSON = ["requestType": "PASSWORD_RESET", "email": "ada@example.com", "returnOobLink": true]
    let code = try await client.backend.administrate("accounts:sendOobCode", reset).json["oobCode"]
    let body: JSON = ["oobCode": try #require(code), "newPassword": "lovelace"]
    #expect(try await client.backend.call("accounts:resetPassword", body).status == 200)
    #expect(try await signIn(authenticator).json.errorMessage == "PASSKEY_CREDENTIAL_NOT_FOUND")
  }

  @Test func passkeysSurviveARestart() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let authenticator = try SoftwareAuthenticator()
    let first = FactorClient(Backend(directory: directory.path))
    let user = try await first.signedUp()
    let options = try await first.call("passkeyEnrollment:start", ["idToken": user]).json
    let answer = try authenticator.enroll(options)
    let body: JSON = ["idToken": user, "authenticatorRegistrationResponse": answer]
    #expect(try await first.call("passkeyEnrollment:finalize", body).status == 200)
    await first.backend.embedded.close()
    let second = FactorClient(Backend(directory: directory.path))
    let request = try await second.call("passkeySignIn:start", [:]).json
    let session = try await second.call(
      "passkeySignIn:finalize", ["authenticatorAuthenticationResponse": try authenticator.signIn(request)])
    #expect(session.status == 200)
    await second.backend.embedded.close()
  }

  @Test(
    arguments: [
      ("passkeyEnrollment:start", [:], "MISSING_ID_TOKEN"),
      ("passkeyEnrollment:finalize", ["authenticatorRegistrationResponse": ["id": "c"]], "MISSING_ID_TOKEN"),
      ("passkeyEnrollment:finalize", ["idToken": "t"], "MISSING_AUTHENTICATOR_RESPONSE"),
      ("passkeySignIn:finalize", [:], "MISSING_AUTHENTICATOR_RESPONSE"),
      (
        "passkeySignIn:finalize", ["authenticatorAuthenticationResponse": ["id": "nonexistent_cred_id"]],
        "PASSKEY_CREDENTIAL_NOT_FOUND"
      ),
    ] as [(String, JSON, String)])
  func missingMembersAreNamed(method: String, body: JSON, code: String) async throws {
    let (status, json) = try await client.call(method, body)
    #expect(status == 400 && json.errorMessage == code)
  }
}
