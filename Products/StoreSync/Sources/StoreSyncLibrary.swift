import TenonAdminInterop
import TenonAppCheckInterop
import TenonAuthInterop
public import TenonCore
import TenonObservabilityInterop
import TenonStoreInterop
import TenonTelemetry
import TenonTransportInterop

/// The library that synchronizes Store with Cloud Firestore, as the registry and the graph list it.
public enum StoreSyncLibrary: Library {
  /// `tenon-store-sync`
  public static let name = "tenon-store-sync"
  /// The version of this library.
  public static let version = SemanticVersion(0, 2, 0)

  /// The components of the library: ``StoreSync``, which contributes the `StoreRemote` of apps whose backend
  /// is `.production` or `.emulator`.
  ///
  /// It is unavailable if the app uses the embedded backend, whose remote `TenonEmbedded` contributes. Auth,
  /// App Check, Admin, a transport and observability are optional. Without them, requests carry no tokens and use
  /// the system's HTTP engine, and the log goes to standard error.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(
      StoreSync.self,
      needs: .optional((any AuthInterop).self),
      .optional((any AppCheckInterop).self),
      .optional((any TransportInterop).self),
      .optionalProvider((any AdminInterop).self),
      .optional((any ObservabilityInterop).self)
    ) { context, auth, appCheck, transport, admin, observability in
      let app = try context.app
      guard app.options.backend.kind != .embedded else {
        throw ComponentUnavailable(
          "AppOptions.backend must be .production or .emulator; TenonEmbedded synchronizes .embedded.")
      }
      return try StoreSync(
        app: app, auth: auth, appCheck: appCheck, transport: transport, admin: { try admin.get() },
        telemetry: Telemetry(source: name, observability: observability))
    }
    .contributing(to: (any StoreRemote).self) { $0.remote }
  }

  /// The project, whose documents are synchronized, unless the backend is the embedded one.
  public static func requiredOptions(with options: AppOptions) -> [AppOption] {
    options.backend.kind == .embedded ? [] : [.projectID]
  }

  // The registration is in the type's file, so that every reference to the type links it too, even from an
  // archive with one object per file (R13).
  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(StoreSyncLibrary.self) }
}
