import Foundation
import TenonCore

// The bodies of the requests and answers of Identity Toolkit and Secure Token, with the members that are used.

/// `accounts:signUp`. Without address and password, an anonymous user.
struct SignUpRequest: Encodable {
  var email: String?
  var password: Secret?
  /// The user to whom the password is linked; a new one if `nil`.
  var idToken: Secret?
  var returnSecureToken = true
}

/// `accounts:signInWithPassword`
struct PasswordRequest: Encodable {
  var email: String
  var password: Secret
  var returnSecureToken = true
}

/// `accounts:lookup` and `accounts:delete`
struct IDTokenRequest: Encodable {
  var idToken: Secret
}

/// `accounts:update`
struct UpdateRequest: Encodable {
  var idToken: Secret
  var email: String?
  var password: Secret?
  var displayName: String?
  var photoUrl: String?
  /// The attributes to remove, for example `DISPLAY_NAME`; `null` as a member's value does not remove it.
  var deleteAttribute: [String]?
  /// The providers to remove, for example `google.com`.
  var deleteProvider: [String]?
  var returnSecureToken = true
}

/// Secure Token's request, in the form of Firebase's Apple SDK.
struct TokenRequest: Encodable {
  var grantType = "refresh_token"
  var refreshToken: Secret
}

/// An answer that may contain new tokens.
protocol TokenBearing {
  var idToken: Secret? { get }
  var refreshToken: Secret? { get }
  /// The lifetime of the ID token: seconds as text.
  var expiresIn: String? { get }
  /// Present in place of the tokens if a second factor is required.
  var mfaPendingCredential: Secret? { get }
}

struct SignInResponse: Decodable, TokenBearing {
  var idToken: Secret?
  var refreshToken: Secret?
  var expiresIn: String?
  var mfaPendingCredential: Secret?
  var isNewUser: Bool?

  /// Returns what the server reports beyond the account.
  ///
  /// - Parameter isNewUser: whether the user is new, for methods whose answer does not say so.
  func additionalUserInfo(of provider: String, isNewUser: Bool? = nil) -> AdditionalUserInfo {
    AdditionalUserInfo(providerID: provider, isNewUser: isNewUser ?? self.isNewUser ?? false)
  }
}

struct UpdateResponse: Decodable, TokenBearing {
  var idToken: Secret?
  var refreshToken: Secret?
  var expiresIn: String?
  var mfaPendingCredential: Secret? { nil }
}

/// Secure Token's answer.
struct TokenResponse: Decodable {
  var idToken: Secret
  var refreshToken: Secret
  /// The lifetime of the ID token: seconds as text.
  var expiresIn: String

  private enum CodingKeys: String, CodingKey {
    case idToken = "id_token"
    case refreshToken = "refresh_token"
    case expiresIn = "expires_in"
  }
}

/// An answer whose content is not used.
struct Nothing: Decodable {}

struct LookupResponse: Decodable {
  var users: [UserRecord]?
}
