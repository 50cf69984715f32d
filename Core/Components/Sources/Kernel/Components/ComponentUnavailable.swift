/// Thrown by a component that declines to be created under the present circumstances (R3).
///
/// Who needs it optionally receives `nil`; who requires it receives an error with the reason.
public struct ComponentUnavailable: Error, Sendable, Hashable {
  /// Why, in a sentence.
  public var reason: String

  /// Declines with a reason.
  public init(_ reason: String) { self.reason = reason }
}

extension ComponentUnavailable: CustomStringConvertible {
  /// The reason.
  public var description: String { reason }
}
