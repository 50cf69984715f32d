import TenonFoundation

/// An account as the server described it, in the form in which a session stores it.
struct UserProfile: Sendable, Hashable, Codable {
  var uid: String
  var email: String?
  var displayName: String?
  var photoURL: URL?
  var phoneNumber: String?
  var isAnonymous: Bool
  var isEmailVerified: Bool
  var providerData: [UserInfo]
  /// The second factors; `nil` if there are none.
  var secondFactors: [EnrolledFactor]?
  var creationDate: Date?
  var lastSignInDate: Date?

  /// The names in a stored session, which versions before 0.2 also wrote.
  private enum CodingKeys: String, CodingKey {
    case uid, email, displayName, photoURL, phoneNumber, isAnonymous, isEmailVerified, creationDate,
      lastSignInDate, secondFactors
    case providerData = "providers"
  }
}
