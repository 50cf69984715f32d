import SharedCore

// Two libraries in one image that depend on each other.

struct Sender: Receipt {
  let text: String
}

struct Address: Sendable {
  let text = "to somewhere"
  let sender: Provider<Sender>
}

enum SendersLibrary: Library {
  static let name = "senders"
  static let version = SemanticVersion(1, 0, 0)
  @ComponentBuilder static var components: [AnyComponent] {
    Component(Sender.self, needs: .required(Address.self)) { _, address in
      Sender(text: "sent \(address.text)")
    }.contributing(to: (any Receipt).self) { $0 }
  }

  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(SendersLibrary.self) }
}

enum AddressesLibrary: Library {
  static let name = "addresses"
  static let version = SemanticVersion(1, 0, 0)
  @ComponentBuilder static var components: [AnyComponent] {
    Component(Address.self, needs: .provider(Sender.self)) { _, sender in Address(sender: sender) }
  }

  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(AddressesLibrary.self) }
}
