/// Why something about the user failed.
public struct AuthError: Error, Sendable, CustomStringConvertible {
  /// What went wrong.
  public let code: Code
  /// A sentence that says what went wrong and what to do.
  public let message: String
  /// What caused it, if that is known.
  public let underlying: (any Error)?

  /// Creates an error.
  public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }

  /// The code and the sentence.
  public var description: String { "\(code.rawValue): \(message)" }

  /// Whether the server says by this that the session is over.
  var endsSession: Bool {
    [.userNotFound, .userDisabled, .userTokenExpired, .invalidUserToken].contains(code)
  }
}

extension AuthError {
  /// What went wrong, stable across versions. The names are those of Firebase's web SDK where it has one.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `wrong-password`.
    public let rawValue: String

    /// Creates a code that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creating users of this kind is reserved to administrators.
    public static let adminRestrictedOperation = Code(rawValue: "admin-restricted-operation")
    /// The app may not use this API key.
    public static let appNotAuthorized = Code(rawValue: "app-not-authorized")
    /// The address belongs to another user.
    public static let emailAlreadyInUse = Code(rawValue: "email-already-in-use")
    /// The server's answer can't be understood, or the server failed.
    public static let internalError = Code(rawValue: "internal-error")
    /// The API key is missing or wrong.
    public static let invalidAPIKey = Code(rawValue: "invalid-api-key")
    /// The address and the password don't belong together.
    public static let invalidCredential = Code(rawValue: "invalid-credential")
    /// The address is no e-mail address.
    public static let invalidEmail = Code(rawValue: "invalid-email")
    /// The user's token isn't one of this project's, or was altered.
    public static let invalidUserToken = Code(rawValue: "invalid-user-token")
    /// The e-mail address is missing.
    public static let missingEmail = Code(rawValue: "missing-email")
    /// The password is missing.
    public static let missingPassword = Code(rawValue: "missing-password")
    /// The server can't be reached. Nobody is signed out by that.
    public static let networkError = Code(rawValue: "network-error")
    /// Nobody is signed in.
    public static let noCurrentUser = Code(rawValue: "no-current-user")
    /// This way of signing in is switched off in the project.
    public static let operationNotAllowed = Code(rawValue: "operation-not-allowed")
    /// The password doesn't meet the project's policy.
    public static let passwordPolicy = Code(rawValue: "password-does-not-meet-requirements")
    /// The user has this way of signing in already.
    public static let providerAlreadyLinked = Code(rawValue: "provider-already-linked")
    /// A quota is used up.
    public static let quotaExceeded = Code(rawValue: "quota-exceeded")
    /// The last sign-in is too long ago for this; sign in again.
    public static let requiresRecentLogin = Code(rawValue: "requires-recent-login")
    /// The kept session can't be read.
    public static let sessionUnreadable = Code(rawValue: "session-unreadable")
    /// The session can't be kept.
    public static let sessionUnwritable = Code(rawValue: "session-unwritable")
    /// Too many attempts; wait before the next one.
    public static let tooManyRequests = Code(rawValue: "too-many-requests")
    /// The user is disabled.
    public static let userDisabled = Code(rawValue: "user-disabled")
    /// There is no such user, or no longer.
    public static let userNotFound = Code(rawValue: "user-not-found")
    /// The user was signed out while the operation was going on.
    public static let userSignedOut = Code(rawValue: "user-signed-out")
    /// The user's session was ended, for example by a change of the password.
    public static let userTokenExpired = Code(rawValue: "user-token-expired")
    /// The password is too weak.
    public static let weakPassword = Code(rawValue: "weak-password")
    /// The password is wrong.
    public static let wrongPassword = Code(rawValue: "wrong-password")
  }
}
