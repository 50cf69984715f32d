import Foundation
import TenonCore
import TenonTransport

/// The session of one app: who is signed in, with valid tokens, in memory and in the store alike.
///
/// It runs on a queue of its own, because the store blocks. Every change of the store and of the memory happens in
/// one step of the actor, so they can't drift apart.
actor Session {
  private let executor = QueueExecutor(label: "tenon.auth.session")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private struct Refresh {
    let refreshToken: Secret
    let task: SharedTask<Secret>
  }

  private let store: SessionRecord
  private let renew: @Sendable (Secret) async throws -> SessionTokens
  let pace: TimeSource
  let logger: Logger?
  /// Changed on the actor only, and known everywhere.
  private let present = Lock<StoredSession??>(nil)
  private var refresh: Refresh?
  private let streams = ChangeStreams<StoredSession?>()
  /// Renews tokens before they expire; `nil` until somebody needs that.
  var renewal: Renewal?
  /// Why the server ended the last session; `nil` when the user or nobody did.
  private(set) var signOutReason: AuthError?

  /// - Parameters:
  ///   - store: where the session is kept.
  ///   - renew: asks the server for new tokens for a refresh token.
  ///   - pace: tells the time and waits.
  init(
    store: any SessionStore,
    logger: Logger?,
    pace: TimeSource,
    renew: @escaping @Sendable (Secret) async throws -> SessionTokens
  ) {
    self.store = SessionRecord(store: store)
    self.logger = logger
    self.pace = pace
    self.renew = renew
  }

  /// The session, once it has been read from the store; there is no turn to wait for.
  nonisolated var known: StoredSession?? {
    present.withLock { $0 }
  }

  /// The session, read from the store at first.
  func current() throws -> StoredSession? {
    if let known { return known }
    let session = try store.load()
    present.withLock { $0 = .some(session) }
    return session
  }

  /// Makes this the session, whoever was signed in before.
  func adopt(_ session: StoredSession) throws {
    _ = try current()
    try store.update { _ in session }
    signOutReason = nil
    become(session)
  }

  /// Changes the session of a user, unless it has ended or another has begun meanwhile.
  ///
  /// - Parameter tells: whether listeners are told; ``announce()`` has to follow otherwise.
  /// - Returns: the changed session; `nil` when there was nothing to change.
  @discardableResult
  func change(
    _ userID: String,
    tells: Bool = true,
    _ change: (inout StoredSession) -> Void
  ) throws -> StoredSession? {
    guard let before = try current(), before.user.uid == userID else { return nil }
    var after = before
    change(&after)
    try store.update { $0?.user.uid == userID ? after : $0 }
    become(after, tells: tells)
    return after
  }

  /// Tells listeners the present session, for whom it is news.
  func announce() {
    if let known { streams.send(known) }
  }

  /// Ends the session; one that can't be read is set aside.
  func signOut() throws {
    do { _ = try current() } catch {
      try store.setAside()
      logger?.notice("A session that can't be read was set aside: \(error)")
      present.withLock { $0 = .some(nil) }
      return streams.send(nil)
    }
    // Another process may have signed in as somebody else; that isn't ours to end.
    try end { $0.user.uid == $1.user.uid }
    signOutReason = nil
  }

  /// Ends the session if it still is the one that the server refused.
  func end(_ refused: SessionTokens, because reason: AuthError) throws {
    guard try current()?.tokens.refreshToken == refused.refreshToken else { return }
    try end { $0.tokens.refreshToken == $1.tokens.refreshToken }
    signOutReason = reason
    logger?.notice("The user was signed out: \(reason)")
  }

  /// Forgets the session, and ends what is kept if it `isSame`.
  private func end(where isSame: (StoredSession, StoredSession) -> Bool) throws {
    guard let session = try current() else { return }
    try store.update { kept in kept.flatMap { isSame($0, session) ? nil : $0 } }
    become(nil)
  }

  private func become(_ session: StoredSession?, tells: Bool = true) {
    present.withLock { $0 = .some(session) }
    if tells { streams.send(session) }
    scheduleRenewal(of: session)
  }

  // MARK: - Tokens

  /// An ID token that holds for five more minutes; `nil` when nobody is signed in.
  func token(forcingRefresh: Bool) async throws -> Secret? {
    guard let session = try current() else { return nil }
    if !forcingRefresh, session.tokens.isFresh(at: pace.date()) { return session.tokens.idToken }
    return try await refreshTask(for: session).value()
  }

  /// The one refresh in flight for a session.
  private func refreshTask(for session: StoredSession) -> SharedTask<Secret> {
    let refreshToken = session.tokens.refreshToken
    if let refresh, refresh.refreshToken == refreshToken, !refresh.task.isOver { return refresh.task }
    let task = SharedTask { try await self.refreshed(session) }
    refresh = Refresh(refreshToken: refreshToken, task: task)
    return task
  }

  private func refreshed(_ session: StoredSession) async throws -> Secret {
    do {
      let tokens = try await renew(session.tokens.refreshToken)
      try tokens.check(belongTo: session.user)
      return try settle(tokens, for: session)
    } catch let error as AuthError where error.endsSession {
      if let newer = try newerTokens(than: session) { return try settle(newer, for: session) }
      try end(session.tokens, because: error)
      throw error
    }
  }

  /// Keeps new tokens, unless the session that they belong to is over.
  private func settle(_ tokens: SessionTokens, for session: StoredSession) throws -> Secret {
    guard let present = try current(), present.tokens.refreshToken == session.tokens.refreshToken else {
      throw AuthError(.userSignedOut, "The user was signed out while the ID token was being renewed.")
    }
    do { try change(present.user.uid) { $0.tokens = tokens } } catch {
      // The tokens are good all the same, and the kept refresh token may bring others after a restart.
      logger?.error("New tokens could not be kept: \(error)")
      var renewed = present
      renewed.tokens = tokens
      become(renewed)
    }
    return tokens.idToken
  }

  /// The tokens that another process keeps for the same user, if it has got others that are still fresh: its
  /// change of the password has ended our tokens, not the user's session.
  private func newerTokens(than session: StoredSession) throws -> SessionTokens? {
    guard let kept = try store.load(), kept.user.uid == session.user.uid,
      kept.tokens.refreshToken != session.tokens.refreshToken, kept.tokens.isFresh(at: pace.date())
    else { return nil }
    return kept.tokens
  }

  // MARK: - Changes

  /// The session at once, when it can be read, and then each change of its fingerprint. Slow readers see the newest.
  nonisolated func changes<Element: Sendable>(
    of fingerprint: @escaping @Sendable (StoredSession?) -> String?,
    _ element: @escaping @Sendable (StoredSession?) -> Element
  ) -> AsyncStream<Element> {
    let stream = streams.stream(of: fingerprint, element)
    Task { await self.tellPresent() }
    return stream
  }

  private func tellPresent() {
    do { streams.send(try current()) } catch {
      logger?.error("Nobody is told who is signed in before the session can be read: \(error)")
    }
  }

  /// Ends all streams.
  func close() {
    streams.finish()
    stopRenewal()
  }
}
