public import TenonAuthInterop
import Testing

/// The contract of `AuthInterop` as a test that every implementation can run:
/// - Without a signed-in user, the ID and the token are `nil`, also after a forced refresh.
/// - `stateChanges` begins with the current state and reports signing in and signing out.
/// - A valid token is reused, and a forced refresh keeps the user.
/// - Cancelling one of several concurrent callers doesn't affect the others.
///
/// Not covered: the remaining validity of a token, a stored session that can't be read, and whether
/// concurrent callers share one request to the server.
///
/// ```swift
/// @Test func authKeepsTheContract() async throws {
///   let auth = FakeAuth()
///   try await AuthInteropContract.check(
///     auth, signIn: { auth.signIn(userID: "ann") }, signOut: { auth.signOut() })
/// }
/// ```
public enum AuthInteropContract {
  /// Checks an implementation. Violations are recorded as issues of the running test.
  ///
  /// The check forces up to 21 refreshes, 20 of them concurrently. It waits without a limit for the elements
  /// of `stateChanges`, so an implementation that doesn't send them suspends it forever. Give the test a time
  /// limit.
  ///
  /// - Parameters:
  ///   - auth: the implementation, without a signed-in user. No other code may sign in or out during the
  ///     checks.
  ///   - signIn: signs a user in, whose tokens can be refreshed. It is called once.
  ///   - signOut: signs that user out. It is called once, at the end.
  /// - Throws: the errors of the implementation and of the closures.
  public static func check(
    _ auth: any AuthInterop,
    signIn: () async throws -> Void,
    signOut: () async throws -> Void
  ) async throws {
    #expect(try await auth.currentUserID == nil, "initially, no user is signed in")
    #expect(try await auth.token(forcingRefresh: false) == nil, "without a user, there is no token")
    #expect(try await auth.token(forcingRefresh: true) == nil, "a forced refresh without a user returns nil")
    var changes = auth.stateChanges.makeAsyncIterator()
    #expect(await changes.next() == AuthState(), "`stateChanges` begins with the current state")

    try await signIn()
    let userID = try await auth.currentUserID
    let token = try await auth.token(forcingRefresh: false)
    #expect(userID != nil && token != nil, "a user has an ID and a token")
    let state = await newest(&changes) { $0.userID != nil && $0.token != nil }
    #expect(state?.userID == userID, "`stateChanges` reports signing in")
    var late = auth.stateChanges.makeAsyncIterator()
    #expect(await late.next()?.userID == userID, "a later stream begins with the current state")

    #expect(try await auth.token(forcingRefresh: false) == token, "a valid token is reused")
    #expect(try await auth.token(forcingRefresh: true) != nil, "a forced refresh returns a token")
    #expect(try await auth.currentUserID == userID, "a refresh keeps the user")
    try await checkWaiters(auth)

    try await signOut()
    #expect(try await auth.currentUserID == nil, "after signing out, no user is signed in")
    #expect(try await auth.token(forcingRefresh: false) == nil, "without a user, there is no token")
    #expect(await newest(&changes) { $0.userID == nil } == AuthState(), "`stateChanges` reports signing out")
  }

  /// Checks that cancelling some of many concurrent callers doesn't affect the others: each of those receives
  /// a token.
  ///
  /// The results of the cancelled callers are ignored, because cancellation may come too late for them.
  ///
  /// - Parameter auth: the implementation, with a signed-in user.
  /// - Throws: the error of a caller that wasn't cancelled.
  private static func checkWaiters(_ auth: any AuthInterop) async throws {
    let waiters = (0..<20).map { _ in Task { try await auth.token(forcingRefresh: true) } }
    for waiter in waiters.prefix(5) { waiter.cancel() }
    for waiter in waiters.dropFirst(5) {
      #expect(try await waiter.value != nil, "cancelling one caller doesn't affect the others")
    }
  }

  /// Returns the next state that satisfies a condition, or `nil` if the stream ends before.
  ///
  /// States before it are skipped, because an implementation may report the user before it has a token.
  ///
  /// - Parameters:
  ///   - changes: the iterator of the stream, which advances to the returned state.
  ///   - isWanted: the condition.
  private static func newest(
    _ changes: inout AsyncStream<AuthState>.Iterator,
    where isWanted: (AuthState) -> Bool
  ) async -> AuthState? {
    while let state = await changes.next(isolation: #isolation) {
      if isWanted(state) { return state }
    }
    return nil
  }
}
