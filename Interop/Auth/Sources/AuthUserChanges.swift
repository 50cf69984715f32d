/// Delivers the signed-in user of an app and its changes, as objects of the provider's own type.
///
/// ``AuthInterop`` tells products whose calls they make. This protocol is for libraries that adapt the user's
/// changes to another form, such as the publishers of TenonStoreCombine.
///
/// Requirements for implementations:
/// - Each access creates another stream, which delivers the current user once the stored session could be
///   read, and then the user after each change; `nil` if no user is signed in. A slow consumer receives only
///   the latest user.
/// - The streams end when the app is deleted.
public protocol AuthUserChanges: Sendable {
  /// A signed-in user.
  associatedtype User: Sendable

  /// The user whenever another one signs in or the user signs out.
  var authStateChanges: AsyncStream<User?> { get }

  /// The user with each change of the ID token, too.
  var idTokenChanges: AsyncStream<User?> { get }
}
