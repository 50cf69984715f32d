import SharedCore

/// A library whose component is isolated to the main actor.
@MainActor final class MainScreen: Screen {
  nonisolated let title = "main"
}

enum ScreensLibrary: Library {
  static let name = "screens"
  static let version = SemanticVersion(1, 0, 0)
  @ComponentBuilder static var components: [AnyComponent] {
    Component.onMainActor((any Screen).self) { _ in MainScreen() }.timing(.eager)
  }

  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(ScreensLibrary.self) }
}
