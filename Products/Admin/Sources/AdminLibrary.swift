import TenonAdminInterop
public import TenonCore
import TenonTransportInterop

/// The library of Admin, whose component an app adopts when the library is linked.
public enum AdminLibrary: Library {
  /// The name of the library: `tenon-admin`.
  public static let name = "tenon-admin"
  /// The version of this library.
  public static let version = SemanticVersion(0, 2, 0)

  /// ``Admin``, which other products resolve as `AdminInterop`. The transport is optional: without one, the
  /// platform's HTTP client is used.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(Admin.self, needs: .optional((any TransportInterop).self)) { context, transport in
      try Admin(app: try context.app, transport: transport)
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
