import TenonCore

// A separate file, so that the linker drops it from archives.
extension ShopLibrary {
  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(ShopLibrary.self) }
}
