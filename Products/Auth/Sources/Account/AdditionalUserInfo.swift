import TenonTransport

/// What the server reports about a sign-in in addition to the account.
public struct AdditionalUserInfo: Sendable, Hashable {
  /// The provider's identifier, for example ``GoogleAuthProvider/id``; empty for anonymous users and custom
  /// tokens.
  public let providerID: String
  /// The name of the user's account at the provider, for providers that have one (GitHub, Twitter); otherwise
  /// `nil`.
  public let username: String?
  /// Whether the sign-in created the account.
  public let isNewUser: Bool
  private let members: [String: JSON]?

  /// - Parameters:
  ///   - providerID: the provider's identifier; empty for anonymous users and custom tokens.
  ///   - isNewUser: whether the sign-in created the account.
  ///   - username: the name of the account at the provider.
  ///   - profile: the provider's data. Values other than objects count as none.
  init(providerID: String, isNewUser: Bool, username: String? = nil, profile: JSON? = nil) {
    self.providerID = providerID
    self.isNewUser = isNewUser
    self.username = username
    members = profile?.object
  }

  /// The user's data at the identity provider, for example `profile?["name"] as? String`; `nil` for other
  /// ways to sign in.
  ///
  /// Values are `String`, `Bool`, `Int` (whole numbers), `Double`, `[any Sendable]`, `[String: any Sendable]`
  /// and `NSNull`, as in the results of functions and in documents. Each access creates the dictionary, in
  /// time linear in its size.
  public var profile: [String: any Sendable]? { members?.mapValues(\.plainValue) }
}
