/// Sells something.
public protocol Shopping: Sendable {
  /// Sells one piece.
  func buy() -> String
}
