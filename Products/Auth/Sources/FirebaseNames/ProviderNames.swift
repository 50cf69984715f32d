// Names of firebase-ios-sdk; see AuthNames.swift.
#if !canImport(FirebaseAuth)
  import TenonCore

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Unavailable: it is ``EmailAuthProvider/id``.
  @available(*, unavailable, renamed: "EmailAuthProvider.id")
  public var EmailAuthProviderID: String { unavailable() }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Unavailable: it is ``GoogleAuthProvider/id``.
  @available(*, unavailable, renamed: "GoogleAuthProvider.id")
  public var GoogleAuthProviderID: String { unavailable() }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Unavailable: it is ``FacebookAuthProvider/id``.
  @available(*, unavailable, renamed: "FacebookAuthProvider.id")
  public var FacebookAuthProviderID: String { unavailable() }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Unavailable: it is ``GitHubAuthProvider/id``.
  @available(*, unavailable, renamed: "GitHubAuthProvider.id")
  public var GitHubAuthProviderID: String { unavailable() }

  extension OAuthProvider {
    /// Unavailable: the provider's ID has a type.
    @available(
      *, unavailable,
      message:
        "The provider has a type: OAuthProvider.credential(providerID: .custom(\"oidc.x\"), idToken: …, rawNonce: …)."
    )
    public static func credential(
      withProviderID providerID: String, idToken: String, rawNonce: String
    ) -> AuthCredential { unavailable() }

    /// Unavailable: the provider's ID has a type.
    @available(
      *, unavailable,
      message:
        "The provider has a type: OAuthProvider.credential(providerID: .custom(\"oidc.x\"), accessToken: …)."
    )
    public static func credential(
      withProviderID providerID: String, idToken: String? = nil, rawNonce: String? = nil, accessToken: String
    ) -> AuthCredential { unavailable() }

    /// Unavailable: there are no web flows.
    @available(
      *, unavailable,
      message: """
        Flows with a user interface aren't supported. Run the provider's own, and make the credential from its \
        tokens: OAuthProvider.credential(providerID: .custom("microsoft.com"), accessToken: …).
        """
    )
    public init(providerID: String) { unavailable() }

    /// Unavailable: there are no web flows.
    @available(*, unavailable, message: "Flows with a user interface aren't supported. Remove the line.")
    public var scopes: [String]? {
      get { unavailable() }
      nonmutating set { unavailable() }
    }

    /// Unavailable: there are no web flows.
    @available(*, unavailable, message: "Flows with a user interface aren't supported. Remove the line.")
    public var customParameters: [String: String]? {
      get { unavailable() }
      nonmutating set { unavailable() }
    }

    /// Unavailable: there are no web flows.
    @available(
      *, unavailable,
      message: "Flows with a user interface aren't supported. Make the credential from the provider's tokens."
    )
    public func credential(with uiDelegate: Any?) async throws -> AuthCredential { unavailable() }
  }

  /// Unavailable: Twitter isn't supported.
  @available(
    *, unavailable,
    message: "Signing in with Twitter isn't supported. Sign in with a custom token of your server."
  )
  public enum TwitterAuthProvider {
    /// Unavailable.
    public static func credential(withToken token: String, secret: String) -> AuthCredential { unavailable() }
  }

  /// Unavailable: Game Center isn't supported.
  @available(
    *, unavailable,
    message: "Signing in with Game Center isn't supported. Sign in with a custom token of your server."
  )
  public enum GameCenterAuthProvider {
    /// Unavailable.
    public static func getCredential() async throws -> AuthCredential { unavailable() }
  }
#endif
