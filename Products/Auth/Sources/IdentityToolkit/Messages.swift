import Foundation
import TenonCore

// The bodies of Identity Toolkit's and Secure Token's requests and answers, with the members that are used.

/// `accounts:signUp`. Without anything, an anonymous user.
struct SignUpRequest: Encodable {
  var email: String?
  var password: Secret?
  /// The user who gets the password; a new one when `nil`.
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
  /// For example `DISPLAY_NAME`: null can't clear a member.
  var deleteAttribute: [String]?
  /// For example `google.com`.
  var deleteProvider: [String]?
  var returnSecureToken = true
}

/// Secure Token's request, in the form of Firebase's Apple SDK.
struct TokenRequest: Encodable {
  var grantType = "refresh_token"
  var refreshToken: Secret
}

/// An answer that may bring new tokens.
protocol TokenBearing {
  var idToken: Secret? { get }
  var refreshToken: Secret? { get }
  /// Seconds as text.
  var expiresIn: String? { get }
  /// Stands in the place of tokens when a second factor is needed.
  var mfaPendingCredential: Secret? { get }
}

struct SignInResponse: Decodable, TokenBearing {
  var idToken: Secret?
  var refreshToken: Secret?
  var expiresIn: String?
  var mfaPendingCredential: Secret?
  var isNewUser: Bool?
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
  /// Seconds as text.
  var expiresIn: String

  private enum CodingKeys: String, CodingKey {
    case idToken = "id_token"
    case refreshToken = "refresh_token"
    case expiresIn = "expires_in"
  }
}

/// An answer of which nothing is needed.
struct Nothing: Decodable {}

struct LookupResponse: Decodable {
  var users: [UserRecord]?
}
