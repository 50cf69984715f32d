import TenonAppCheckInterop
import TenonAuthInterop
public import TenonCore
import TenonObservabilityInterop
import TenonTelemetry
import TenonTransportInterop

/// The library of Auth, whose components an app adopts when the library is linked.
public enum AuthLibrary: Library {
  /// The name of the library, `tenon-auth`, which also names its directory and the source of its log entries.
  public static let name = "tenon-auth"
  /// The version of this library.
  public static let version = SemanticVersion(0, 2, 0)

  /// ``Auth``, which is also provided to other products as `AuthInterop`.
  ///
  /// App Check, the transport, the ``SessionStore`` and observability are optional: `Auth` uses the ones of the app's
  /// container. When the app is deleted, the session's streams end and the renewal of tokens stops; the
  /// stored session remains.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(
      Auth.self,
      needs: .optional((any AppCheckInterop).self),
      .optional((any TransportInterop).self),
      .optional((any SessionStore).self),
      .optional((any ObservabilityInterop).self)
    ) { context, appCheck, transport, store, observability in
      let options = try context.app.options
      // What needs Auth only optionally does without it.
      if options.backend.kind != .embedded { _ = try options.required(.apiKey) }
      return try Auth(
        app: context.app, appCheck: appCheck, transport: transport, store: store,
        telemetry: Telemetry(source: name, observability: observability))
    }
    .providing((any AuthInterop).self) { SignedInUser(session: $0.session) }
    .onDelete { await $0.session.close() }
  }

  /// The API key, unless the backend is the embedded one, and the project, after which the directory of the
  /// session is named, if the options name no other place.
  public static func requiredOptions(with options: AppOptions) -> [AppOption] {
    (options.backend.kind == .embedded ? [] : [.apiKey]) + (options.storesByProject ? [.projectID] : [])
  }

  // Declared in the file of the type, so that a reference to the library also links its registration, even
  // from an archive with one object per file (R13).
  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(AuthLibrary.self) }
}
