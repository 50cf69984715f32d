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

  /// Whether users may sign up and sign in with a password; `true` by default.
  public var passwordSignIn = true

  /// Whether users may sign in with links sent to their address; `true` by default.
  public var emailLinkSignIn = true

  /// Whether anonymous users may be created; `true` by default.
  public var anonymousSignIn = true

  /// Whether several users may have one address, by providers that name the same; `false` by default.
  public var duplicateEmails = false

  /// How long a code that was mailed can be used; `nil`, the default, as in the Auth emulator: until it is used.
  public var codeLifetime: Duration?

  /// Creates settings, the defaults unless they are given.
  public init(emailPrivacy: Bool = false, objectsRequireSignIn: Bool = false) {
    self.emailPrivacy = emailPrivacy
    self.objectsRequireSignIn = objectsRequireSignIn
  }
}
