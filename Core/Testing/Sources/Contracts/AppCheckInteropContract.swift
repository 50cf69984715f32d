public import TenonAppCheckInterop
import Testing

/// The contract of ``AppCheckInterop`` as a test that every implementation can run:
/// - A valid token is reused, and a forced refresh returns a different one.
/// - `tokenChanges` begins with the current token and reports each new one.
/// - Each limited-use token is new, and none affects the cached token.
/// - If an exchange fails, the result has a placeholder and the error.
public enum AppCheckInteropContract {
  /// Checks an implementation whose token exchanges succeed. Violations are recorded as issues of the running test.
  ///
  /// - Parameter appCheck: the implementation. A forced refresh must result in a different token.
  public static func check(_ appCheck: any AppCheckInterop) async throws {
    let first = await appCheck.token(forcingRefresh: false)
    #expect(first.error == nil && !first.token.isEmpty, "a genuine token has no error")
    #expect(await appCheck.token(forcingRefresh: false).token == first.token, "a valid token is cached")
    var changes = appCheck.tokenChanges.makeAsyncIterator()
    #expect(await changes.next()?.token == first.token, "`tokenChanges` begins with the current token")
    let second = await appCheck.token(forcingRefresh: true)
    #expect(second.token != first.token, "a forced refresh returns a different token")
    #expect(await changes.next()?.token == second.token, "`tokenChanges` reports a new token")
    let limited = await appCheck.limitedUseToken()
    #expect(await appCheck.limitedUseToken().token != limited.token, "each limited-use token is new")
    #expect(
      await appCheck.token(forcingRefresh: false).token == second.token,
      "limited-use tokens do not change the cache"
    )
  }

  /// Checks that an implementation whose token exchanges fail returns a placeholder and the error. Violations are recorded as
  /// issues of the running test.
  ///
  /// - Parameter appCheck: the implementation. All its exchanges must fail.
  public static func checkFailing(_ appCheck: any AppCheckInterop) async throws {
    for result in [await appCheck.token(forcingRefresh: true), await appCheck.limitedUseToken()] {
      #expect(
        !result.token.isEmpty && result.error != nil, "a failed exchange returns a placeholder and the error")
    }
  }
}
