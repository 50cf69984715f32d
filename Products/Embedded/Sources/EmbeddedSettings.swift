/// How the embedded backend behaves where Firebase projects differ.
public struct EmbeddedSettings: Sendable, Hashable {
  /// Whether a failed sign-in hides if the address is known, with `INVALID_LOGIN_CREDENTIALS` in every case.
  ///
  /// `false` by default, as in the Auth emulator: unknown addresses and wrong passwords are told apart.
  public var emailPrivacy: Bool

  /// The services that refuse requests without a valid App Check token of this project, as services do for which App
  /// Check is enforced in the Firebase console. None by default.
  ///
  /// Administrators and download tokens in URLs need no App Check token.
  public var appCheckRequired: Set<EmbeddedService> = []

  /// The debug tokens for which App Check tokens are given; any text when `nil`, the default.
  public var appCheckDebugTokens: Set<String>?

  /// Whether objects are only served to requests that carry a valid ID token of this project.
  ///
  /// `false` by default: the embedded backend lives in the app's own process, where access rules protect nothing.
  /// With `true`, requests without a token are refused with status 403, as rules of Firebase Storage that ask for
  /// `request.auth != null` would. A download token in the URL of an object opens it in either case.
  public var objectsRequireSignIn: Bool

  /// Creates settings, the defaults unless they are given.
  public init(emailPrivacy: Bool = false, objectsRequireSignIn: Bool = false) {
    self.emailPrivacy = emailPrivacy
    self.objectsRequireSignIn = objectsRequireSignIn
  }
}
