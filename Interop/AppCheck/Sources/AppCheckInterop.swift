/// Proves to servers that requests come from a genuine instance of the app.
///
/// Requirements for implementations: a result always contains a token. If no token is available, it contains
/// a placeholder that servers recognize, and the error; products send the placeholder and leave the decision
/// to the server.
public protocol AppCheckInterop: Sendable {
  /// Returns a token that is valid for at least five more minutes, from the cache if possible.
  ///
  /// - Parameter forcingRefresh: whether to request a new token even if the current one is still valid.
  func token(forcingRefresh: Bool) async -> AppCheckResult

  /// Returns a new token for a single request. It is never cached.
  func limitedUseToken() async -> AppCheckResult

  /// The current token, if there is one, and then each new one.
  var tokenChanges: AsyncStream<AppCheckResult> { get }
}

/// An App Check token, or the placeholder and the reason why there is no token.
public struct AppCheckResult: Sendable {
  /// The value of the header `X-Firebase-AppCheck`.
  public var token: String
  /// The reason why ``token`` is a placeholder; `nil` if it is a genuine token.
  public var error: (any Error)?

  /// Creates a result.
  ///
  /// - Parameters:
  ///   - token: the token or the placeholder.
  ///   - error: the reason for a placeholder; `nil` for a genuine token.
  public init(token: String, error: (any Error)? = nil) {
    self.token = token
    self.error = error
  }
}

// Tokens are credentials. The descriptions of a result, which may end in logs, contain none.
extension AppCheckResult: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `App Check token`, or `no App Check token` and the reason.
  public var description: String { error.map { "no App Check token: \($0)" } ?? "App Check token" }
  /// The same text as ``description``.
  public var debugDescription: String { description }
  /// The same as ``description``.
  public var customMirror: Mirror { Mirror(self, children: ["result": description]) }
}
