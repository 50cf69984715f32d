public import Foundation

/// A signed-in user as the server last described them: a value that doesn't change by itself.
public struct User: Sendable, Hashable, Codable {
  /// The user's id, unique in the project.
  public internal(set) var uid: String
  /// The e-mail address, in lower case; `nil` when there is none.
  public internal(set) var email: String?
  /// What to call the user; `nil` when the user didn't say.
  public internal(set) var displayName: String?
  /// A picture of the user; `nil` when there is none.
  public internal(set) var photoURL: URL?
  /// Whether the user signed in without saying who they are.
  public internal(set) var isAnonymous: Bool
  /// Whether the user has shown that the e-mail address is theirs.
  public internal(set) var isEmailVerified: Bool
  /// The ways in which the user can sign in; empty for anonymous users.
  public internal(set) var providers: [UserProvider]
  /// When the user was created; `nil` when the server didn't say.
  public internal(set) var creationDate: Date?
  /// When the user last signed in; `nil` when the server didn't say.
  public internal(set) var lastSignInDate: Date?
}

/// One way in which a user can sign in.
public struct UserProvider: Sendable, Hashable, Codable {
  /// The provider, for example ``ProviderID/password``.
  public internal(set) var providerID: ProviderID
  /// The user's id at the provider; for `password` the e-mail address.
  public internal(set) var uid: String
  /// The e-mail address that the provider knows.
  public internal(set) var email: String?
  /// What the provider calls the user.
  public internal(set) var displayName: String?
  /// The provider's picture of the user.
  public internal(set) var photoURL: URL?
}
