/// On whose authority an instance of a product makes its requests, for example `Store.store(as: .admin)`.
public enum Authority: Sendable, Hashable {
  /// The user who is signed in, or nobody. Security rules decide what is allowed.
  case user
  /// An administrator of the project, to whom security rules don't apply. TenonAdmin, which must be linked,
  /// has the credential. Only servers can keep one: whoever has the files of an app has what is in them.
  case admin
}
