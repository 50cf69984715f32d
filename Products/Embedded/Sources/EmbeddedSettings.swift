/// How the embedded backend behaves where Firebase projects differ.
public struct EmbeddedSettings: Sendable, Hashable {
  /// Whether a failed sign-in hides if the address is known, with `INVALID_LOGIN_CREDENTIALS` in every case.
  ///
  /// `false` by default, as in the Auth emulator: unknown addresses and wrong passwords are told apart.
  public var emailPrivacy: Bool

  /// Whether objects are only served to requests that carry a valid ID token of this project.
  ///
  /// `false` by default: the embedded backend lives in the app's own process, where access rules protect nothing.
  /// With `true`, requests without a token are refused with status 403, as rules of Firebase Storage that ask for
  /// `request.auth != null` would. A download token in the URL of an object opens it in either case.
  public var objectsRequireSignIn: Bool

  /// The services that refuse requests without a valid App Check token of this project, as services do for which App
  /// Check is enforced in the Firebase console. None by default.
  ///
  /// Administrators and download tokens in URLs need no App Check token.
  public var appCheckRequired: Set<EmbeddedService>

  /// The debug tokens for which App Check tokens are given; any text when `nil`, the default.
  public var appCheckDebugTokens: Set<String>?

  /// Creates settings, the defaults unless they are given.
  public init(
    emailPrivacy: Bool = false,
    objectsRequireSignIn: Bool = false,
    appCheckRequired: Set<EmbeddedService> = [],
    appCheckDebugTokens: Set<String>? = nil
  ) {
    self.emailPrivacy = emailPrivacy
    self.objectsRequireSignIn = objectsRequireSignIn
    self.appCheckRequired = appCheckRequired
    self.appCheckDebugTokens = appCheckDebugTokens
  }
}

/// A service of the embedded backend.
public struct EmbeddedService: RawRepresentable, Sendable, Hashable {
  /// The service as text, for example `auth`.
  public let rawValue: String

  /// Creates a service that this version does not know.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Accounts and their tokens.
  public static let auth = EmbeddedService(rawValue: "auth")
  /// Callable functions.
  public static let functions = EmbeddedService(rawValue: "functions")
  /// Objects.
  public static let storage = EmbeddedService(rawValue: "storage")
}
