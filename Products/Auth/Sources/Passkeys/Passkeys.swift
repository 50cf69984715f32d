import TenonFoundation
import TenonJSON

/// Signing in with a passkey.
extension Auth {
  /// Begins a sign-in with a passkey: returns what the authenticator needs, whose answer
  /// ``finalizePasskeySignIn(withPlatformCredential:)`` takes. The authenticator offers the passkeys that it has,
  /// so no user has to be known.
  ///
  /// - Throws: ``AuthError``.
  public func startPasskeySignIn() async throws -> PasskeyAssertionRequest {
    let answer = try await server.begun().startPasskeySignIn(PasskeySignInRequest())
    return try PasskeyAssertionRequest(try answer.credentialRequestOptions.orMissing)
  }

  /// Signs the user of a passkey in.
  ///
  /// - Parameter credential: the authenticator's answer to the request of ``startPasskeySignIn()``.
  /// - Throws: ``AuthError``; with ``AuthError/Code/passkeyEnrollmentNotFound`` if no user has the passkey, with
  ///   ``AuthError/Code/invalidAuthenticatorResponse`` if the answer is to another request, an expired one, or
  ///   one that was answered already.
  @discardableResult
  public func finalizePasskeySignIn(
    withPlatformCredential credential: PasskeyAssertion
  ) async throws -> AuthDataResult {
    let server = self.server.begun()
    _ = try await session.current()
    let answer = try await server.finalizePasskeySignIn(PasskeySignInRequest(credential))
    return try await begin(
      answer, AdditionalUserInfo(providerID: PasskeyAnswer.providerID, isNewUser: false), on: server)
  }
}

/// The passkeys of a user.
extension User {
  /// The passkeys, as the server last described them. ``reload()`` updates them.
  public var enrolledPasskeys: [PasskeyInfo] { profile.passkeys ?? [] }

  /// Begins to enroll a passkey: returns what the authenticator needs.
  ///
  /// - Parameter name: a name by which the user recognizes the passkey.
  /// - Throws: ``AuthError``; with ``AuthError/Code/userSignedOut`` if the user is no longer the current one.
  public func startPasskeyEnrollment(withName name: String? = nil) async throws -> PasskeyRegistrationRequest
  {
    try await withFreshToken { server, idToken in
      let answer = try await server.startPasskeyEnrollment(PasskeyEnrollmentRequest(idToken: idToken))
      return try PasskeyRegistrationRequest(try answer.credentialCreationOptions.orMissing, name: name)
    }
  }

  /// Adds a passkey to the account.
  ///
  /// - Parameter credential: the authenticator's answer to the request of ``startPasskeyEnrollment(withName:)``.
  /// - Throws: ``AuthError``; with ``AuthError/Code/invalidAuthenticatorResponse`` if the answer is to another
  ///   request, an expired one, or one that was answered already, with
  ///   ``AuthError/Code/credentialAlreadyInUse`` if the passkey is enrolled already, and with
  ///   ``AuthError/Code/userSignedOut`` if the user is no longer the current one.
  @discardableResult
  public func finalizePasskeyEnrollment(
    withPlatformCredential credential: PasskeyRegistration
  ) async throws -> AuthDataResult {
    _ = try await changing { server, idToken in
      try await server.finalizePasskeyEnrollment(PasskeyEnrollmentRequest(idToken: idToken, credential))
    }
    return AuthDataResult(
      user: self,
      additionalUserInfo: AdditionalUserInfo(providerID: PasskeyAnswer.providerID, isNewUser: false))
  }

  /// Removes a passkey from the account. Does nothing if the user doesn't have it.
  ///
  /// - Parameter credentialID: the ID of the credential (``PasskeyInfo/credentialID``).
  /// - Throws: ``AuthError`` with ``AuthError/Code/userSignedOut`` if the user is no longer the current one.
  public func unenrollPasskey(withCredentialID credentialID: String) async throws {
    _ = try await changing { server, idToken in
      try await server.update(UpdateRequest(idToken: idToken, deletePasskey: [credentialID]))
    }
  }
}
