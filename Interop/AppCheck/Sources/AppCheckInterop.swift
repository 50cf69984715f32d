/// Proves to servers that requests come from a genuine instance of the app.
///
/// The contract, for implementers: a result always has a token. If there is none, it has a placeholder that servers
/// recognize, and the error; products send the placeholder and let the server decide.
public protocol AppCheckInterop: Sendable {
  /// Returns a token that is valid for at least five more minutes, from the cache where possible.
  ///
  /// - Parameter forcingRefresh: exchanges for a new token even if the present one is still valid.
  func token(forcingRefresh: Bool) async -> AppCheckResult

  /// Returns a new token for one request, which is never cached.
  func limitedUseToken() async -> AppCheckResult

  /// The current token, if there is one, and then each new one.
  var tokenChanges: AsyncStream<AppCheckResult> { get }
}

/// An App Check token, or the placeholder and the reason why there is no token.
public struct AppCheckResult: Sendable {
  /// The value of the header `X-Firebase-AppCheck`.
  public var token: String
  /// Why ``token`` is a placeholder; `nil` if it is a genuine token.
  public var error: (any Error)?

  /// Creates a result.
  public init(token: String, error: (any Error)? = nil) {
    self.token = token
    self.error = error
  }
}
