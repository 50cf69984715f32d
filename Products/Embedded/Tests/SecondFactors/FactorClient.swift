import TenonTransport
import Testing

@testable import TenonEmbedded

/// A client of a backend, for the user `ada@example.com`, whose password is `lovelace`.
struct FactorClient {
  let backend: Backend

  init(_ backend: Backend = Backend()) {
    self.backend = backend
    backend.embedded.settings.fastPasswordHashing = true
  }

  /// Calls a method of version 2.
  func call(_ method: String, _ body: JSON) async throws -> (status: Int, json: JSON) {
    let url = "https://identitytoolkit.googleapis.com/v2/accounts/\(method)?key=any"
    return try await backend.post(url, body: body.serialized)
  }

  /// Signs the user up, and returns an ID token. The address is verified.
  func signedUp() async throws -> JSON {
    let body: JSON = ["email": "ada@example.com", "password": "lovelace"]
    let user = try await backend.call("accounts:signUp", body).json
    _ = try await backend.administrate(
      "accounts:update", ["localId": try #require(user["localId"]), "emailVerified": true])
    return try #require(user["idToken"])
  }

  /// Signs in with the password.
  func signIn() async throws -> JSON {
    try await backend.call(
      "accounts:signInWithPassword", ["email": "ada@example.com", "password": "lovelace"]
    ).json
  }

  /// The second factors of the user of an ID token.
  func factors(of idToken: JSON?) async throws -> [JSON] {
    let found = try await backend.call("accounts:lookup", ["idToken": try #require(idToken)]).json
    return found["users"]?.array?.first?["mfaInfo"]?.array ?? []
  }

  /// Returns the code that an authenticator app shows now.
  func code(of secret: String) throws -> String {
    try #require(backend.embedded.oneTimePassword(forSharedSecretKey: secret))
  }

  /// Enrolls an authenticator app, and returns its secret.
  func enrolledApp(of token: JSON) async throws -> String {
    let start = try await call("mfaEnrollment:start", ["idToken": token, "totpEnrollmentInfo": [:]])
    let info = try #require(start.json["totpSessionInfo"])
    #expect(
      info["verificationCodeLength"] == 6 && info["hashingAlgorithm"] == "SHA1" && info["periodSec"] == 30)
    let secret = try #require(info["sharedSecretKey"]?.string)
    let verification: JSON = [
      "sessionInfo": try #require(info["sessionInfo"]), "verificationCode": .string(try code(of: secret)),
    ]
    let end = try await call(
      "mfaEnrollment:finalize",
      ["idToken": token, "displayName": "App", "totpVerificationInfo": verification])
    #expect(end.status == 200)
    return secret
  }

  /// Enrolls a phone number, and returns the tokens of the session.
  func enrolledPhone(_ number: JSON, of token: JSON) async throws -> JSON {
    let start = try await call(
      "mfaEnrollment:start", ["idToken": token, "phoneEnrollmentInfo": ["phoneNumber": number]])
    let code = try #require(backend.embedded.phoneCodes().last)
    let verification: JSON = [
      "sessionInfo": try #require(start.json["phoneSessionInfo"]?["sessionInfo"]), "code": .string(code.code),
    ]
    return try await call(
      "mfaEnrollment:finalize", ["idToken": token, "phoneVerificationInfo": verification]
    ).json
  }

  /// Completes a sign-in with the code of an authenticator app.
  func finish(_ pending: JSON, _ code: String) async throws -> (status: Int, json: JSON) {
    let app = pending["mfaInfo"]?.array?.first { $0["totpInfo"] != nil }
    return try await call(
      "mfaSignIn:finalize",
      [
        "mfaPendingCredential": try #require(pending["mfaPendingCredential"]),
        "mfaEnrollmentId": try #require(app?["mfaEnrollmentId"]),
        "totpVerificationInfo": ["verificationCode": .string(code)],
      ])
  }

  /// Completes a sign-in with the code of a text message.
  func finishByPhone(
    _ credential: JSON, _ session: JSON, _ code: String
  ) async throws -> (status: Int, json: JSON) {
    try await call(
      "mfaSignIn:finalize",
      [
        "mfaPendingCredential": credential,
        "phoneVerificationInfo": ["sessionInfo": session, "code": .string(code)],
      ])
  }
}
