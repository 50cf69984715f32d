import SharedCore

struct CardPayments: Payments {
  let provider = "cards"
}

struct CardReceipt: Receipt {
  let text = "paid by card"
}

enum PaymentsLibrary: Library {
  static let name = "payments"
  static let version = SemanticVersion(1, 0, 0)
  @ComponentBuilder static var components: [AnyComponent] {
    Component((any Payments).self) { _ in CardPayments() }
    Component(CardReceipt.self) { _ in CardReceipt() }.contributing(to: (any Receipt).self) { $0 }
  }

  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(PaymentsLibrary.self) }
}
