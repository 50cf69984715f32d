import TenonAppCheckInterop
import TenonAuthInterop
public import TenonCore
import TenonTransportInterop

extension AuthLibrary {
  /// ``Auth``, which is also provided to other products as `AuthInterop`.
  ///
  /// App Check, the transport and the ``SessionStore`` are optional: `Auth` uses the ones of the app's container. When
  /// the app is deleted, the session's streams end and the renewal of tokens stops; the stored session remains.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(
      Auth.self,
      needs: .optional((any AppCheckInterop).self),
      .optional((any TransportInterop).self),
      .optional((any SessionStore).self)
    ) { context, appCheck, transport, store in
      try Auth(
        app: context.app, appCheck: appCheck, transport: transport, store: store, logger: context.logger)
    }
    .providing((any AuthInterop).self) { SignedInUser(session: $0.session) }
    .onDelete { await $0.session.close() }
  }
}
