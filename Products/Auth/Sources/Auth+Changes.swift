public import TenonAuthInterop
import TenonCore
import TenonFoundation

/// Changes of the signed-in user, as streams and by callback.
extension Auth {
  /// The current user, and then the user (`nil` if no user is signed in) whenever another user signs in or
  /// the user signs out.
  ///
  /// The first value arrives once the stored session could be read. A slow reader receives the newest value
  /// only. The stream ends when the app is deleted.
  public var authStateChanges: AsyncStream<User?> {
    session.changes(of: { $0?.user.uid }, { $0?.user })
  }

  /// The current user, and then the user (`nil` if no user is signed in) with each change of the ID token:
  /// sign-in, sign-out, refresh, a new password or email address.
  ///
  /// The first value arrives once the stored session could be read. A slow reader receives the newest value
  /// only. The stream ends when the app is deleted.
  public var idTokenChanges: AsyncStream<User?> {
    session.changes(of: { $0?.stored.tokens.idToken.value }, { $0?.user })
  }

  /// The current user, and then the user (`nil` if no user is signed in) with each change of the ID token or
  /// of the user's properties: also after linking, unlinking, ``User/reload()`` and changes of the profile,
  /// which the other streams don't report.
  ///
  /// The first value arrives once the stored session could be read. A slow reader receives the newest value
  /// only. The stream ends when the app is deleted.
  public var userChanges: AsyncStream<User?> {
    session.changes(of: { $0?.stored.fingerprint }, { $0?.user })
  }

  /// Calls `listener` on the main actor with the current user, and then whenever another user signs in or the
  /// user signs out, as ``authStateChanges``.
  ///
  /// - Parameter listener: receives this `Auth` and the user; `nil` if no user is signed in.
  /// - Returns: a handle for ``removeStateDidChangeListener(_:)``. The listener stays registered if the
  ///   handle is dropped.
  @discardableResult
  public func addStateDidChangeListener(
    _ listener: @escaping @MainActor @Sendable (Auth, User?) -> Void
  ) -> AuthStateDidChangeListenerHandle {
    AuthStateDidChangeListenerHandle(task: listen(to: authStateChanges, listener))
  }

  /// Removes a listener. If this is called on the main actor, the listener isn't called again; on another
  /// thread, a call that has begun may still be running. Removing a listener twice has no effect.
  public func removeStateDidChangeListener(_ handle: AuthStateDidChangeListenerHandle) {
    handle.task.cancel()
  }

  /// Calls `listener` on the main actor with the current user, and then with each change of the ID token, as
  /// ``idTokenChanges``.
  ///
  /// - Parameter listener: receives this `Auth` and the user; `nil` if no user is signed in.
  /// - Returns: a handle for ``removeIDTokenDidChangeListener(_:)``. The listener stays registered if the
  ///   handle is dropped.
  @discardableResult
  public func addIDTokenDidChangeListener(
    _ listener: @escaping @MainActor @Sendable (Auth, User?) -> Void
  ) -> IDTokenDidChangeListenerHandle {
    IDTokenDidChangeListenerHandle(task: listen(to: idTokenChanges, listener))
  }

  /// Removes a listener. If this is called on the main actor, the listener isn't called again; on another
  /// thread, a call that has begun may still be running. Removing a listener twice has no effect.
  public func removeIDTokenDidChangeListener(_ handle: IDTokenDidChangeListenerHandle) {
    handle.task.cancel()
  }

  /// Starts a task that calls a listener for each user of a stream, until the task is cancelled or the stream
  /// ends.
  private func listen(
    to users: AsyncStream<User?>, _ listener: @escaping @MainActor @Sendable (Auth, User?) -> Void
  ) -> Task<Void, Never> {
    MainActorReader.read(users, receive: { [weak self] user in if let self { listener(self, user) } })
  }
}

/// Libraries that know only the interop follow the user, too.
extension Auth: AuthUserChanges {}

/// The registration of a listener of ``Auth/addStateDidChangeListener(_:)``.
public final class AuthStateDidChangeListenerHandle: Sendable {
  /// Calls the listener; cancelling it removes the listener.
  let task: Task<Void, Never>

  init(task: Task<Void, Never>) { self.task = task }
}

/// The registration of a listener of ``Auth/addIDTokenDidChangeListener(_:)``.
public final class IDTokenDidChangeListenerHandle: Sendable {
  /// Calls the listener; cancelling it removes the listener.
  let task: Task<Void, Never>

  init(task: Task<Void, Never>) { self.task = task }
}
