import TenonCore
import TenonFoundation

/// The session in a store. Errors are converted to ``AuthError`` and contain no secrets.
struct SessionRecord: Sendable {
  let store: any SessionStore

  /// A stored session, and whether it has the present format.
  struct Found: Sendable {
    var session: StoredSession?
    var isPresentVersion = true
  }

  /// Returns the stored session; `nil` if no user is signed in.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/sessionUnreadable`` if it can't be read now, and with
  ///   ``AuthError/Code/sessionDamaged`` if it never will be.
  func load() throws(AuthError) -> StoredSession? { try find().session }

  /// Returns the stored session, as ``load()``, and whether it has the present format.
  func find() throws(AuthError) -> Found { try found(in: Result { try store.load() }) }

  /// Replaces the stored session with the result of `change`; `nil` removes it. The change is durable when
  /// this returns. A session in an earlier format gets the present one, even if it is unchanged.
  ///
  /// - Parameter change: receives the stored session, which another process may have changed.
  /// - Throws: ``AuthError`` with ``AuthError/Code/sessionUnreadable``, ``AuthError/Code/sessionDamaged`` or
  ///   ``AuthError/Code/sessionUnwritable``.
  func update(_ change: (StoredSession?) -> StoredSession?) throws(AuthError) {
    do {
      try store.update { content in
        let kept = try found(in: .success(content))
        let changed = change(kept.session)
        if changed == kept.session, kept.isPresentVersion { return content }
        if let ended = kept.session, changed == nil { watchable?.noteRemoval(of: ended.profile.uid) }
        return try changed.map { try SessionFormat.encode($0) }
      }
    } catch let error as AuthError {
      throw error
    } catch {
      throw isTooLarge(error) ? damaged : unwritable(error)
    }
  }

  /// Moves content that can't be used aside.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/sessionUnwritable``.
  func setAside() throws(AuthError) {
    do { try store.setAside() } catch { throw unwritable(error) }
  }

  /// Moves damaged content aside. Does nothing if another process has done so, and has perhaps stored a
  /// session since.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/sessionUnwritable``.
  func setDamagedAside() throws(AuthError) {
    do {
      if let watchable {
        try watchable.setAside(if: isDamaged)
      } else if isDamaged(Result { try store.load() }) {
        try store.setAside()
      }
    } catch { throw unwritable(error) }
  }

  /// The store, if it can tell cheaply whether another process has removed the session.
  var watchable: (any WatchableSessionStore)? { store as? any WatchableSessionStore }

  /// Returns whether content, or the reason why it can't be read, means that the session is damaged.
  private func isDamaged(_ content: Result<Data?, any Error>) -> Bool {
    do throws(AuthError) { _ = try found(in: content) } catch { return error.code == .sessionDamaged }
    return false
  }

  /// Decodes content.
  private func found(in content: Result<Data?, any Error>) throws(AuthError) -> Found {
    let data: Data?
    do { data = try content.get() } catch { throw isTooLarge(error) ? damaged : unreadable(error) }
    switch SessionFormat.decode(data) {
    case .none: return Found()
    case .session(let session, let isPresentVersion):
      return Found(session: session, isPresentVersion: isPresentVersion)
    case .later: throw later
    case .damaged: throw damaged
    }
  }

  /// Whether an error means that the content is larger than any session, so that it wasn't read.
  private func isTooLarge(_ error: any Error) -> Bool { (error as? SystemError)?.isTooLargeToRead == true }

  private func unreadable(_ error: any Error) -> AuthError {
    AuthError(
      .sessionUnreadable,
      "The session in \(store.location) can't be read now: \(error.systemReason). Auth waits until it is readable; "
        + "signOut() moves it aside.",
      underlying: error
    )
  }

  private var later: AuthError {
    AuthError(
      .sessionUnreadable,
      "The session in \(store.location) was stored by a later version of Tenon. Update the app, or call signOut() to "
        + "move it aside."
    )
  }

  private var damaged: AuthError {
    AuthError(
      .sessionDamaged,
      "The session in \(store.location) is damaged and was moved aside. The user must sign in again."
    )
  }

  private func unwritable(_ error: any Error) -> AuthError {
    AuthError(
      .sessionUnwritable,
      "The session can't be stored in \(store.location). Check that it is writable and has free space.",
      underlying: error
    )
  }
}
