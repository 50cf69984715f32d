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
}
