public import TenonFoundation

/// A user as one identity provider describes them.
public struct UserInfo: Sendable, Hashable, Codable {
  /// The provider's identifier, for example ``EmailAuthProvider/id`` or ``GoogleAuthProvider/id``.
  public internal(set) var providerID: String
  /// The user's identifier at the provider; for ``EmailAuthProvider`` the email address.
  public internal(set) var uid: String
  /// The email address that the provider reported; `nil` if it reported none.
  public internal(set) var email: String?
  /// The display name that the provider reported; `nil` if it reported none.
  public internal(set) var displayName: String?
  /// The URL of the profile photo that the provider reported; `nil` if it reported none.
  public internal(set) var photoURL: URL?
  /// The phone number; `nil` for all providers but ``PhoneAuthProvider``.
  public internal(set) var phoneNumber: String?
}
