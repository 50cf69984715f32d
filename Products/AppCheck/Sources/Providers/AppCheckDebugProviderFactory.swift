public import TenonCore
import TenonFoundation
import TenonObservabilityInterop
import TenonTelemetry
import TenonTransportInterop

/// Makes ``AppCheckDebugProvider`` the provider of an app.
///
/// ```swift
/// try App.configure(sources: [AppCheckDebugProviderFactory()])
/// ```
public struct AppCheckDebugProviderFactory: ComponentSource {
  private let token: Secret?

  /// Creates a source for `App.configure(sources:)`.
  ///
  /// - Parameter token: the debug token, a secret; the one of the environment or of the app's directory if
  ///   `nil`.
  public init(token: String? = nil) { self.token = token.map(Secret.init) }

  /// The component that creates the provider.
  @ComponentBuilder public var components: [AnyComponent] {
    let given = token
    Component(
      (any AppCheckProvider).self, needs: .optional((any TransportInterop).self),
      .optional((any ObservabilityInterop).self)
    ) { context, transport, observability in
      try AppCheckDebugProvider(
        app: try context.app,
        transport: transport,
        token: given ?? DebugToken.given(),
        telemetry: Telemetry(source: AppCheckLibrary.name, observability: observability)
      ) as any AppCheckProvider
    }
  }
}
