import TenonAuthInterop
public import TenonCore
import TenonObservabilityInterop
import TenonStoreInterop
import TenonTelemetry
import TenonTransportInterop

/// The library of the embedded backend.
public enum EmbeddedLibrary: Library {
  /// The name of this library: `tenon-embedded`.
  public static let name = "tenon-embedded"
  /// The version of this library.
  public static let version = SemanticVersion(0, 2, 0)
  /// The backends that this library implements.
  public static let backends: [AppBackend.Kind] = [.embedded]

  /// The components of the embedded backend: ``Embedded``, which also provides the app's `TransportInterop`,
  /// and a `StoreRemote` for its documents, which it contributes to Store.
  ///
  /// Both are unavailable if the app uses another backend. The `StoreRemote` is also unavailable if the
  /// backend is in memory while `AppOptions.data` is a directory: documents that an app keeps must not depend
  /// on a backend that loses them. A provider of `ObservabilityInterop` receives what ``Embedded`` logs and
  /// measures.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(Embedded.self, needs: .optional((any ObservabilityInterop).self)) { context, observability in
      try Embedded(app: context.app, telemetry: Telemetry(source: name, observability: observability))
    }
    .providing((any TransportInterop).self) { $0 }
    .onDelete { await $0.close() }
    // A separate component, because Auth needs the transport, and the `StoreRemote` needs Auth.
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
    .contributing()
  }

  /// The project that the backend serves, if the app uses it.
  public static func requiredOptions(with options: AppOptions) -> [AppOption] {
    options.backend.kind == .embedded ? [.projectID] : []
  }

  // This declaration is in the same file as the type, so that any reference to the library links its
  // registration, even from an archive with one object per file (R13).
  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(EmbeddedLibrary.self) }
}
