/// The error that a creation throws to decline under the current circumstances (R3).
///
/// A component that needs the value optionally receives `nil`; one that requires it fails with a
/// ``ComponentError`` of the code ``ComponentError/Code/unavailable``, which quotes the reason.
public struct ComponentUnavailable: Error, Sendable, Hashable {
  /// The reason, in a sentence.
  public var reason: String

  /// Creates the error.
  ///
  /// - Parameter reason: the reason, in a sentence.
  public init(_ reason: String) { self.reason = reason }
}

extension ComponentUnavailable: CustomStringConvertible {
  /// The reason.
  public var description: String { reason }
}
