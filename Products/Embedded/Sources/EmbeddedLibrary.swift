import TenonAuthInterop
public import TenonCore
import TenonStoreInterop
import TenonTransportInterop

extension EmbeddedLibrary {
  /// ``Embedded``, which answers as the app's `TransportInterop`, and its documents as the app's `StoreRemote`. Both
  /// decline when the app works with another backend. The documents also decline when the backend is in memory while
  /// `AppOptions.data` is a directory: an app that keeps its documents must not lose them to a backend that forgets them.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(Embedded.self) { context in try Embedded(app: context.app, logger: context.logger) }
      .providing((any TransportInterop).self) { $0 }
      .onDelete { await $0.close() }
    // Apart, because Auth needs the transport: the user who reads and writes documents may need the backend.
    Component(
      (any StoreRemote).self, needs: .optional(Embedded.self), .optional((any AuthInterop).self)
    ) { context, embedded, auth in
      guard let embedded else { throw ComponentUnavailable("AppOptions.backend must be .embedded.") }
      if case (.embedded(nil), .directory) = (try context.app.options.backend, try context.app.options.data) {
        throw ComponentUnavailable(
          "The embedded backend is in memory and would forget what AppOptions.data keeps; give it a directory."
        )
      }
      return EmbeddedStoreRemote(embedded, auth: auth)
    }
  }
}
