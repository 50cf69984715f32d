public import TenonAppCheckInterop
import Testing

/// The contract of `AppCheckInterop` as a test that every implementation can run:
/// - A valid token is reused, and a forced refresh returns a different one.
/// - `tokenChanges` begins with the current token and reports each new one.
/// - Each limited-use token is new, and none affects the cached token.
/// - If an exchange fails, the result has a placeholder and the error.
///
/// Not covered: the remaining validity of a token, and calls that are made concurrently.
///
/// ```swift
/// @Test func appCheckKeepsTheContract() async throws {
///   try await AppCheckInteropContract.check(appCheck)
/// }
/// ```
public enum AppCheckInteropContract {
  /// Checks an implementation whose token exchanges succeed. Violations are recorded as issues of the running
  /// test.
  ///
  /// The check waits without a limit for the elements of `tokenChanges`, so an implementation that doesn't
  /// send them suspends it forever. Give the test a time limit.
  ///
  /// - Parameter appCheck: the implementation. A forced refresh must result in a different token. No other
  ///   code may refresh its token during the checks.
  /// - Throws: nothing; errors are part of the results.
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
      "limited-use tokens don't change the cache"
    )
  }

  /// Checks that an implementation whose token exchanges fail returns a placeholder and the error. Violations
  /// are recorded as issues of the running test.
  ///
  /// A forced refresh and a limited-use token are requested once each.
  ///
  /// - Parameter appCheck: the implementation. All its exchanges must fail.
  /// - Throws: nothing; errors are part of the results.
  public static func checkFailing(_ appCheck: any AppCheckInterop) async throws {
    for result in [await appCheck.token(forcingRefresh: true), await appCheck.limitedUseToken()] {
      #expect(
        !result.token.isEmpty && result.error != nil, "a failed exchange returns a placeholder and the error")
    }
  }
}
