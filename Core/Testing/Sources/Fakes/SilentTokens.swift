package import TenonAppCheckInterop
package import TenonAuthInterop

/// Implementations of Auth and App Check that never return a token and ignore cancellation, for tests of deadlines.
package struct SilentTokens: AuthInterop, AppCheckInterop {
  /// Creates a source that returns no tokens.
  package init() {}

  /// The ID of a user who is always signed in.
  package var currentUserID: String? { "silent" }
  /// A stream that ends without elements.
  package var stateChanges: AsyncStream<AuthState> { AsyncStream { $0.finish() } }
  /// A stream that ends without elements.
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

  /// Suspends the task forever, even if it is cancelled.
  private func never() async { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
}
