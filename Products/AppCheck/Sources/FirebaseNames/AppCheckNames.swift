// Names of firebase-ios-sdk. They don't compile: the compiler says what to write instead. Where the SDK can
// be imported, they are left to it. For code that compiles without them, the compiler doesn't consider them.
#if !canImport(FirebaseAppCheck)
  public import TenonCore

  extension AppCheck {
    /// Unavailable: the provider is a component of the app.
    @available(
      *, unavailable,
      message: """
        The provider is a component of the app: try App.configure(sources: [AppCheckDebugProviderFactory()]), or \
        sources: [CustomAppCheckProvider { limitedUse in … }].
        """
    )
    public static func setAppCheckProviderFactory(_ factory: Any?) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message:
        "The call is asynchronous: try await appCheck.token(forcingRefresh: …), in a Task { … } if need be."
    )
    public func token(forcingRefresh: Bool, completion: (AppCheckToken?, (any Error)?) -> Void) {
      unavailable()
    }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await appCheck.limitedUseToken(), in a Task { … } if need be."
    )
    public func limitedUseToken(completion: (AppCheckToken?, (any Error)?) -> Void) { unavailable() }
  }

  extension AppCheckDebugProvider {
    /// Unavailable: the app makes the provider.
    @available(
      *, unavailable,
      message: "The app makes the provider: try App.configure(sources: [AppCheckDebugProviderFactory()])."
    )
    public convenience init?(app: App) { unavailable() }
  }
#endif
