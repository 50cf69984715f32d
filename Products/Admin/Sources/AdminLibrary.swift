import TenonAdminInterop
public import TenonCore
import TenonObservabilityInterop
import TenonTelemetry
import TenonTransportInterop

/// The library of Admin, whose component an app adopts when the library is linked.
public enum AdminLibrary: Library {
  /// The name of the library: `tenon-admin`.
  public static let name = "tenon-admin"
  /// The version of this library.
  public static let version = SemanticVersion(0, 2, 0)

  /// ``Admin``, which other products resolve as `AdminInterop`. The transport and observability are optional:
  /// without them, the platform's HTTP client is used, and the log goes to standard error.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(
      Admin.self, needs: .optional((any TransportInterop).self), .optional((any ObservabilityInterop).self)
    ) { context, transport, observability in
      try Admin(
        app: try context.app, transport: transport,
        telemetry: Telemetry(source: name, observability: observability))
    }
    .providing((any AdminInterop).self) { AdministratorTokens(admin: $0) }
  }

  /// The project, whose tokens are verified.
  public static func requiredOptions(with options: AppOptions) -> [AppOption] { [.projectID] }

  // Declared in the file of the type, so that a reference to the library also links its registration, even
  // from an archive with one object per file (R13).
  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(AdminLibrary.self) }
}
