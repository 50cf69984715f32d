public import TenonAuthInterop
import TenonCore

/// An ``AuthInterop`` whose user the test sets.
public final class FakeAuth: AuthInterop {
  private struct State {
    var current = AuthState()
    var refreshes = 0
    var tokenError: (any Error)?
    var listeners: [Int: AsyncStream<AuthState>.Continuation] = [:]
    var nextListener = 0
  }

  private let state = Lock(State())

  /// Creates a fake in which nobody is signed in.
  public init() {}

  /// Signs a user in. The first token is `<userID>-token-0`; each forced refresh increments the number.
  public func signIn(userID: String) {
    change { state in
      state.refreshes = 0
      state.current = AuthState(userID: userID, token: "\(userID)-token-0")
    }
  }

  /// Signs the user out.
  public func signOut() { change { $0.current = AuthState() } }

  /// Makes ``token(forcingRefresh:)`` throw while a user is signed in; `nil` makes it succeed again.
  public func failTokens(with error: (any Error)?) { state.withLock { $0.tokenError = error } }

  /// The ID of the user that the test signed in; `nil` if nobody is signed in.
  public var currentUserID: String? { state.withLock { $0.current.userID } }

  /// Returns the present token; `nil` if nobody is signed in.
  ///
  /// - Throws: the error of ``failTokens(with:)``; `CancellationError`.
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

  /// The current state, and then the state after each change. A slow reader receives the newest one only.
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

  private func change(_ change: @Sendable (inout State) -> Void) {
    state.withLock { state in
      let before = state.current
      change(&state)
      guard state.current != before else { return }
      for listener in state.listeners.values { listener.yield(state.current) }
    }
  }
}
