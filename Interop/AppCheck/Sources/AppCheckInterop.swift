/// Proves to servers that requests come from a genuine instance of the app.
///
/// The contract, for implementers: a token is always given. Where none can be had, the answer carries a
/// placeholder that servers recognise, and the error; products send the placeholder and let the server decide.
public protocol AppCheckInterop: Sendable {
  /// A token that is valid for at least five more minutes, from the cache where possible.
  ///
  /// - Parameter forcingRefresh: exchanges for a new token even when the present one is still valid.
  func token(forcingRefresh: Bool) async -> AppCheckResult

  /// A fresh token for one request; it is never cached.
  func limitedUseToken() async -> AppCheckResult

  /// The current token first, if there is one, then each new one.
  var tokenChanges: AsyncStream<AppCheckResult> { get }
}

/// An App Check token, or the placeholder and the reason why there is none.
public struct AppCheckResult: Sendable {
  /// What to send as `X-Firebase-AppCheck`.
  public var token: String
  /// Why `token` is a placeholder; `nil` when it is genuine.
  public var error: (any Error)?

  /// Creates a result.
  public init(token: String, error: (any Error)? = nil) {
    self.token = token
    self.error = error
  }
}
