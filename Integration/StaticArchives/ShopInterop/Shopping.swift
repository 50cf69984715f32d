/// A shop.
public protocol Shopping: Sendable {
  /// Sells one item.
  func buy() -> String
}
