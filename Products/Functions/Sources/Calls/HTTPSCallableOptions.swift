/// How a function is called.
public struct HTTPSCallableOptions: Sendable, Hashable {
  /// Whether each call carries an App Check token of its own, for functions that accept a token only once. It has no effect
  /// where App Check isn't linked.
  public let requireLimitedUseAppCheckTokens: Bool

  /// Creates options.
  ///
  /// - Parameter requireLimitedUseAppCheckTokens: whether each call carries an App Check token of its own.
  public init(requireLimitedUseAppCheckTokens: Bool) {
    self.requireLimitedUseAppCheckTokens = requireLimitedUseAppCheckTokens
  }
}
