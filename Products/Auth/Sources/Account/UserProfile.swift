import TenonFoundation

/// An account as the server described it, in the form in which a session stores it.
struct UserProfile: Sendable, Hashable, Codable {
  var uid: String
  /// The tenant; `nil` for users of the project itself.
  var tenantID: String?
  var email: String?
  var displayName: String?
  var photoURL: URL?
  var phoneNumber: String?
  var isAnonymous: Bool
  var isEmailVerified: Bool
  var providerData: [UserInfo]
  /// The second factors; `nil` if there are none.
  var secondFactors: [EnrolledFactor]?
  /// The passkeys; `nil` if there are none.
  var passkeys: [PasskeyInfo]?
  var creationDate: Date?
  var lastSignInDate: Date?

  /// Returns whether this is the account of the same user. Users of different tenants may have the same ID.
  func isSameUser(as other: UserProfile) -> Bool { uid == other.uid && tenantID == other.tenantID }

  /// The names in a stored session, which versions before 0.2 also wrote.
  private enum CodingKeys: String, CodingKey {
    case uid, tenantID, email, displayName, photoURL, phoneNumber, isAnonymous, isEmailVerified, creationDate,
      lastSignInDate, secondFactors, passkeys
    case providerData = "providers"
  }
}
