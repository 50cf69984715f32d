import TenonAppCheckInterop
import TenonAuthInterop
public import TenonCore
import TenonStorageInterop
import TenonTransportInterop

extension StorageLibrary {
  /// The components of the library: the buckets of an app, which other products resolve as `StorageInterop`.
  ///
  /// Auth, App Check and a transport are optional. Without them, requests carry no tokens and use the system's
  /// HTTP engine.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(
      StorageInstances.self,
      needs: .optional((any AuthInterop).self),
      .optional((any AppCheckInterop).self),
      .optional((any TransportInterop).self)
    ) { context, auth, appCheck, transport in
      try StorageInstances(app: context.app, auth: auth, appCheck: appCheck, transport: transport)
    }
    .providing((any StorageInterop).self) { StorageAccess(instances: $0) }
  }
}
