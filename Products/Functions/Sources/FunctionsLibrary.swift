import TenonAppCheckInterop
import TenonAuthInterop
public import TenonCore
import TenonTransportInterop

extension FunctionsLibrary {
  /// The components of the library: the functions of an app, by region.
  ///
  /// Auth, App Check and a transport are optional. Without them, calls carry no tokens and use the system's HTTP
  /// engine.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(
      FunctionsInstances.self,
      needs: .optional((any AuthInterop).self),
      .optional((any AppCheckInterop).self),
      .optional((any TransportInterop).self)
    ) { context, auth, appCheck, transport in
      try FunctionsInstances(app: context.app, auth: auth, appCheck: appCheck, transport: transport)
    }
  }
}
