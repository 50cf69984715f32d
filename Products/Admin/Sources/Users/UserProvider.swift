public import TenonFoundation
import TenonJSON

/// An identity of a user at a provider, for example at Google: what is linked to a user, and what is imported
/// with one.
public struct UserProvider: Sendable, Hashable {
  /// The provider's ID, for example `google.com`.
  public var providerID: String
  /// The user's ID at the provider.
  public var uid: String
  /// The user's email address at the provider; `nil` if there is none.
  public var email: String?
  /// The user's phone number, which only the provider `phone` has; `nil` otherwise.
  public internal(set) var phoneNumber: String?
  /// The user's name at the provider; `nil` if there is none.
  public var displayName: String?
  /// The URL of the user's picture at the provider; `nil` if there is none.
  public var photoURL: URL?

  /// Creates an identity.
  ///
  /// - Parameters:
  ///   - providerID: the provider's ID, for example `google.com`.
  ///   - uid: the user's ID at the provider.
  ///   - email: the user's email address there.
  ///   - displayName: the user's name there.
  ///   - photoURL: the URL of the user's picture there.
  public init(
    providerID: String, uid: String, email: String? = nil, displayName: String? = nil, photoURL: URL? = nil
  ) {
    self.providerID = providerID
    self.uid = uid
    self.email = email
    self.displayName = displayName
    self.photoURL = photoURL
  }

  /// Reads an item of `providerUserInfo`; `nil` if it names no provider.
  init?(_ wire: JSON) {
    guard let providerID = wire["providerId"]?.string, !providerID.isEmpty else { return nil }
    self.init(
      providerID: providerID, uid: wire["rawId"]?.text ?? "", email: wire["email"]?.string,
      displayName: wire["displayName"]?.string, photoURL: wire["photoUrl"]?.string.flatMap(URL.init(string:)))
    phoneNumber = wire["phoneNumber"]?.string
  }

  /// Returns the identity as an item of `providerUserInfo`.
  ///
  /// - Throws: ``AdminError`` for an empty ID, and for what isn't an identity at a provider.
  func wire() throws(AdminError) -> JSON {
    try UserRules.check(providerID: providerID)
    guard !uid.isEmpty else {
      throw AdminError(.invalidUID, "The user's ID at \(providerID) is empty. Set UserProvider.uid.")
    }
    if let email { try UserRules.check(email: email) }
    return .members([
      "providerId": .string(providerID), "rawId": .string(uid), "email": email.map(JSON.string),
      "displayName": displayName.map(JSON.string), "photoUrl": (photoURL?.absoluteString).map(JSON.string),
    ])
  }
}
