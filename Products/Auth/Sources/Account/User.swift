public import TenonFoundation

/// A user who signed in to an app, and the operations on their account.
///
/// ```swift
/// let user = try await Auth.auth().signIn(withEmail: email, password: password).user
/// try await user.sendEmailVerification()
/// try await user.reload()
/// print(user.isEmailVerified)
/// ```
///
/// The properties show the account as the server last described it. They change when an operation or
/// ``reload()`` receives a newer description. An app has one `User` object per sign-in, which
/// ``Auth/currentUser`` returns until the user signs out or another one signs in. A user who signs in again
/// without signing out keeps the object.
///
/// When the user is no longer the current one, the properties keep their last values, and every operation
/// throws ``AuthError`` with ``AuthError/Code/userSignedOut`` without contacting the server, because the
/// tokens are discarded with the session. An operation that was in progress at that time throws the same
/// error and changes no session. When the server ends the session (the user was disabled or deleted, or the
/// tokens were revoked), the operation throws that reason, and the user is signed out.
///
/// Two users are equal if their ``uid`` and ``tenantID`` are. Properties may be read from any thread: reading one acquires a
/// lock briefly and never blocks on input or output.
public final class User: Sendable {
  /// What changes during the user's life.
  private struct State {
    var profile: UserProfile
    /// The session owns its user, so this reference must not keep the session alive.
    weak var session: Session?
  }

  /// The user's identifier, unique in the project.
  public let uid: String
  /// The tenant to which the user belongs; `nil` for users of the project itself.
  public let tenantID: String?
  /// The account and the session, which any thread may read.
  private let state: Lock<State>

  /// - Parameters:
  ///   - profile: the account as the server last described it.
  ///   - session: the session that owns this user.
  init(_ profile: UserProfile, session: Session) {
    uid = profile.uid
    tenantID = profile.tenantID
    state = Lock(State(profile: profile, session: session))
  }

  /// The email address, in lower case; `nil` if the account has none.
  public var email: String? { profile.email }
  /// The display name; `nil` if the account has none. ``createProfileChangeRequest()`` changes it.
  public var displayName: String? { profile.displayName }
  /// The URL of the profile photo; `nil` if the account has none. ``createProfileChangeRequest()`` changes
  /// it.
  public var photoURL: URL? { profile.photoURL }
  /// The phone number; `nil` if the account has none. ``updatePhoneNumber(_:)`` changes it.
  public var phoneNumber: String? { profile.phoneNumber }
  /// Whether the user signed in with ``Auth/signInAnonymously()`` and hasn't linked a credential since.
  public var isAnonymous: Bool { profile.isAnonymous }
  /// Whether the user has proved that the email address is theirs.
  public var isEmailVerified: Bool { profile.isEmailVerified }
  /// The identity providers with which the user can sign in; empty for anonymous users.
  public var providerData: [UserInfo] { profile.providerData }
  /// The times of the account's creation and of the last sign-in.
  public var metadata: UserMetadata {
    let profile = profile
    return UserMetadata(creationDate: profile.creationDate, lastSignInDate: profile.lastSignInDate)
  }

  /// The account as the server last described it.
  var profile: UserProfile { state.withLock { $0.profile } }

  /// Replaces the description of the account.
  func update(_ profile: UserProfile) { state.withLock { $0.profile = profile } }

  /// The session of the app.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/userSignedOut`` if the app's `Auth` no longer exists.
  var session: Session {
    get throws(AuthError) {
      guard let session = state.withLock({ $0.session }) else { throw AuthError.signedOut(uid) }
      return session
    }
  }
}

extension User: Hashable {
  /// Returns whether both are the same user: their ``uid`` and their ``tenantID`` are equal.
  public static func == (left: User, right: User) -> Bool {
    left.uid == right.uid && left.tenantID == right.tenantID
  }

  /// Hashes the ``uid``.
  public func hash(into hasher: inout Hasher) { hasher.combine(uid) }
}

extension User: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The ``uid``, for example `user 8fK2`.
  public var description: String { "user \(uid)" }

  /// The same text as ``description``.
  public var debugDescription: String { description }

  /// The ``uid`` as the only child.
  public var customMirror: Mirror { Mirror(self, children: ["uid": uid]) }
}
