public import TenonFoundation

/// The error of an operation of ``Admin``.
///
/// ```swift
/// do { _ = try await admin.verifyIDToken(token) } catch let error as AdminError {
///   switch error.code {
///   case .idTokenExpired: refuse("Renew the token.")
///   case .certificateFetchFailed: answerLater()
///   default: refuse(error.message)
///   }
/// }
/// ```
public struct AdminError: Error, Sendable, CustomStringConvertible {
  /// The kind of the error.
  public let code: Code
  /// A description of the error and of its remedy, in English. It contains no tokens and no keys.
  public let message: String
  /// The claim or the header parameter that isn't as it should be, for example `aud`; `nil` if the error isn't
  /// about one.
  public let claim: String?
  /// The cause; `nil` if there is none.
  public let underlying: (any Error)?

  /// Creates an error, for example in a test.
  ///
  /// - Parameters:
  ///   - code: the kind of the error.
  ///   - message: a description without secrets.
  ///   - claim: the claim that isn't as it should be.
  ///   - underlying: the cause.
  public init(_ code: Code, _ message: String, claim: String? = nil, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.claim = claim
    self.underlying = underlying
  }

  /// The message and the code.
  public var description: String { "\(message) (\(code.rawValue))" }
}

extension AdminError: LocalizedError {
  /// The same text as ``description``, so that `localizedDescription` returns it.
  public var errorDescription: String? { description }
}

extension AdminError {
  /// The kind of an error, stable across versions. The raw values are those of Firebase's Admin SDK for
  /// Node.js, where these exist. Later versions may add codes, so a `switch` needs a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The code as text, for example `id-token-expired`.
    public let rawValue: String

    /// Creates a code from its text, which may be one that this version doesn't define.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code as text, which is ``rawValue``.
    public var description: String { rawValue }

    /// An argument is invalid.
    public static let argumentError = Code(rawValue: "argument-error")
    /// The keys with which Google signs tokens can't be loaded now. The token may be valid: try again.
    public static let certificateFetchFailed = Code(rawValue: "certificate-fetch-failed")
    /// This machine has no libcrypto.
    public static let cryptographyUnavailable = Code(rawValue: "cryptography-unavailable")
    /// The time of the ID token is over. The client renews it.
    public static let idTokenExpired = Code(rawValue: "id-token-expired")
    /// The ID token was revoked: the user must sign in again.
    public static let idTokenRevoked = Code(rawValue: "id-token-revoked")
    /// The server for accounts failed, or its answer isn't in the expected form.
    public static let internalError = Code(rawValue: "internal-error")
    /// The token isn't an App Check token of the project.
    public static let invalidAppCheckToken = Code(rawValue: "app-check-invalid-token")
    /// The time of the App Check token is over.
    public static let appCheckTokenExpired = Code(rawValue: "app-check-token-expired")
    /// The service account is missing or invalid, or may not perform the operation.
    public static let invalidCredential = Code(rawValue: "invalid-credential")
    /// The token isn't an ID token of the project.
    public static let invalidIDToken = Code(rawValue: "invalid-id-token")
    /// The token isn't a session cookie of the project.
    public static let invalidSessionCookie = Code(rawValue: "invalid-session-cookie")
    /// The server for accounts can't be reached.
    public static let networkError = Code(rawValue: "network-error")
    /// The time of the session cookie is over.
    public static let sessionCookieExpired = Code(rawValue: "session-cookie-expired")
    /// The session cookie was revoked: the user must sign in again.
    public static let sessionCookieRevoked = Code(rawValue: "session-cookie-revoked")
    /// An administrator has disabled the user.
    public static let userDisabled = Code(rawValue: "user-disabled")
    /// The user no longer exists.
    public static let userNotFound = Code(rawValue: "user-not-found")
  }
}
