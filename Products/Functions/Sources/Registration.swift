public import TenonCore

/// The library of callable functions, as the registry and the graph list it.
public enum FunctionsLibrary: Library {
  /// `tenon-functions`
  public static let name = "tenon-functions"
  /// The version of this library.
  public static let version = SemanticVersion(0, 2, 0)

  // The registration is in the type's file, so that every reference to the type links it too, even from an archive with one
  // object per file (R13).
  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(FunctionsLibrary.self) }
}
