import TenonAuthInterop
import TenonStoreInterop

/// Tracks the signed-in user, whose writes are sent.
///
/// A session that can't be read doesn't count as signed out: once a user was read, that user remains until
/// another answer arrives. In a local-only database Auth is never used, and no user is signed in. Owned by
/// ``StoreEngine`` and confined to its executor, which other work may use while a method waits for Auth.
final class UserSession {
  private let makeAuth: @Sendable () throws -> (any AuthInterop)?
  private let isLocalOnly: Bool
  /// Whether writes are sent, so that their user must be known.
  private let isNeeded: Bool
  /// The provider of the signed-in user; `nil` before it is first needed, and if Auth isn't linked.
  private var auth: (any AuthInterop)?
  /// The provider of the signed-in user, once it was needed; `nil` if writes aren't attributed to users.
  var provider: (any AuthInterop)? { auth }
  /// Observes the changes of the session; `nil` before the first refresh.
  private var changes: Task<Void, Never>?
  /// Whether the session was ever read.
  private var wasRead = false
  /// The number of times that the user has changed, by which a refresh detects that another one ended while
  /// it waited.
  private var changeCount = 0

  /// The state of Auth when ``readToken()`` was last called; `nil` if it isn't known.
  private var state: AuthState?

  /// The ID of the user last known to be signed in; `nil` if no user is.
  private(set) var user: String?
  /// Whether the signed-in user can be determined. Without Auth, no user is signed in.
  private(set) var isKnown = true

  /// Creates a session without a user. Auth isn't used before the first refresh.
  init(_ configuration: StoreEngine.Configuration) {
    makeAuth = configuration.auth
    isLocalOnly = configuration.isLocalOnly
    isNeeded = configuration.remote != nil
  }

  /// Reads which user is signed in, so that operations after a sign-in run as that user even if the change
  /// hasn't been reported yet.
  ///
  /// - Parameter onChange: called when the session changes, starting with the first call of this method; the
  ///   session must be read again then.
  /// - Returns: whether the user has changed.
  /// - Throws: ``StoreError`` with ``StoreError/Code/unauthenticated`` if the session has never been read and
  ///   can't be read; `CancellationError`.
  func refresh(onChange: @escaping @Sendable () async -> Void) async throws -> Bool {
    guard !isLocalOnly, let auth = try linkedAuth() else { return false }
    if changes == nil { changes = Task { for await _ in auth.stateChanges { await onChange() } } }
    var newest: String?
    var count: Int
    repeat {
      count = changeCount
      do { newest = try await auth.currentUserID } catch {
        // An unreadable session doesn't mean that no user is signed in.
        if wasRead { return false }
        if error is CancellationError { throw error }
        throw StoreError(
          .unauthenticated,
          "The user who made these writes is unknown, because the session can't be read. Sign out to move it aside.",
          underlying: error)
      }
      // An answer received in the meantime may be newer than this one.
    } while count != changeCount
    wasRead = true
    guard newest != user else { return false }
    user = newest
    changeCount += 1
    return true
  }

  /// Returns the provider of the signed-in user; `nil` if Auth isn't linked.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/unauthenticated`` if Auth can't be used although writes
  ///   are sent.
  private func linkedAuth() throws -> (any AuthInterop)? {
    guard auth == nil, isKnown else { return auth }
    do { auth = try makeAuth() } catch {
      guard !isNeeded else {
        throw StoreError(
          .unauthenticated, "The signed-in user is unknown, because Auth can't be used: \(error)",
          underlying: error
        )
      }
      // Nothing is sent on behalf of a user; the writes of the last known user remain visible.
      isKnown = false
    }
    return auth
  }

  /// Reads the user's ID token, for the claims in it. Nothing is requested: the token may have expired.
  func readToken() async {
    guard let auth else { return }
    // Another stream begins with the newest state, which those that are open may not have received yet.
    for await newest in auth.stateChanges {
      state = newest
      return
    }
    state = nil
  }

  /// Returns who makes writes, with the claims that are known: those of a token that hasn't expired.
  func author(at time: Timestamp) -> WriteJudge.Author {
    guard isKnown else { return .unknown }
    guard let user else { return .known(nil) }
    guard let state, state.userID == user, let claims = state.token.flatMap({ TokenClaims($0) }),
      claims.isCurrent(at: time)
    else { return .known(.init(uid: user, hasAllClaims: false)) }
    return .known(.init(uid: user, claims: claims.fields, hasAllClaims: true))
  }

  /// Stops observing the session. A later refresh reads it, but doesn't observe it again.
  func stop() { changes?.cancel() }
}
