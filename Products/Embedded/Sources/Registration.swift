public import TenonCore

/// The library of the embedded backend.
public enum EmbeddedLibrary: Library {
  /// The name of this library: `tenon-embedded`.
  public static let name = "tenon-embedded"
  /// The version of this library.
  public static let version = SemanticVersion(0, 2, 0)
  /// The backends that this library implements.
  public static let backends: [AppBackend.Kind] = [.embedded]

  // This declaration is in the same file as the type, so that any reference to the library links its
  // registration, even from an archive with one object per file (R13).
  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(EmbeddedLibrary.self) }
}
