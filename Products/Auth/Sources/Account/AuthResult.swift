public import Foundation

/// Who signed in.
public struct AuthResult: Sendable, Hashable {
  /// The user, who is the current one now.
  public let user: User
  /// Whether the user was created by this.
  public let isNewUser: Bool
  /// What an identity provider said of the user; `nil` for other ways to sign in.
  public internal(set) var profile: ProviderProfile?
}

/// What an identity provider said of a user when they signed in.
public struct ProviderProfile: Sendable, Hashable {
  /// The provider.
  public let providerID: ProviderID
  /// The user's id at the provider, as in ``User/providers``.
  public let uid: String?
  /// The address that the provider knows.
  public let email: String?
  /// What the provider calls the user.
  public let displayName: String?
  /// The provider's picture of the user.
  public let photoURL: URL?
  /// All that the provider said, as JSON text (`rawUserInfo`).
  public let json: String?
}
