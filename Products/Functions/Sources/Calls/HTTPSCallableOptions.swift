/// Options of the calls of a function.
public struct HTTPSCallableOptions: Sendable, Hashable {
  /// Whether each call carries a new limited-use App Check token, for functions that accept a token only once
  /// (replay protection; https://firebase.google.com/docs/app-check/cloud-functions). Has no effect if App
  /// Check isn't linked.
  public let requireLimitedUseAppCheckTokens: Bool

  /// Creates options.
  ///
  /// - Parameter requireLimitedUseAppCheckTokens: whether each call carries a new limited-use App Check
  ///   token.
  public init(requireLimitedUseAppCheckTokens: Bool) {
    self.requireLimitedUseAppCheckTokens = requireLimitedUseAppCheckTokens
  }
}
