import TenonAuthInterop

/// Who is signed in, whose writes are sent.
final class UserSession {
  private let makeAuth: @Sendable () throws -> (any AuthInterop)?
  private let isLocalOnly: Bool
  /// Whether writes are sent, so that it must be known whose they are.
  private let isNeeded: Bool
  private var auth: (any AuthInterop)?
  private var changes: Task<Void, Never>?
  private var wasRead = false
  private var changeCount = 0

  /// The user who was last known to be signed in.
  private(set) var user: String?
  /// Whether it can be known who is signed in; nobody is if Auth isn't linked.
  private(set) var isKnown = true

  init(_ configuration: StoreEngine.Configuration) {
    makeAuth = configuration.auth
    isLocalOnly = configuration.isLocalOnly
    isNeeded = configuration.remote != nil
  }

  /// Reads who is signed in now: what follows a sign-in is done as that user, whether or not the change has been reported.
  ///
  /// - Parameter onChange: called when the session changes, from the first call on; the session has to be read again then.
  /// - Returns: whether it is another user.
  /// - Throws: ``StoreError`` with ``StoreError/Code/unauthenticated`` if the session was never read and can't be read;
  ///   `CancellationError`.
  func refresh(onChange: @escaping @Sendable () async -> Void) async throws -> Bool {
    guard !isLocalOnly, let auth = try linkedAuth() else { return false }
    if changes == nil { changes = Task { for await _ in auth.stateChanges { await onChange() } } }
    var newest: String?
    var count: Int
    repeat {
      count = changeCount
      do { newest = try await auth.currentUserID } catch {
        // An unreadable session doesn't mean that nobody is signed in.
        if wasRead { return false }
        if error is CancellationError { throw error }
        throw StoreError(
          .unauthenticated,
          "Nobody can tell whose writes these are: the session can't be read. Signing out sets it aside.",
          underlying: error)
      }
      // An answer that came in meanwhile may be newer than this one.
    } while count != changeCount
    wasRead = true
    guard newest != user else { return false }
    user = newest
    changeCount += 1
    return true
  }

  /// Returns what knows who is signed in; `nil` if Auth isn't linked.
  private func linkedAuth() throws -> (any AuthInterop)? {
    guard auth == nil, isKnown else { return auth }
    do { auth = try makeAuth() } catch {
      guard !isNeeded else {
        throw StoreError(
          .unauthenticated, "Nobody can be signed in, because Auth can't be used: \(error)", underlying: error
        )
      }
      // Nothing is sent for anybody: the writes of the last known user remain the ones that are shown.
      isKnown = false
    }
    return auth
  }

  /// Ends observing the session.
  func stop() { changes?.cancel() }
}
