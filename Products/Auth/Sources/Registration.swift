public import TenonCore

/// The library of Auth, whose components an app adopts when the library is linked.
public enum AuthLibrary: Library {
  /// The name of the library, `tenon-auth`, which also names its directory and the source of its log entries.
  public static let name = "tenon-auth"
  /// The version of this library.
  public static let version = SemanticVersion(0, 2, 0)

  // Declared in the file of the type, so that a reference to the library also links its registration, even from an
  // archive with one object per file (R13).
  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(AuthLibrary.self) }
}
