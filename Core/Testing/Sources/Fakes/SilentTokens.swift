package import TenonAppCheckInterop
package import TenonAuthInterop

/// Implementations of Auth and App Check that never return a token and ignore cancellation.
package struct SilentTokens: AuthInterop, AppCheckInterop {
  /// Creates a source of no tokens.
  package init() {}

  /// A user who is always signed in.
  package var currentUserID: String? { "silent" }
  /// A stream without elements.
  package var stateChanges: AsyncStream<AuthState> { AsyncStream { $0.finish() } }
  /// A stream without elements.
  package var tokenChanges: AsyncStream<AppCheckResult> { AsyncStream { $0.finish() } }

  /// Never returns.
  package func token(forcingRefresh: Bool) async throws -> String? {
    await never()
    return nil
  }

  /// Never returns.
  package func token(forcingRefresh: Bool) async -> AppCheckResult {
    await never()
    return AppCheckResult(token: "")
  }

  /// Never returns.
  package func limitedUseToken() async -> AppCheckResult { await token(forcingRefresh: false) }

  private func never() async { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
}
