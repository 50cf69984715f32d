import SharedCore

/// A library that provides an interface of the host.
struct ForeignLedger: Ledger {
  let owner = "plugin"
}

enum CollidingLibrary: Library {
  static let name = "colliding"
  static let version = SemanticVersion(1, 0, 0)
  @ComponentBuilder static var components: [AnyComponent] {
    Component((any Ledger).self) { _ in ForeignLedger() }
  }
}
