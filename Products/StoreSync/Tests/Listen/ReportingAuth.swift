import TenonAuthInterop
import TenonTesting

/// Auth with a signed-in user, whose state is reported when the test says so, and as often.
actor ReportingAuth: AuthInterop {
  private let auth = FakeAuth()
  /// The observer that waits for a state.
  private var observer: CheckedContinuation<AuthState?, Never>?
  /// The calls of ``report(refreshing:)`` that wait until the observer has processed their state.
  private var reporters: [CheckedContinuation<Void, Never>] = []
  /// The states that the observer hasn't received.
  private var states: [AuthState] = []

  init(userID: String) { auth.signIn(userID: userID) }

  nonisolated var currentUserID: String? { auth.currentUserID }

  nonisolated func token(forcingRefresh: Bool) async throws -> String? {
    try await auth.token(forcingRefresh: forcingRefresh)
  }

  nonisolated var stateChanges: AsyncStream<AuthState> {
    AsyncStream {
      await self.next()
    } onCancel: {
      Task { await self.end() }
    }
  }

  /// Reports the current token, or a new one, and returns when the observer has processed it.
  func report(refreshing: Bool) async throws {
    let token = try await auth.token(forcingRefresh: refreshing)
    let state = AuthState(userID: auth.currentUserID, token: token)
    if let observer {
      self.observer = nil
      observer.resume(returning: state)
    } else {
      states.append(state)
    }
    await withCheckedContinuation { reporters.append($0) }
  }

  private func next() async -> AuthState? {
    if !states.isEmpty { return states.removeFirst() }
    for reporter in reporters { reporter.resume() }
    reporters = []
    return await withCheckedContinuation { observer = $0 }
  }

  private func end() {
    observer?.resume(returning: nil)
    observer = nil
  }
}
