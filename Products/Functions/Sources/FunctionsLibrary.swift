import TenonAdminInterop
import TenonAppCheckInterop
import TenonAuthInterop
public import TenonCore
import TenonObservabilityInterop
import TenonTelemetry
import TenonTransportInterop

/// The library of callable functions, as the registry and the graph list it.
public enum FunctionsLibrary: Library {
  /// `tenon-functions`
  public static let name = "tenon-functions"
  /// The version of this library.
  public static let version = SemanticVersion(0, 2, 0)

  /// The components of the library: the functions of an app, by region.
  ///
  /// Auth, App Check, Admin, a transport and observability are optional. Without them, calls carry no tokens and
  /// use the system's HTTP engine, and the log goes to standard error.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(
      FunctionsInstances.self,
      needs: .optional((any AuthInterop).self),
      .optional((any AppCheckInterop).self),
      .optional((any TransportInterop).self),
      .optionalProvider((any AdminInterop).self),
      .optional((any ObservabilityInterop).self)
    ) { context, auth, appCheck, transport, admin, observability in
      try FunctionsInstances(
        app: context.app, auth: auth, appCheck: appCheck, transport: transport, admin: { try admin.get() },
        telemetry: Telemetry(source: name, observability: observability))
    }
  }

  /// The project, which the URLs of its functions contain.
  public static func requiredOptions(with options: AppOptions) -> [AppOption] { [.projectID] }

  // The registration is in the type's file, so that every reference to the type links it too, even from an
  // archive with one object per file (R13).
  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(FunctionsLibrary.self) }
}
