public import TenonFoundation
import TenonJSON
import TenonTransport

/// Creates the secrets of authenticator apps, and the proof that an app shows the right code (TOTP, RFC 6238).
public enum TOTPMultiFactorGenerator {
  /// Asks the server for the secret of an authenticator app that the user wants to enroll.
  ///
  /// - Parameter session: a session of ``MultiFactor/session()``.
  /// - Returns: the secret, which the user enters into the app.
  /// - Throws: ``AuthError``; with ``AuthError/Code/argumentError`` for the session of a sign-in, and the
  ///   errors of ``MultiFactor/enroll(with:displayName:)``.
  public static func generateSecret(with session: MultiFactorSession) async throws -> TOTPSecret {
    guard case .enrollment(let user) = session.purpose else {
      throw AuthError(
        .argumentError,
        "A secret is created to enroll a factor. Pass the session of try await user.multiFactor.session().")
    }
    return TOTPSecret(
      try await user.withFreshToken { server, idToken in
        try await server.startEnrollment(
          EnrollmentRequest(idToken: idToken, totpEnrollmentInfo: NoMembers()))
      }.totpSessionInfo.orMissing)
  }

  /// Returns the proof with which an authenticator app is enrolled.
  ///
  /// - Parameters:
  ///   - secret: the secret of ``generateSecret(with:)``.
  ///   - oneTimePassword: the code that the app shows.
  public static func assertionForEnrollment(
    with secret: TOTPSecret, oneTimePassword: String
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(proof: .totpEnrollment(secret, code: Secret(oneTimePassword)))
  }

  /// Returns the proof with which a sign-in continues.
  ///
  /// - Parameters:
  ///   - enrollmentID: the ``MultiFactorInfo/uid`` of one of the hints.
  ///   - oneTimePassword: the code that the app shows.
  public static func assertionForSignIn(
    withEnrollmentID enrollmentID: String, oneTimePassword: String
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(proof: .totpSignIn(factorUID: enrollmentID, code: Secret(oneTimePassword)))
  }
}

/// The secret that an authenticator app shares with the server. A dump doesn't show it.
public struct TOTPSecret: Sendable {
  private let key: Secret
  /// What the server returned for the enrollment.
  let sessionInfo: Secret
  /// The hash function of the codes, for example `SHA1`.
  public let hashingAlgorithm: String
  /// The number of digits of a code.
  public let codeLength: Int
  /// How long the app shows a code, in seconds.
  public let codeIntervalSeconds: Int
  /// When the enrollment must be complete, by the server's clock; `nil` if the server doesn't say so.
  public let enrollmentCompletionDeadline: Date?

  init(_ answer: TOTPSessionInfo) {
    key = answer.sharedSecretKey
    sessionInfo = answer.sessionInfo
    hashingAlgorithm = answer.hashingAlgorithm ?? "SHA1"
    codeLength = answer.verificationCodeLength ?? 6
    codeIntervalSeconds = answer.periodSec ?? 30
    enrollmentCompletionDeadline = answer.finalizeEnrollmentTime.flatMap { Date(iso8601: $0) }
  }

  /// Returns the secret in base32, for users who type it into the app.
  public func sharedSecretKey() -> String { key.value }

  /// Returns the URL that an authenticator app reads from a QR code, in the form of Google Authenticator
  /// (https://github.com/google/google-authenticator/wiki/Key-Uri-Format).
  ///
  /// - Parameters:
  ///   - accountName: the name of the account in the app, usually the email address.
  ///   - issuer: the name of the service in the app.
  public func generateQRCodeURL(withAccountName accountName: String, issuer: String) -> String {
    let (account, issuer) = (PercentEncoding.queryValue(accountName), PercentEncoding.queryValue(issuer))
    return "otpauth://totp/\(issuer):\(account)?secret=\(key.value)&issuer=\(issuer)"
      + "&algorithm=\(hashingAlgorithm)&digits=\(codeLength)&period=\(codeIntervalSeconds)"
  }
}
