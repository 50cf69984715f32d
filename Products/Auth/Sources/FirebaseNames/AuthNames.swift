// Names of firebase-ios-sdk. They don't compile: the compiler says what to write instead. Where the SDK can
// be imported, they are left to it. For code that compiles without them, the compiler doesn't consider them.
#if !canImport(FirebaseAuth)
  public import TenonCore

  extension Auth {
    /// Unavailable: the emulator is an option of the app.
    @available(
      *, unavailable,
      message: """
        The emulator is an option of the app: try App.configure(options: AppOptions(projectID: …, apiKey: "any", \
        backend: .emulator(EmulatorHosts(auth: "127.0.0.1:9099")))).
        """
    )
    public func useEmulator(withHost host: String, port: Int) { unavailable() }

    /// Unavailable: the language is a property.
    @available(
      *, unavailable,
      message: "Set the language: auth.languageCode = Locale.current.language.languageCode?.identifier."
    )
    public func useAppLanguage() { unavailable() }

    /// Unavailable: sessions aren't shared by a keychain's access group.
    @available(
      *, unavailable,
      message: "Sessions aren't shared by access groups. Provide a SessionStore as a component of the app."
    )
    public func useUserAccessGroup(_ accessGroup: String?) throws { unavailable() }

    /// Unavailable: they belong to phone numbers.
    @available(*, unavailable, message: "Test numbers need no setting. Remove the line.")
    public var settings: AuthSettings? { unavailable() }

    /// Unavailable: revoking is up to a server.
    @available(*, unavailable, message: "Revoke Apple's token on your server, which has the key for it.")
    public func revokeToken(withAuthorizationCode code: String) async throws { unavailable() }

    /// Unavailable: the user of an app is the one who has signed in.
    @available(
      *, unavailable, message: "A user belongs to an app's session. Sign in with a credential instead."
    )
    public func updateCurrentUser(_ user: User?) async throws { unavailable() }

    /// Unavailable: there are no web flows.
    @available(
      *, unavailable,
      message: """
        Flows with a user interface aren't supported. Run the provider's own, and call try await \
        auth.signIn(with: OAuthProvider.credential(providerID: …, idToken: …, rawNonce: …)).
        """
    )
    public func signIn(with provider: OAuthProvider, uiDelegate: Any?) async throws -> AuthDataResult {
      unavailable()
    }

    /// Unavailable: there are no web flows.
    @available(*, unavailable, message: "Flows with a user interface aren't supported. Remove the line.")
    public func canHandle(_ url: Any) -> Bool { unavailable() }

    /// Unavailable: the app is known where the instance is made.
    @available(*, unavailable, message: "Keep the app that you pass to Auth.auth(app: …).")
    public var app: App? { unavailable() }
  }

  /// Unavailable: they belong to phone numbers.
  @available(*, unavailable, message: "Test numbers need no setting. Remove the line.")
  public final class AuthSettings: Sendable {
    /// Unavailable.
    public var isAppVerificationDisabledForTesting: Bool {
      get { unavailable() }
      set { unavailable() }
    }
  }

  extension ActionCodeSettings {
    /// Unavailable: it is ``iOSBundleID``.
    @available(*, unavailable, message: "Assign the property: settings.iOSBundleID = \"com.example.app\".")
    public mutating func setIOSBundleID(_ iOSBundleID: String) { unavailable() }

    /// Unavailable: it is ``linkDomain``.
    @available(*, unavailable, renamed: "linkDomain")
    public var dynamicLinkDomain: String? {
      get { unavailable() }
      set { unavailable() }
    }
  }
#endif
