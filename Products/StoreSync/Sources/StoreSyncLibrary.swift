import TenonAppCheckInterop
import TenonAuthInterop
public import TenonCore
import TenonStoreInterop
import TenonTransportInterop

extension StoreSyncLibrary {
  /// The components of the library: ``StoreSync``, which contributes the `StoreRemote` of apps whose backend is `.production`
  /// or `.emulator`.
  ///
  /// It is unavailable if the app uses the embedded backend, whose remote `TenonEmbedded` contributes. Auth, App Check and a
  /// transport are optional. Without them, requests carry no tokens and use the system's HTTP engine.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(
      StoreSync.self,
      needs: .optional((any AuthInterop).self),
      .optional((any AppCheckInterop).self),
      .optional((any TransportInterop).self)
    ) { context, auth, appCheck, transport in
      let app = try context.app
      guard app.options.backend.kind != .embedded else {
        throw ComponentUnavailable(
          "AppOptions.backend must be .production or .emulator; TenonEmbedded synchronizes .embedded.")
      }
      return try StoreSync(
        app: app, auth: auth, appCheck: appCheck, transport: transport, logger: context.logger)
    }
    .contributing(to: (any StoreRemote).self) { $0.remote }
  }
}
