import TenonFoundation

// The bodies of the requests and answers of Identity Toolkit and Secure Token, with the members that are
// used.

/// A request for the users of a tenant. ``IdentityToolkit`` sets the tenant.
protocol TenantRequest: Encodable {
  /// The tenant; `nil` for the users of the project itself.
  var tenantId: String? { get set }
}

/// The request of `accounts:signUp`. Without address and password, the server creates an anonymous user.
struct SignUpRequest: TenantRequest {
  var tenantId: String?
  var email: String?
  var password: Secret?
  /// The user to whom the password is linked; if `nil`, a new user is created.
  var idToken: Secret?
  var returnSecureToken = true
}

/// The request of `accounts:signInWithPassword`.
struct PasswordRequest: TenantRequest {
  var tenantId: String?
  var email: String
  var password: Secret
  var returnSecureToken = true
}

/// The request of `accounts:lookup` and `accounts:delete`, which concern the user of an ID token.
struct IDTokenRequest: Encodable {
  var idToken: Secret
}

/// The request of `accounts:update`, which changes the properties that aren't `nil`.
struct UpdateRequest: Encodable {
  var idToken: Secret
  var email: String?
  var password: Secret?
  var displayName: String?
  var photoUrl: String?
  /// The attributes to remove, for example `DISPLAY_NAME`; the server ignores members that are `null`.
  var deleteAttribute: [String]?
  /// The providers to remove, for example `google.com`.
  var deleteProvider: [String]?
  /// The passkeys to remove, by the IDs of their credentials.
  var deletePasskey: [String]?
  var returnSecureToken = true
}

/// Secure Token's request, with the member names of Firebase's Apple SDK.
struct TokenRequest: Encodable {
  var grantType = "refresh_token"
  var refreshToken: Secret
}

/// An answer that may contain new tokens.
protocol TokenBearing {
  /// The ID token; `nil` if the answer has no new tokens.
  var idToken: Secret? { get }
  /// The refresh token; `nil` if the answer has no new tokens.
  var refreshToken: Secret? { get }
  /// The lifetime of the ID token in seconds, as text.
  var expiresIn: String? { get }
  /// Present instead of the tokens if a second factor is required.
  var mfaPendingCredential: Secret? { get }
  /// The second factors of which one is required.
  var mfaInfo: [UserRecord.Factor]? { get }
}

/// The answer to a sign-in without an identity provider.
struct SignInResponse: Decodable, TokenBearing {
  var idToken: Secret?
  var refreshToken: Secret?
  var expiresIn: String?
  var mfaPendingCredential: Secret?
  var mfaInfo: [UserRecord.Factor]?
  var isNewUser: Bool?

  /// Returns what the server reports in addition to the account.
  ///
  /// - Parameters:
  ///   - provider: the provider's identifier.
  ///   - isNewUser: whether the user is new; if `nil`, the answer contains it.
  func additionalUserInfo(of provider: String, isNewUser: Bool? = nil) -> AdditionalUserInfo {
    AdditionalUserInfo(providerID: provider, isNewUser: isNewUser ?? self.isNewUser ?? false)
  }
}

/// The answer to `accounts:update`, which has tokens if the change revoked the old ones.
struct UpdateResponse: Decodable, TokenBearing {
  var idToken: Secret?
  var refreshToken: Secret?
  var expiresIn: String?
  var mfaPendingCredential: Secret? { nil }
  var mfaInfo: [UserRecord.Factor]? { nil }
}

/// Secure Token's answer.
struct TokenResponse: Decodable {
  var idToken: Secret
  /// The refresh token from now on; `nil` if the present one remains (RFC 6749, section 6).
  var refreshToken: Secret?
  /// The lifetime of the ID token in seconds, as text.
  var expiresIn: String

  private enum CodingKeys: String, CodingKey {
    case idToken = "id_token"
    case refreshToken = "refresh_token"
    case expiresIn = "expires_in"
  }
}

/// An answer whose content isn't used.
struct Nothing: Decodable {}

/// The answer to `accounts:lookup`.
struct LookupResponse: Decodable {
  var users: [UserRecord]?
}
