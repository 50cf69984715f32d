import TenonCore

/// A library for this plugin only, which has a copy of Core.
struct VendorService: Sendable {}

/// Reports the state of this copy of Core.
@_cdecl("vendor_report") public func report() {
  print("vendor libraries:", LibraryRegistry.libraries.map { $0.name }.joined(separator: " "))
  for path in LibraryRegistry.coreImages { print("vendor core:", path) }
}

/// Configures an app of this copy of Core.
@_cdecl("vendor_configure") public func configure() {
  do {
    let app = try App.configure(options: AppOptions(projectID: "vendor", data: .memory))
    print("vendor app:", app.name)
  } catch {
    print("vendor app: \(error)")
  }
}

enum VendorLibrary: Library {
  static let name = "vendor"
  static let version = SemanticVersion(1, 0, 0)
  @ComponentBuilder static var components: [AnyComponent] {
    Component(VendorService.self) { _ in VendorService() }
  }

  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(VendorLibrary.self) }
}
