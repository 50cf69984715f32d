/// The result of a sign-in, of linking a credential, or of a reauthentication.
public struct AuthDataResult: Sendable, Hashable {
  /// The user, who is the current one.
  public let user: User
  /// What the server reported in addition to the account: whether it is new, and the identity provider's
  /// data. `nil` after ``User/link(with:)`` with a password if the connection lost the answer.
  public internal(set) var additionalUserInfo: AdditionalUserInfo?
  /// The identity provider's credential as the server returned it, for requests to that provider; `nil` for
  /// other ways to sign in.
  public internal(set) var credential: AuthCredential?

  init(user: User, additionalUserInfo: AdditionalUserInfo?, credential: AuthCredential? = nil) {
    self.user = user
    self.additionalUserInfo = additionalUserInfo
    self.credential = credential
  }
}
