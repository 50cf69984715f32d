import TenonFoundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

/// Passkeys without a key, in the Auth emulator's form.
@Suite(.limited) struct UnverifiedPasskeyTests {
  private let client = FactorClient()
  private var backend: Backend { client.backend }

  init() { backend.embedded.settings.unverifiedPasskeys = true }

  private func enroll(_ token: JSON, _ id: JSON, name: JSON? = nil) async throws -> (status: Int, json: JSON)
  {
    let body: JSON = .members([
      "idToken": token, "authenticatorRegistrationResponse": ["id": id], "name": name,
    ])
    return try await client.call("passkeyEnrollment:finalize", body)
  }

  private func signIn(_ id: JSON) async throws -> (status: Int, json: JSON) {
    try await client.call("passkeySignIn:finalize", ["authenticatorAuthenticationResponse": ["id": id]])
  }

  private func passkeys(of token: JSON) async throws -> JSON? {
    try await backend.call("accounts:lookup", ["idToken": token]).json["users"]?.array?.first?["passkeyInfo"]
  }

  @Test func aPasskeyIsEnrolledUsedAndRemoved() async throws {
    let token = try await client.signedUp()
    let options = try await client.call("passkeyEnrollment:start", ["idToken": token]).json
    #expect(options["credentialCreationOptions"]?["rp"]?["id"] == "localhost")
    #expect(options["credentialCreationOptions"]?["challenge"]?.string?.isEmpty == false)
    let enrolled = try await enroll(token, "k1", name: "Key")
    #expect(try enrolled.json.token("idToken").userID == enrolled.json["localId"]?.string)
    #expect(enrolled.json["refreshToken"] != nil)
    _ = try await enroll(token, "k2")
    #expect(
      try await passkeys(of: token) == [
        ["credentialId": "k1", "name": "Key"], ["credentialId": "k2", "name": "Unnamed Passkey"],
      ])
    let request = try await client.call("passkeySignIn:start", [:]).json["credentialRequestOptions"]
    #expect(request?["rpId"] == "localhost" && request?["challenge"] != nil)
    let session = try await signIn("k1").json
    #expect(session["localId"] == enrolled.json["localId"])
    #expect(try session.token("idToken").claims["firebase"]?["sign_in_provider"] == "passkey")
    let removed = try await backend.call(
      "accounts:update", ["idToken": token, "deletePasskey": ["k1", "unknown"]])
    #expect(removed.status == 200)
    #expect(try await passkeys(of: token)?.array?.count == 1)
    #expect(try await signIn("k1").json.errorMessage == "PASSKEY_CREDENTIAL_NOT_FOUND")
    #expect(try await signIn("k2").status == 200)
  }

  @Test func aPasskeyBelongsToOneUserWhoIsNotDisabled() async throws {
    let token = try await client.signedUp()
    let enrolled = try await enroll(token, "k1").json
    let other = try await backend.call("accounts:signUp").json
    #expect(
      try await enroll(try #require(other["idToken"]), "k1").json.errorMessage
        == "PASSKEY_ALREADY_EXISTS : The passkey is enrolled already.")
    let id = try #require(enrolled["localId"])
    _ = try await backend.administrate("accounts:update", ["localId": id, "disableUser": true])
    #expect(try await signIn("k1").json.errorMessage == "USER_DISABLED")
    _ = try await backend.administrate("accounts:delete", ["localId": id])
    #expect(try await signIn("k1").json.errorMessage == "PASSKEY_CREDENTIAL_NOT_FOUND")
  }

  @Test func aPasskeyDoesNotReplaceTheSecondFactor() async throws {
    let token = try await client.signedUp()
    _ = try await enroll(token, "k1")
    _ = try await client.enrolledApp(of: token)
    let pending = try await signIn("k1").json
    #expect(pending["mfaPendingCredential"] != nil && pending["idToken"] == nil)
  }

  @Test func wrongRequestsAreRefusedByName() async throws {
    let token = try await client.signedUp()
    #expect(try await client.call("passkeyEnrollment:start", [:]).json.errorMessage == "MISSING_ID_TOKEN")
    let finalize = try await client.call("passkeyEnrollment:finalize", ["idToken": "t"]).json
    #expect(finalize.errorMessage == "MISSING_AUTHENTICATOR_RESPONSE")
    #expect(
      try await client.call("passkeySignIn:finalize", [:]).json.errorMessage
        == "MISSING_AUTHENTICATOR_RESPONSE")
    for id in ["", String(repeating: "a", count: Passkey.longestID + 1)] {
      let error = try await enroll(token, .string(id)).json.errorMessage
      #expect(error?.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE") == true)
    }
    let name = JSON.string(String(repeating: "a", count: 257))
    #expect(try await enroll(token, "k", name: name).json.errorMessage?.hasPrefix("INVALID_NAME") == true)
    for number in 0..<Passkey.most { #expect(try await enroll(token, .string("k\(number)")).status == 200) }
    let tooMany = try await enroll(token, "one-more").json.errorMessage
    #expect(tooMany?.hasPrefix("MAXIMUM_PASSKEY_COUNT_EXCEEDED") == true)
  }

  @Test func withoutTheSettingNothingIsAccepted() async throws {
    let token = try await client.signedUp()
    _ = try await enroll(token, "k1")
    backend.embedded.settings.unverifiedPasskeys = false
    for answer in [try await enroll(token, "k2"), try await signIn("k1")] {
      #expect(answer.status == 400)
      #expect(answer.json.errorMessage?.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE") == true)
    }
  }

  @Test func aPasskeyWithAKeyIsVerifiedInAnyCase() async throws {
    let token = try await client.signedUp()
    let authenticator = try SoftwareAuthenticator()
    let options = try await client.call("passkeyEnrollment:start", ["idToken": token]).json
    let enrolled = try await client.call(
      "passkeyEnrollment:finalize",
      ["idToken": token, "authenticatorRegistrationResponse": try authenticator.enroll(options)])
    #expect(enrolled.status == 200)
    let id = JSON.string(Base64URL.encode(Data(authenticator.id)))
    #expect(try await signIn(id).json.errorMessage?.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE") == true)
  }
}
