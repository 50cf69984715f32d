import TenonFoundation
import TenonJSON

// The bodies of the methods of version 2 about passkeys, with the members of official clients.

/// The answer of an authenticator, as browsers name its members. Bytes are base64url.
struct PasskeyAnswer: Encodable, Sendable {
  struct Response: Encodable, Sendable {
    var clientDataJSON: String
    var attestationObject: String?
    var authenticatorData: String?
    var signature: String?
    var userHandle: String?
  }

  /// The provider of sessions that begin with a passkey, as ID tokens name it.
  static let providerID = "passkey"

  var id: String
  var type = "public-key"
  var response: Response
}

/// The request of `accounts/passkeyEnrollment:start` and `:finalize`.
struct PasskeyEnrollmentRequest: TenantRequest {
  var tenantId: String?
  var idToken: Secret
  var name: String?
  var authenticatorRegistrationResponse: PasskeyAnswer?

  init(idToken: Secret, _ credential: PasskeyRegistration? = nil) {
    self.idToken = idToken
    name = credential?.name
    authenticatorRegistrationResponse = credential.map {
      PasskeyAnswer(
        id: Base64URL.encode($0.credentialID),
        response: PasskeyAnswer.Response(
          clientDataJSON: Base64URL.encode($0.rawClientDataJSON),
          attestationObject: Base64URL.encode($0.rawAttestationObject)))
    }
  }
}

/// The request of `accounts/passkeySignIn:start` and `:finalize`.
struct PasskeySignInRequest: TenantRequest {
  var tenantId: String?
  var authenticatorAuthenticationResponse: PasskeyAnswer?

  init(_ credential: PasskeyAssertion? = nil) {
    authenticatorAuthenticationResponse = credential.map {
      PasskeyAnswer(
        id: Base64URL.encode($0.credentialID),
        response: PasskeyAnswer.Response(
          clientDataJSON: Base64URL.encode($0.rawClientDataJSON),
          authenticatorData: Base64URL.encode($0.rawAuthenticatorData),
          signature: Base64URL.encode($0.signature),
          userHandle: $0.userID.isEmpty ? nil : Base64URL.encode($0.userID)))
    }
  }
}

/// The answer to `accounts/passkeyEnrollment:start` and `accounts/passkeySignIn:start`, which has one of its members.
struct PasskeyOptions: Decodable, Sendable {
  var credentialCreationOptions: JSON?
  var credentialRequestOptions: JSON?
}

/// The answer with the tokens of a session.
struct PasskeySession: Decodable, TokenBearing, Sendable {
  var idToken: Secret?
  var refreshToken: Secret?
  var expiresIn: String?
  var mfaPendingCredential: Secret?
  var mfaInfo: [UserRecord.Factor]?
}

extension UserRecord {
  /// A passkey of an account.
  struct Passkey: Decodable {
    var credentialId: String
    var name: String?

    /// The passkey as apps see it.
    var info: PasskeyInfo { PasskeyInfo(name: name ?? "", credentialID: credentialId) }
  }
}

/// Passkeys. The methods aren't `repeatable`, because each creates a challenge or uses one up. The errors are
/// those of ``IdentityToolkit/call(_:_:email:repeatable:)``.
extension IdentityToolkit {
  /// Begins to enroll a passkey.
  func startPasskeyEnrollment(_ body: PasskeyEnrollmentRequest) async throws -> PasskeyOptions {
    try await call(version2: "accounts/passkeyEnrollment:start", body)
  }

  /// Enrolls a passkey.
  func finalizePasskeyEnrollment(_ body: PasskeyEnrollmentRequest) async throws -> PasskeySession {
    try await call(version2: "accounts/passkeyEnrollment:finalize", body)
  }

  /// Begins a sign-in.
  func startPasskeySignIn(_ body: PasskeySignInRequest) async throws -> PasskeyOptions {
    try await call(version2: "accounts/passkeySignIn:start", body)
  }

  /// Completes a sign-in.
  func finalizePasskeySignIn(_ body: PasskeySignInRequest) async throws -> PasskeySession {
    try await call(version2: "accounts/passkeySignIn:finalize", body)
  }
}
