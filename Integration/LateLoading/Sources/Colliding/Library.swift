import SharedCore

/// A library that provides an interface of the host.
struct ForeignLedger: Ledger {
  let owner = "plugin"
}

enum CollidingLibrary: Library {
  static let name = "colliding"
  static let version = SemanticVersion(1, 0, 0)
  @ComponentBuilder static var components: [AnyComponent] {
    Component((any Ledger).self) { _ in ForeignLedger() }
  }

  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(CollidingLibrary.self) }
}
