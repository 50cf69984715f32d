/// On whose authority an instance of a product makes its requests, for example `Store.store(as: .admin)`.
public enum Authority: Sendable, Hashable {
  /// The signed-in user, or no user. Security rules decide what is allowed.
  case user
  /// An administrator of the project, to whom security rules don't apply. TenonAdmin, which must be linked,
  /// has the credential. Use it on servers only: a credential that an app contains can be read from its files.
  case admin
}
