/// Who signed in.
public struct AuthResult: Sendable, Hashable {
  /// The user, who is the current one now.
  public let user: User
  /// Whether the user was created by this.
  public let isNewUser: Bool
}
