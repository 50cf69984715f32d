import TenonCore
import TenonFoundation
import TenonJSON

/// The session in a store, as JSON. Errors are converted to ``AuthError`` and contain no secrets.
struct SessionRecord: Sendable {
  let store: any SessionStore

  /// Returns the stored session; `nil` if no user is signed in.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/sessionUnreadable``.
  func load() throws(AuthError) -> StoredSession? {
    let content: Data?
    do { content = try store.load() } catch { throw unreadable(error) }
    return try session(in: content)
  }

  /// Replaces the stored session with the result of `change`; `nil` removes it. The change is durable when
  /// this returns.
  ///
  /// - Parameter change: receives the stored session, which another process may have changed.
  /// - Throws: ``AuthError`` with ``AuthError/Code/sessionUnreadable`` or
  ///   ``AuthError/Code/sessionUnwritable``.
  func update(_ change: (StoredSession?) -> StoredSession?) throws(AuthError) {
    do {
      try store.update { content in
        let kept = try session(in: content)
        let changed = change(kept)
        return changed == kept ? content : try changed.map { try JSONEncoder().encode($0) }
      }
    } catch let error as AuthError {
      throw error
    } catch {
      throw unwritable(error)
    }
  }

  /// Moves content that can't be read aside.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/sessionUnwritable``.
  func setAside() throws(AuthError) {
    do { try store.setAside() } catch { throw unwritable(error) }
  }

  /// Decodes a session.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/sessionUnreadable`` if the content isn't a session of
  ///   version 1.
  private func session(in content: Data?) throws(AuthError) -> StoredSession? {
    guard let content else { return nil }
    // The decoder's error may quote the content, which is secret.
    guard let session = try? JSON.decode(StoredSession.self, from: content), session.version == 1
    else { throw unreadable(nil) }
    return session
  }

  private func unreadable(_ error: (any Error)?) -> AuthError {
    AuthError(
      .sessionUnreadable,
      "The session in \(store.location) can't be read. Make it readable, or call signOut() to move it aside.",
      underlying: error
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
