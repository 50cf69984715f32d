import TenonFoundation

/// Continues a sign-in that requires a second factor. ``AuthError/multiFactorResolver`` has it.
///
/// ```swift
/// do { try await auth.signIn(withEmail: email, password: password) } catch let error as AuthError {
///   guard let resolver = error.multiFactorResolver, let hint = resolver.hints.first else { throw error }
///   let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
///     withEnrollmentID: hint.uid, oneTimePassword: code)
///   try await resolver.resolveSignIn(with: assertion)
/// }
/// ```
///
/// For a phone number, pass ``session`` to
/// ``PhoneAuthProvider/verifyPhoneNumber(with:uiDelegate:multiFactorSession:recaptchaToken:)``.
public struct MultiFactorResolver: Sendable {
  /// The user's second factors, one of which has to be proved. Those of kinds that this version doesn't know
  /// are left out.
  public let hints: [any MultiFactorInfo]
  /// The session of the sign-in, for the code of a phone number.
  public let session: MultiFactorSession
  /// What the server knows of the sign-in.
  private let pending: PendingSignIn
  /// The session of the app.
  private let owner: Session
  /// The result of the first factor.
  private let result: FirstFactorResult

  init(_ pending: PendingSignIn, _ owner: Session, _ result: FirstFactorResult) {
    hints = pending.hints.map(\.info)
    session = MultiFactorSession(purpose: .signIn(pending))
    self.pending = pending
    self.owner = owner
    self.result = result
  }

  /// Completes the sign-in with the proof of a second factor.
  ///
  /// A wrong code doesn't end the sign-in: call it again with another one.
  ///
  /// - Parameter assertion: the proof of one of the ``hints``.
  /// - Returns: the user, who is now the current one, and what the first factor returned.
  /// - Throws: ``AuthError``; with ``AuthError/Code/invalidVerificationCode`` if the code is wrong, with
  ///   ``AuthError/Code/invalidMultiFactorSession`` if the sign-in took too long or was completed before, with
  ///   ``AuthError/Code/multiFactorInfoNotFound``, and with ``AuthError/Code/argumentError`` for an assertion
  ///   of an enrollment. The current user is then unchanged.
  @discardableResult
  public func resolveSignIn(with assertion: MultiFactorAssertion) async throws -> AuthDataResult {
    var request = SecondFactorRequest(mfaPendingCredential: pending.credential)
    switch assertion.proof {
    case .phone(let credential): request.phoneVerificationInfo = try credential.phoneVerification
    case .totpSignIn(let uid, let code):
      request.mfaEnrollmentId = uid
      request.totpVerificationInfo = TOTPVerification(verificationCode: code)
    case .totpEnrollment:
      throw AuthError(
        .argumentError,
        "The assertion is one of an enrollment. Create one with assertionForSignIn(withEnrollmentID:oneTimePassword:)."
      )
    }
    let server = owner.server.inTenant(pending.tenantID).begun()
    if let uid = result.uid { try await checkIsSignedIn(uid) }
    guard let tokens = try server.tokens(of: try await server.finalizeSignIn(request)) else {
      throw AuthError.noTokens
    }
    let profile = try await server.lookup(tokens.idToken)
    if let uid = result.uid {
      guard profile.uid == uid else { throw AuthError.mismatch(nil) }
      try await checkIsSignedIn(uid)
    }
    try Task.checkCancellation()
    let user = try await owner.adopt(StoredSession(profile: profile, tokens: tokens))
    return AuthDataResult(
      user: user, additionalUserInfo: result.additionalUserInfo, credential: result.credential)
  }

  /// Checks that the user who proves the identity again is still the current one.
  private func checkIsSignedIn(_ uid: String) async throws {
    guard let user = try await owner.current()?.user, user.uid == uid, user.tenantID == pending.tenantID
    else {
      throw AuthError.signedOut(uid)
    }
  }
}

/// A sign-in that the server completes after a second factor.
struct PendingSignIn: Sendable {
  /// The server's secret of the sign-in.
  let credential: Secret
  /// The tenant of the sign-in; `nil` for the project itself.
  let tenantID: String?
  /// The user's second factors.
  let hints: [EnrolledFactor]
}

/// What is known after the first factor.
struct FirstFactorResult: Sendable {
  /// The user who proves the identity again; `nil` for a sign-in.
  var uid: String?
  var additionalUserInfo: AdditionalUserInfo?
  var credential: AuthCredential?
}

extension Session {
  /// Returns the tokens of the answer to a sign-in; `nil` if it has none.
  ///
  /// - Parameters:
  ///   - answer: the answer.
  ///   - result: what is known after the first factor.
  ///   - server: the client of the operation.
  /// - Throws: ``AuthError``; with ``AuthError/Code/secondFactorRequired`` and a
  ///   ``AuthError/multiFactorResolver`` if the server requires a second factor.
  nonisolated func tokens(
    of answer: some TokenBearing, _ result: FirstFactorResult, on server: IdentityToolkit
  ) throws -> SessionTokens? {
    do { return try server.tokens(of: answer) } catch var error as AuthError {
      if let pending = error.pendingSignIn {
        error.multiFactorResolver = MultiFactorResolver(pending, self, result)
      }
      throw error
    }
  }
}
