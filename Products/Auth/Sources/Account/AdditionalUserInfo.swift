import TenonTransport

/// What a server reports about a sign-in beyond the account.
public struct AdditionalUserInfo: Sendable, Hashable {
  /// The provider's identifier, for example ``GoogleAuthProvider/id``; empty for anonymous users and custom tokens.
  public let providerID: String
  /// The name of the user's account at the provider, for providers that have one (GitHub, Twitter); otherwise `nil`.
  public let username: String?
  /// Whether the sign-in created the account.
  public let isNewUser: Bool
  private let members: [String: JSON]?

  init(providerID: String, isNewUser: Bool, username: String? = nil, profile: JSON? = nil) {
    self.providerID = providerID
    self.isNewUser = isNewUser
    self.username = username
    members = profile?.object
  }

  /// The user's data at the identity provider, for example `profile?["name"] as? String`; `nil` for other ways to
  /// sign in.
  ///
  /// Values are `String`, `Bool`, `Int` (whole numbers), `Double`, `[any Sendable]` and `[String: any Sendable]`;
  /// `null` is left out. The dictionary is made anew on each access, in time linear in its size.
  public var profile: [String: any Sendable]? { members?.plainValues }
}
