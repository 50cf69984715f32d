import TenonAuthInterop
import TenonCore

/// What other products learn of the session.
struct SignedInUser: AuthInterop {
  let session: Session

  nonisolated(nonsending) var currentUserID: String? {
    get async throws {
      if let session = session.known { return session?.user.uid }
      return try await session.current()?.user.uid
    }
  }

  func token(forcingRefresh: Bool) async throws -> String? {
    await session.keepFresh()
    return try await session.token(forcingRefresh: forcingRefresh)?.value
  }

  var stateChanges: AsyncStream<AuthState> {
    Task { await session.keepFresh() }
    return session.changes(of: { $0.map { "\($0.user.uid) \($0.tokens.idToken.value)" } }) { session in
      AuthState(userID: session?.user.uid, token: session?.tokens.idToken.value)
    }
  }
}
