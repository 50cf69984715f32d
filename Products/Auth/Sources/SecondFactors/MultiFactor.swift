import TenonFoundation

/// The second factors of a user: phone numbers and authenticator apps, one of which a sign-in then requires.
///
/// The user's email address must be verified, and the user must have signed in with it or with an identity
/// provider. A project decides which kinds it allows.
///
/// ```swift
/// let session = try await user.multiFactor.session()
/// let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
/// show(secret.generateQRCodeURL(withAccountName: user.email ?? "", issuer: "Harbour"))
/// let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code)
/// try await user.multiFactor.enroll(with: assertion, displayName: "Authenticator")
/// ```
///
/// A sign-in then throws ``AuthError`` with ``AuthError/Code/secondFactorRequired`` and a
/// ``AuthError/multiFactorResolver``, which continues it.
public struct MultiFactor: Sendable {
  /// The user whose factors these are.
  let user: User

  /// The factors, as the server last described them. ``User/reload()`` updates them.
  public var enrolledFactors: [any MultiFactorInfo] {
    (user.profile.secondFactors ?? []).map(\.info)
  }

  /// Returns a session for enrolling a factor.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/userSignedOut`` if the user is no longer the current one.
  public func session() async throws -> MultiFactorSession {
    _ = try await user.signedIn()
    return MultiFactorSession(purpose: .enrollment(user))
  }

  /// Adds a second factor to the account. The server sends an email with a link that undoes it.
  ///
  /// - Parameters:
  ///   - assertion: the proof that the factor is the user's, of ``PhoneMultiFactorGenerator`` or
  ///     ``TOTPMultiFactorGenerator``.
  ///   - displayName: a name by which the user recognizes the factor.
  /// - Throws: ``AuthError``; with ``AuthError/Code/invalidVerificationCode`` if the code is wrong, with
  ///   ``AuthError/Code/unverifiedEmail``, ``AuthError/Code/unsupportedFirstFactor``,
  ///   ``AuthError/Code/secondFactorAlreadyEnrolled``, ``AuthError/Code/maximumSecondFactorCountExceeded``,
  ///   ``AuthError/Code/operationNotAllowed`` or ``AuthError/Code/requiresRecentLogin``; with
  ///   ``AuthError/Code/argumentError`` for an assertion of a sign-in; with
  ///   ``AuthError/Code/userSignedOut`` if the user is no longer the current one.
  public func enroll(with assertion: MultiFactorAssertion, displayName: String? = nil) async throws {
    var request = SecondFactorRequest()
    switch assertion.proof {
    case .phone(let credential): request.phoneVerificationInfo = try credential.phoneVerification
    case .totpEnrollment(let secret, let code):
      request.totpVerificationInfo = TOTPVerification(sessionInfo: secret.sessionInfo, verificationCode: code)
    case .totpSignIn:
      throw AuthError(
        .argumentError,
        "The assertion is one for signing in. Create one with assertionForEnrollment(with:oneTimePassword:).")
    }
    request.displayName = displayName
    let enrollment = request
    _ = try await user.changing { server, idToken in
      var request = enrollment
      request.idToken = idToken
      return try await server.finalizeEnrollment(request)
    }
  }

  /// Removes a second factor from the account.
  ///
  /// - Parameter factorInfo: one of ``enrolledFactors``.
  /// - Throws: ``AuthError``, as ``unenroll(withFactorUID:)``.
  public func unenroll(with factorInfo: any MultiFactorInfo) async throws {
    try await unenroll(withFactorUID: factorInfo.uid)
  }

  /// Removes a second factor from the account.
  ///
  /// - Parameter factorUID: the factor's identifier (``MultiFactorInfo/uid``).
  /// - Throws: ``AuthError``; with ``AuthError/Code/multiFactorInfoNotFound`` if the user doesn't have the
  ///   factor, and with ``AuthError/Code/userSignedOut`` if the user is no longer the current one.
  public func unenroll(withFactorUID factorUID: String) async throws {
    _ = try await user.changing { server, idToken in
      try await server.withdrawEnrollment(
        SecondFactorRequest(idToken: idToken, mfaEnrollmentId: factorUID))
    }
  }
}

extension User {
  /// The user's second factors.
  public var multiFactor: MultiFactor { MultiFactor(user: self) }
}

/// What a second factor is proved for: its enrollment, or a sign-in. ``MultiFactor/session()`` and
/// ``MultiFactorResolver/session`` return one.
public struct MultiFactorSession: Sendable {
  enum Purpose: Sendable {
    /// The user enrolls a factor.
    case enrollment(User)
    /// The first factor of a sign-in was proved, for which the server returned a secret.
    case signIn(PendingSignIn)
  }

  let purpose: Purpose
}

/// The proof that a second factor is the user's. ``PhoneMultiFactorGenerator`` and
/// ``TOTPMultiFactorGenerator`` create it, and the server checks it when it is used.
public struct MultiFactorAssertion: Sendable {
  enum Proof: Sendable {
    case phone(AuthCredential)
    case totpEnrollment(TOTPSecret, code: Secret)
    case totpSignIn(factorUID: String, code: Secret)
  }

  let proof: Proof

  /// The kind of the factor, for example ``PhoneMultiFactorInfo/PhoneMultiFactorID``.
  public var factorID: String {
    switch proof {
    case .phone: PhoneMultiFactorInfo.PhoneMultiFactorID
    case .totpEnrollment, .totpSignIn: PhoneMultiFactorInfo.TOTPMultiFactorID
    }
  }
}

/// Creates the proof of a phone number as a second factor.
public enum PhoneMultiFactorGenerator {
  /// Returns the proof of a phone number.
  ///
  /// - Parameter credential: a credential of ``PhoneAuthProvider``, whose verification was begun with a
  ///   ``MultiFactorSession``. Another one is refused when the proof is used.
  public static func assertion(with credential: AuthCredential) -> MultiFactorAssertion {
    MultiFactorAssertion(proof: .phone(credential))
  }
}
