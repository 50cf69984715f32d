import TenonAuthInterop
import TenonCore
import TenonFoundation

/// The session as `AuthInterop`, through which other products use it.
struct SignedInUser: AuthInterop {
  let session: Session

  /// The ID of the current user, read without a change of threads unless the stored session couldn't be read
  /// before.
  nonisolated(nonsending) var currentUserID: String? {
    get async throws {
      if let active = session.known { return active?.user.uid }
      return try await session.current()?.user.uid
    }
  }

  /// Returns an ID token. From the first call on, the session renews tokens before they expire, because
  /// products keep connections open that end with the token.
  func token(forcingRefresh: Bool) async throws -> String? {
    await session.keepFresh()
    return try await session.token(forcingRefresh: forcingRefresh)?.value
  }

  /// The state, and then each change of the user or the ID token; it also starts the renewal of tokens.
  var stateChanges: AsyncStream<AuthState> {
    Task { await session.keepFresh() }
    return session.changes(of: { $0.map { "\($0.user.uid) \($0.stored.tokens.idToken.value)" } }) { active in
      AuthState(userID: active?.user.uid, token: active?.stored.tokens.idToken.value)
    }
  }
}
