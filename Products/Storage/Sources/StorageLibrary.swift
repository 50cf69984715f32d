import TenonAdminInterop
import TenonAppCheckInterop
import TenonAuthInterop
public import TenonCore
import TenonObservabilityInterop
import TenonStorageInterop
import TenonTelemetry
import TenonTransportInterop

/// The library of object storage, as the registry and the graph list it.
public enum StorageLibrary: Library {
  /// `tenon-storage`
  public static let name = "tenon-storage"
  /// The version of this library.
  public static let version = SemanticVersion(0, 2, 0)

  /// The components of the library: the buckets of an app, which other products resolve as `StorageInterop`.
  ///
  /// Auth, App Check, Admin, a transport and observability are optional. Without them, requests carry no tokens
  /// and use the system's HTTP engine, and the log goes to standard error. As a `StorageInterop` named `admin`, the buckets are used as an administrator.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(
      StorageInstances.self,
      needs: .optional((any AuthInterop).self),
      .optional((any AppCheckInterop).self),
      .optional((any TransportInterop).self),
      .optionalProvider((any AdminInterop).self),
      .optional((any ObservabilityInterop).self)
    ) { context, auth, appCheck, transport, admin, observability in
      try StorageInstances(
        app: context.app, auth: auth, appCheck: appCheck, transport: transport, admin: { try admin.get() },
        telemetry: Telemetry(source: name, observability: observability))
    }
    .providing((any StorageInterop).self) { StorageAccess(instances: $0) }
    .providing((any StorageInterop).self, named: "admin") { StorageAccess(instances: $0, authority: .admin) }
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
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(StorageLibrary.self) }
}
