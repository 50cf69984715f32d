import TenonAuthInterop
import TenonCore

/// The session as other products see it.
struct SignedInUser: AuthInterop {
  let session: Session

  nonisolated(nonsending) var currentUserID: String? {
    get async throws {
      if let active = session.known { return active?.user.uid }
      return try await session.current()?.user.uid
    }
  }

  func token(forcingRefresh: Bool) async throws -> String? {
    await session.keepFresh()
    return try await session.token(forcingRefresh: forcingRefresh)?.value
  }

  var stateChanges: AsyncStream<AuthState> {
    Task { await session.keepFresh() }
    return session.changes(of: { $0.map { "\($0.user.uid) \($0.stored.tokens.idToken.value)" } }) { active in
      AuthState(userID: active?.user.uid, token: active?.stored.tokens.idToken.value)
    }
  }
}
