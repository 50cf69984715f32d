public import Observation
import TenonFoundation

/// The signed-in user of an app, observed, for views and other observers on the main actor.
///
/// It follows ``Auth/userChanges`` from its creation until it is released, and belongs to whatever holds it.
/// Its properties are observed individually: an observer of ``uid`` is invalidated when another user signs in
/// or the user signs out, and not when a token is renewed.
///
/// ```swift
/// struct Root: View {
///   @State var account = LiveUser(auth)
///
///   var body: some View {
///     if account.uid == nil { SignIn() } else { Text(account.user?.displayName ?? "") }
///   }
/// }
/// ```
@MainActor @Observable public final class LiveUser {
  /// The user's identifier; `nil` if no user is signed in or the stored session couldn't be read yet.
  public private(set) var uid: String?
  /// Whether the stored session couldn't be read yet. It is usually read before this object is created.
  public private(set) var isLoading: Bool
  /// Why the stored session can't be read, or why the server ended the last session; `nil` if neither is the
  /// case. See ``Auth/sessionProblem`` and ``Auth/signOutReason``.
  public private(set) var error: AuthError?

  /// The user that ``user`` returns.
  @ObservationIgnored private var current: User?
  /// Reads the changes of the user.
  @ObservationIgnored private var reader: MainActorReader?

  /// Starts to follow the signed-in user.
  ///
  /// - Parameter auth: the `Auth` of the app.
  public init(_ auth: Auth) {
    let known = auth.session.known
    isLoading = known == nil
    current = known??.user
    uid = current?.uid
    error = auth.sessionProblem ?? auth.signOutReason
    reader = MainActorReader(auth.userChanges) { [weak self] user in
      self?.receive(user, error: auth.sessionProblem ?? auth.signOutReason)
    }
  }

  /// The signed-in user; `nil` if no user is signed in or the stored session couldn't be read yet.
  ///
  /// An app has one ``User`` object per sign-in. Observers of this property are also invalidated when that
  /// object's properties or its ID token have changed.
  public var user: User? {
    access(keyPath: \.user)
    return current
  }

  /// Takes over a user. Observers of what is unchanged aren't invalidated.
  private func receive(_ user: User?, error new: AuthError?) {
    // Explicit, because the properties of the same object may have changed.
    withMutation(keyPath: \.user) { current = user }
    if uid != user?.uid { uid = user?.uid }
    if error?.code != new?.code { error = new }
    if isLoading { isLoading = false }
  }
}
