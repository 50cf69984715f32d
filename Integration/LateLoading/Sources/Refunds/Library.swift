import SharedCore

/// A library that depends on another plugin's interface.
struct RefundReceipt: Receipt {
  let text: String
}

enum RefundsLibrary: Library {
  static let name = "refunds"
  static let version = SemanticVersion(1, 0, 0)
  @ComponentBuilder static var components: [AnyComponent] {
    Component(RefundReceipt.self, needs: .required((any Payments).self)) { _, payments in
      RefundReceipt(text: "refunded to \(payments.provider)")
    }.contributing(to: (any Receipt).self) { $0 }
  }

  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(RefundsLibrary.self) }
}
