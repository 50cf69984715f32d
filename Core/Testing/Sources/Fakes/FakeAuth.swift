public import TenonAuthInterop
import TenonFoundation

/// An implementation of `AuthInterop` for tests, which sign the user in and out. It can be used from any
/// thread.
///
/// Tokens are numbered texts that never expire. Concurrent forced refreshes aren't shared: each creates
/// another token.
///
/// ```swift
/// let auth = FakeAuth()
/// auth.signIn(userID: "ann")
/// #expect(try await auth.token(forcingRefresh: false) == "ann-token-0")
/// #expect(try await auth.token(forcingRefresh: true) == "ann-token-1")
/// ```
public final class FakeAuth: AuthInterop {
  /// The user, the number of refreshes, the error in effect and the open streams.
  private struct State {
    /// The user and the token.
    var current = AuthState()
    /// The number of forced refreshes since the user signed in, which is the number of the current token.
    var refreshes = 0
    /// The error of ``FakeAuth/failTokens(with:)``; `nil` if there is none.
    var tokenError: (any Error)?
    /// The open streams of ``FakeAuth/stateChanges``, by number.
    var listeners: [Int: AsyncStream<AuthState>.Continuation] = [:]
    /// The number of the stream that was opened last.
    var nextListener = 0
  }

  private let state = Lock(State())

  /// Creates a fake without a signed-in user.
  public init() {}

  /// Signs a user in, in place of any other one.
  ///
  /// The first token is `<userID>-token-0`; each forced refresh increments the number. Signing in the same
  /// user again begins with the first token again.
  ///
  /// - Parameter userID: the ID of the user.
  public func signIn(userID: String) {
    change { state in
      state.refreshes = 0
      state.current = AuthState(userID: userID, token: "\(userID)-token-0")
    }
  }

  /// Signs the user out. Has no effect if no user is signed in.
  public func signOut() { change { $0.current = AuthState() } }

  /// Makes ``token(forcingRefresh:)`` throw while a user is signed in. The error outlasts changes of the
  /// user.
  ///
  /// - Parameter error: the error; `nil` makes the function succeed again.
  public func failTokens(with error: (any Error)?) { state.withLock { $0.tokenError = error } }

  /// The ID of the signed-in user; `nil` if no user is signed in. Reading it never fails.
  public var currentUserID: String? { state.withLock { $0.current.userID } }

  /// Returns the current token, or `nil` if no user is signed in.
  ///
  /// - Parameter forcingRefresh: whether to return a token with the next number.
  /// - Throws: the error of ``failTokens(with:)`` if a user is signed in; `CancellationError` if the task was
  ///   cancelled before the call.
  public func token(forcingRefresh: Bool) async throws -> String? {
    try Task.checkCancellation()
    let error = state.withLock { $0.current.userID == nil ? nil : $0.tokenError }
    if let error { throw error }
    if forcingRefresh {
      change { state in
        guard let userID = state.current.userID else { return }
        state.refreshes += 1
        state.current.token = "\(userID)-token-\(state.refreshes)"
      }
    }
    return state.withLock { $0.current.token }
  }

  /// A stream of the current state, and then of the state after each change. A slow consumer receives the
  /// last only.
  public var stateChanges: AsyncStream<AuthState> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let listener = state.withLock { state in
        state.nextListener += 1
        state.listeners[state.nextListener] = continuation
        continuation.yield(state.current)
        return state.nextListener
      }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { $0.listeners[listener] = nil }
      }
    }
  }

  /// Changes the state, and sends it to the streams if the user or the token differs afterwards.
  ///
  /// The states are sent under the lock, so every stream receives them in the order of the changes.
  ///
  /// - Parameter change: the change, which is applied under the lock.
  private func change(_ change: @Sendable (inout State) -> Void) {
    state.withLock { state in
      let before = state.current
      change(&state)
      guard state.current != before else { return }
      for listener in state.listeners.values { listener.yield(state.current) }
    }
  }
}
