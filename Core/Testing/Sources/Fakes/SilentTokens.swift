package import TenonAppCheckInterop
package import TenonAuthInterop

/// Auth and App Check whose tokens never come, and which don't notice that nobody waits for them any more.
package struct SilentTokens: AuthInterop, AppCheckInterop {
  package init() {}

  package var currentUserID: String? { "silent" }
  package var stateChanges: AsyncStream<AuthState> { AsyncStream { $0.finish() } }
  package var tokenChanges: AsyncStream<AppCheckResult> { AsyncStream { $0.finish() } }

  package func token(forcingRefresh: Bool) async throws -> String? {
    await never()
    return nil
  }

  package func token(forcingRefresh: Bool) async -> AppCheckResult {
    await never()
    return AppCheckResult(token: "")
  }

  package func limitedUseToken() async -> AppCheckResult { await token(forcingRefresh: false) }

  private func never() async { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
}
