import TenonCore
import TenonFoundation
import TenonTelemetry
import TenonTransport

/// A signed-in user with what the session stores.
struct ActiveSession: Sendable {
  let user: User
  var stored: StoredSession
}

/// The session of one app: the signed-in user and valid tokens, with the same content in memory and in the
/// store.
///
/// The stored session is read when this object is created. Afterwards, the store is used on a dedicated
/// queue, because it blocks. The actor changes the store and memory in one step without suspending, so they
/// can't differ.
actor Session {
  private let executor = QueueExecutor(label: "tenon.auth.session")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// A refresh in flight, and the refresh token that it uses.
  private struct Refresh {
    let refreshToken: Secret
    let task: SharedTask<Secret>
  }

  /// What can be read without waiting for the actor.
  private struct State {
    /// The session; `nil` while the stored one couldn't be read.
    var active: ActiveSession??
    /// Why the stored session couldn't be read, or that it was damaged.
    var problem: AuthError?
    /// Why the server ended the last session.
    var signOutReason: AuthError?
  }

  nonisolated let server: IdentityToolkit
  /// The stored session, which other processes may change.
  let store: SessionRecord
  /// Looks for the sign-outs of other processes while anything follows the session.
  let watch = Lock<Task<Void, Never>?>(nil)
  /// The clock, for the expiry of tokens and for timers.
  let time: TimeSource
  let logger: AppLogger?
  /// Written only on the actor, and read from any thread.
  private let state = Lock(State())
  /// The last refresh, which may have ended; `nil` before the first one.
  private var refresh: Refresh?
  let streams = ChangeStreams<ActiveSession?>()
  /// The renewal of tokens before they expire; `nil` until a product requires it (``keepFresh()``).
  var renewal: Renewal?

  /// Reads the stored session. If it can't be read, ``problem`` is the reason.
  ///
  /// - Parameters:
  ///   - store: stores the session.
  ///   - server: issues and refreshes tokens.
  ///   - logger: receives messages, which contain no secrets.
  ///   - time: the clock, for the expiry of tokens and for timers.
  init(store: any SessionStore, server: IdentityToolkit, logger: AppLogger?, time: TimeSource) {
    self.store = SessionRecord(store: store)
    self.server = server
    self.logger = logger
    self.time = time
    do {
      let found = try self.store.find()
      let active = found.session.map { ActiveSession(user: User($0.profile, session: self), stored: $0) }
      state.withLock { $0.active = .some(active) }
      // The calling thread may be the main thread, so it only reads.
      if !found.isPresentVersion { Task { try? await self.modernize() } }
    } catch {
      logger?.error("\(error)")
      let isDamaged = error.code == .sessionDamaged
      state.withLock { state in
        state.problem = error
        if isDamaged { state.active = .some(nil) }
      }
      if isDamaged { Task { try? await self.setDamagedAside() } }
    }
  }

  deinit {
    watch.withLock { $0?.cancel() }
    streams.finish()
  }

  /// The session, `.some(nil)` if no user is signed in; `nil` while the stored one couldn't be read. Reading
  /// it acquires a lock briefly and doesn't wait for the actor.
  nonisolated var known: ActiveSession?? { state.withLock { $0.active } }

  /// Why the stored session couldn't be read, or that it was damaged when Auth was created; `nil` if it could
  /// be read, and after the next sign-in or sign-out.
  nonisolated var problem: AuthError? { state.withLock { $0.problem } }

  /// Why the server ended the last session; `nil` if it ended none.
  nonisolated var signOutReason: AuthError? { state.withLock { $0.signOutReason } }

  /// Returns the session; `nil` if no user is signed in. Reads the store again if it couldn't be read before,
  /// and notices that another process has signed the user out.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/sessionUnreadable`` if it still can't be read.
  func current() throws -> ActiveSession? {
    if known != nil {
      noticeSignOut()
      if let known { return known }
    }
    do {
      let stored = try store.load()
      let active = stored.map { ActiveSession(user: User($0.profile, session: self), stored: $0) }
      state.withLock { state in
        state.active = .some(active)
        state.problem = nil
      }
      return active
    } catch {
      state.withLock { $0.problem = error }
      guard error.code == .sessionDamaged else { throw error }
      state.withLock { $0.active = .some(nil) }
      try setDamagedAside()
      return nil
    }
  }

  /// Moves a damaged session aside, which is no longer needed.
  private func setDamagedAside() throws {
    do { try store.setDamagedAside() } catch {
      logger?.error("The damaged session couldn't be moved aside: \(error)")
      throw error
    }
  }

  /// Stores a session of an earlier version in the present format.
  private func modernize() throws { try store.update { $0 } }

  /// Ends the session in memory if another process has ended the stored one.
  func noticeSignOut() {
    guard case .some(.some(let active)) = known,
      store.watchable?.isRemoved(active.stored.profile.uid) == true
    else { return }
    logger?.notice("Another process has signed the user out.")
    become(nil)
  }

  /// Returns the session of a user.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/userSignedOut`` if the user is no longer the current one.
  func active(_ user: User) throws -> ActiveSession {
    guard let active = try current(), active.user === user else { throw AuthError.signedOut(user.uid) }
    return active
  }

  /// Stores a session in place of the current one. A user who signs in again keeps the ``User`` object.
  ///
  /// - Returns: the user who is now signed in.
  /// - Throws: ``AuthError`` with ``AuthError/Code/sessionUnreadable`` or
  ///   ``AuthError/Code/sessionUnwritable``; the current session is then unchanged.
  func adopt(_ session: StoredSession) throws -> User {
    let user = try current()?.user
    try replaceStored(with: session)
    state.withLock { state in
      state.signOutReason = nil
      state.problem = nil
    }
    if let user, user.profile.isSameUser(as: session.profile) {
      become(ActiveSession(user: user, stored: session))
      return user
    }
    let new = User(session.profile, session: self)
    become(ActiveSession(user: new, stored: session))
    return new
  }

  /// Stores a session in place of any other, also of one that has been damaged since it was read.
  private func replaceStored(with session: StoredSession) throws {
    do throws(AuthError) { try store.update { _ in session } } catch {
      guard error.code == .sessionDamaged else { throw error }
      logger?.error("\(error)")
      try setDamagedAside()
      try store.update { _ in session }
    }
  }

  /// Changes the session of a user, unless it has ended or another one has begun in the meantime.
  ///
  /// - Parameters:
  ///   - user: the user whose session to change.
  ///   - notifies: whether listeners are notified; otherwise ``announce()`` must follow.
  ///   - change: changes the stored session.
  /// - Returns: whether there was a session to change.
  /// - Throws: ``AuthError`` with ``AuthError/Code/sessionUnwritable``; the session is then unchanged.
  @discardableResult
  func change(
    _ user: User,
    notifies: Bool = true,
    _ change: (inout StoredSession) -> Void
  ) throws -> Bool {
    guard let before = try current(), before.user === user else { return false }
    var after = before
    change(&after.stored)
    try store.update { [after = after.stored] in
      $0?.profile.isSameUser(as: after.profile) == true ? after : $0
    }
    become(after, notifies: notifies)
    return true
  }

  /// Notifies the listeners of the current session.
  func announce() {
    if let known { streams.send(known) }
  }

  /// Ends the session; one that can't be read is moved aside.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/sessionUnwritable``; the user then stays signed in.
  func signOut() throws {
    do { _ = try current() } catch {
      try store.setAside()
      logger?.notice("A stored session that can't be read was moved aside: \(error)")
      state.withLock { state in
        state.active = .some(nil)
        state.problem = nil
      }
      return streams.send(nil)
    }
    // Another process may have stored another user's session in the meantime, which this one must not end.
    try end { $0.profile.isSameUser(as: $1.profile) }
    state.withLock { $0.problem = nil }
  }

  /// Ends the session of a user, unless another one has begun in the meantime.
  func signOut(_ user: User) throws {
    guard try current()?.user === user else { return }
    try signOut()
  }

  /// Ends the session if it still has the tokens that the server rejected.
  ///
  /// - Parameters:
  ///   - refused: the rejected tokens.
  ///   - reason: the server's error, which becomes ``signOutReason``.
  func end(_ refused: SessionTokens, because reason: AuthError) throws {
    guard try current()?.stored.tokens.refreshToken == refused.refreshToken else { return }
    try end(because: reason) { $0.tokens.refreshToken == $1.tokens.refreshToken }
    logger?.notice(
      "The user was signed out: \(reason)", fields: ["error.type": Telemetry.errorType(reason)])
  }

  /// Ends the session in memory, and the stored one if `isSame` returns `true` for the stored session and the
  /// one in memory.
  ///
  /// - Parameter reason: the server's error; `nil` if the app ends the session. Streams that deliver the end
  ///   find it in ``signOutReason``.
  private func end(because reason: AuthError? = nil, where isSame: (StoredSession, StoredSession) -> Bool)
    throws
  {
    guard let session = try current()?.stored else { return }
    do throws(AuthError) {
      try store.update { kept in kept.flatMap { isSame($0, session) ? nil : $0 } }
    } catch {
      guard error.code == .sessionDamaged else { throw error }
      try setDamagedAside()
    }
    state.withLock { $0.signOutReason = reason }
    become(nil)
  }

  /// Sets the session in memory, updates its user, and schedules the renewal of its token.
  private func become(_ session: ActiveSession?, notifies: Bool = true) {
    if let session { session.user.update(session.stored.profile) }
    state.withLock { $0.active = .some(session) }
    if notifies { streams.send(session) }
    scheduleRenewal(of: session?.stored)
  }

  // MARK: - Tokens

  /// Returns an ID token that is valid for at least five more minutes; `nil` if no user is signed in.
  ///
  /// - Parameter forcingRefresh: whether to request a new token even if the current one is still valid.
  func token(forcingRefresh: Bool) async throws -> Secret? {
    guard let session = try current()?.stored else { return nil }
    return try await token(of: session, forcingRefresh: forcingRefresh)
  }

  /// Returns an ID token of a user that is valid for at least five more minutes.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/userSignedOut`` if the user is no longer the current one.
  func token(of user: User, forcingRefresh: Bool) async throws -> Secret {
    try await token(of: try active(user).stored, forcingRefresh: forcingRefresh)
  }

  /// Returns the session's ID token if it is fresh, and otherwise the result of a refresh.
  private func token(of session: StoredSession, forcingRefresh: Bool) async throws -> Secret {
    if !forcingRefresh, session.tokens.isFresh(at: time.date()) { return session.tokens.idToken }
    return try await refreshTask(for: session).value()
  }

  /// Returns the refresh in flight for a session; starts one if there is none.
  private func refreshTask(for session: StoredSession) -> SharedTask<Secret> {
    let refreshToken = session.tokens.refreshToken
    if let refresh, refresh.refreshToken == refreshToken, !refresh.task.isOver { return refresh.task }
    let task = SharedTask { try await self.refreshed(session) }
    refresh = Refresh(refreshToken: refreshToken, task: task)
    return task
  }

  /// Refreshes the tokens of a session and stores the new ones. If the server reports that the session has
  /// ended, uses newer tokens of another process if there are any, and otherwise signs the user out.
  private func refreshed(_ session: StoredSession) async throws -> Secret {
    do {
      let tokens = try await server.telemetry.measure(
        "tenon.auth.token.refresh.duration", span: "auth.token.refresh"
      ) {
        try await server.refresh(session.tokens.refreshToken)
      }
      try tokens.check(belongTo: session.profile)
      return try settle(tokens, for: session)
    } catch let error as AuthError where error.endsSession {
      if let newer = try newerTokens(than: session) { return try settle(newer, for: session) }
      try end(session.tokens, because: error)
      throw error
    }
  }

  /// Stores new tokens, unless the session to which they belong has ended.
  ///
  /// - Returns: the new ID token.
  /// - Throws: ``AuthError`` with ``AuthError/Code/userSignedOut`` if the session has ended.
  private func settle(_ tokens: SessionTokens, for session: StoredSession) throws -> Secret {
    guard let present = try current(), present.stored.tokens.refreshToken == session.tokens.refreshToken
    else {
      throw AuthError(
        .userSignedOut,
        "The user was signed out while the ID token was being refreshed. Use Auth.currentUser, or sign in again."
      )
    }
    // The refresh ends here, so that a renewal right after it doesn't wait for this one.
    refresh = nil
    do { try change(present.user) { $0.tokens = tokens } } catch {
      // The tokens are still valid, and after a restart the stored refresh token can obtain new ones.
      logger?.error("New tokens couldn't be stored: \(error)")
      var renewed = present
      renewed.stored.tokens = tokens
      become(renewed)
    }
    return tokens.idToken
  }

  /// Returns the tokens that another process has stored for the same user, if they differ and are fresh: when
  /// that process changes the password, the server revokes this one's tokens, but the user's session
  /// continues.
  private func newerTokens(than session: StoredSession) throws -> SessionTokens? {
    guard let kept = try store.load(), kept.profile.isSameUser(as: session.profile),
      kept.tokens.refreshToken != session.tokens.refreshToken, kept.tokens.isFresh(at: time.date())
    else { return nil }
    return kept.tokens
  }
}
