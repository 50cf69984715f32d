import TenonAdminInterop
import TenonAuthInterop
public import TenonCore
import TenonObservabilityInterop
import TenonStorageInterop
import TenonStoreInterop
import TenonTelemetry

/// The library of the document database, for `App.configure(libraries:)`.
public enum StoreLibrary: Library {
  /// `tenon-store`
  public static let name = "tenon-store"
  /// The version of this library.
  public static let version = SemanticVersion(0, 2, 0)

  /// The components of the library: the databases of an app, which are closed when the app is deleted.
  ///
  /// Their remote is the one that a linked library contributes for the app's backend. A component of the app
  /// itself or of a test, `Component((any StoreRemote).self) { … }`, takes its place. A provider of
  /// `ObservabilityInterop` receives the log, the metrics and the spans.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(
      StoreInstances.self, needs: .optionalProvider((any AuthInterop).self),
      .optionalProvider((any StoreRemote).self), .allProvider((any StoreRemote).self),
      .optionalProvider((any StorageInterop).self), .optionalProvider((any AdminInterop).self),
      .optionalProvider((any StorageInterop).self, named: "admin"), .optional((any ObservabilityInterop).self)
    ) { context, auth, remote, contributed, storage, admin, adminsStorage, observability in
      StoreInstances(
        directory: try context.app.directory(for: name), backend: try context.app.options.backend.kind,
        auth: auth, remote: SelectedRemote(own: remote, contributed: contributed), storage: storage,
        admin: .init(interop: admin, storage: adminsStorage),
        telemetry: Telemetry(source: name, observability: observability))
    }
    .onDelete { await $0.close() }
  }

  /// The project, after which the directory is named, if the options name no other place for the databases.
  public static func requiredOptions(with options: AppOptions) -> [AppOption] {
    options.storesByProject ? [.projectID] : []
  }

  // In the file of the type, so that whatever refers to the library also links its registration, even from an
  // archive with one object per file (R13).
  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(StoreLibrary.self) }
}
