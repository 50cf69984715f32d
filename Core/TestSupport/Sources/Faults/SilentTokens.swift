package import TenonAppCheckInterop
package import TenonAuthInterop

/// Implementations of Auth and App Check that never return a token and ignore cancellation, for tests of
/// deadlines.
///
/// Each call leaves a suspended task behind until the process ends. A caller must therefore request the token
/// in a task that it doesn't wait for, as `TimeSource.value(by:of:)` does.
package struct SilentTokens: AuthInterop, AppCheckInterop {
  /// Creates a source that returns no tokens.
  package init() {}

  /// The ID of a user who is always signed in.
  package var currentUserID: String? { "silent" }
  /// A stream that ends without elements.
  package var stateChanges: AsyncStream<AuthState> { AsyncStream { $0.finish() } }
  /// A stream that ends without elements.
  package var tokenChanges: AsyncStream<AppCheckResult> { AsyncStream { $0.finish() } }

  /// Never returns, for Auth.
  package func token(forcingRefresh: Bool) async throws -> String? {
    await never()
    return nil
  }

  /// Never returns, for App Check.
  package func token(forcingRefresh: Bool) async -> AppCheckResult {
    await never()
    return AppCheckResult(token: "")
  }

  /// Never returns.
  package func limitedUseToken() async -> AppCheckResult { await token(forcingRefresh: false) }

  /// Suspends the task forever, even if it is cancelled.
  ///
  /// The continuation is never resumed on purpose. A checked one would log that it was leaked.
  private func never() async { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
}
