// Names of firebase-ios-sdk; see AppCheckNames.swift.
#if !canImport(FirebaseAppCheck)
  public import TenonCore

  /// Unavailable: a provider is a component of the app.
  @available(
    *, unavailable,
    message: """
      A provider is a component of the app, without a factory: try App.configure(sources: [CustomAppCheckProvider \
      { limitedUse in … }]).
      """
  )
  public protocol AppCheckProviderFactory {
    /// Unavailable.
    func createProvider(with app: App) -> (any AppCheckProvider)?
  }

  /// Unavailable: App Attest isn't supported.
  @available(
    *, unavailable,
    message:
      "App Attest isn't supported. Attest in your own code, with CustomAppCheckProvider { limitedUse in … }."
  )
  public struct AppAttestProvider: AppCheckProvider {
    /// Unavailable.
    public init?(app: App) { unavailable() }

    /// Unavailable.
    public func getToken() async throws -> AppCheckToken { unavailable() }
  }

  /// Unavailable: DeviceCheck isn't supported.
  @available(
    *, unavailable,
    message:
      "DeviceCheck isn't supported. Attest in your own code, with CustomAppCheckProvider { limitedUse in … }."
  )
  public struct DeviceCheckProvider: AppCheckProvider {
    /// Unavailable.
    public init?(app: App) { unavailable() }

    /// Unavailable.
    public func getToken() async throws -> AppCheckToken { unavailable() }
  }

  /// Unavailable: DeviceCheck isn't supported.
  @available(
    *, unavailable,
    message:
      "DeviceCheck isn't supported. Attest in your own code, with CustomAppCheckProvider { limitedUse in … }."
  )
  public struct DeviceCheckProviderFactory: Sendable {
    /// Unavailable.
    public init() { unavailable() }
  }
#endif
