public import TenonCore

/// The library of the document database, for `App.configure(libraries:)`.
public enum StoreLibrary: Library {
  /// `tenon-store`
  public static let name = "tenon-store"
  /// The version of this library.
  public static let version = SemanticVersion(0, 2, 0)

  // In the file of the type, so that whatever refers to the library also links its registration, even from an archive with
  // one object per file (R13).
  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(StoreLibrary.self) }
}
