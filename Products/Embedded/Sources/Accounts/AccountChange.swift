import Foundation
import TenonTransport

/// What one `accounts:update` changes.
struct AccountChange: Sendable {
  var displayName: String?
  var photoUrl: String?
  /// Checked, in its canonical form.
  var email: String?
  var password: String?
  /// The hash of `password`, once it has been made.
  var passwordHash: String?
  var deletedAttributes: Set<String>
  var deletedProviders: Set<String>
  /// The rest is an administrator's.
  var emailVerified: Bool?
  var disabled: Bool?
  var customAttributes: String?
  /// Seconds since 1970.
  var validSince: Int64?
  /// Milliseconds since 1970.
  var createdAt: Int64?
  /// Milliseconds since 1970.
  var lastLoginAt: Int64?
  var linkedProvider: AccountProvider?

  init(_ call: AccountCall) throws {
    displayName = call.text("displayName")
    photoUrl = call.text("photoUrl")
    email = try call.text("email").map(AccountService.checkedEmail)
    password = call.text("password")
    deletedAttributes = Set(call.texts("deleteAttribute"))
    let attributes = Self.attributes
    if let other = deletedAttributes.sorted().first(where: { !attributes.contains($0) }) {
      throw Refusal.unimplemented("accounts:update with deleteAttribute \(other)")
    }
    deletedProviders = Set(call.texts("deleteProvider"))
    guard call.isPrivileged else { return }
    emailVerified = call.body["emailVerified"]?.bool
    disabled = call.body["disableUser"]?.bool
    validSince = try call.integer("validSince", in: 0...Timestamp.last.seconds)
    createdAt = try call.integer("createdAt", in: 0...Timestamp.last.milliseconds)
    lastLoginAt = try call.integer("lastLoginAt", in: 0...Timestamp.last.milliseconds)
    linkedProvider = try call.body["linkProviderUserInfo"].map { info in
      guard info["providerId"]?.text?.isEmpty == false else {
        throw AccountService.refusal("MISSING_PROVIDER_ID")
      }
      guard let provider = AccountProvider(wire: info) else { throw AccountService.refusal("MISSING_RAW_ID") }
      return provider
    }
    if let text = call.text("customAttributes") { customAttributes = try Self.checked(text) }
  }

  /// The attributes that can be deleted.
  private static let attributes: Set<String> = [
    "USER_ATTRIBUTE_NAME_UNSPECIFIED", "DISPLAY_NAME", "PHOTO_URL", "EMAIL", "PASSWORD", "PROVIDER",
  ]

  func apply(to account: inout Account, now: Timestamp) {
    if let displayName { account.displayName = displayName }
    if let photoUrl { account.photoUrl = photoUrl }
    if let email, email != account.email {
      if account.initialEmail == nil { account.initialEmail = account.email }
      account.email = email
      account.emailVerified = false
      account.endSessions(now: now)
    }
    if let passwordHash {
      account.setPassword(hash: passwordHash, now: now)
      account.endSessions(now: now)
    }
    remove(from: &account)
    if let linkedProvider { account.add(linkedProvider) }
    if let emailVerified { account.emailVerified = emailVerified }
    if let disabled { account.disabled = disabled }
    if let customAttributes { account.customAttributes = customAttributes }
    if let createdAt { account.createdAt = createdAt }
    if let lastLoginAt { account.lastLoginAt = lastLoginAt }
    if let validSince {
      account.endSessions(now: now)
      account.validSince = validSince
    }
  }

  private func remove(from account: inout Account) {
    if deletedAttributes.contains("DISPLAY_NAME") { account.displayName = nil }
    if deletedAttributes.contains("PHOTO_URL") { account.photoUrl = nil }
    if deletedAttributes.contains("PASSWORD") { account.passwordHash = nil }
    if deletedAttributes.contains("PROVIDER") { account.federated = [] }
    if deletedAttributes.contains("EMAIL") || deletedProviders.contains("password") {
      account.email = nil
      account.emailVerified = false
    }
    if deletedProviders.contains("password") {
      account.passwordHash = nil
      account.emailLinkSignin = nil
    }
    account.federated.removeAll { deletedProviders.contains($0.providerId) }
  }

  func answer(for account: Account) -> [String: JSON] {
    var answer: [String: JSON] = [
      "kind": "identitytoolkit#SetAccountInfoResponse", "localId": .string(account.localId),
      "emailVerified": .bool(account.emailVerified),
      "providerUserInfo": .array(account.providers.map(\.wire)),
    ]
    answer["email"] = account.email.map(JSON.string)
    answer["displayName"] = account.displayName.map(JSON.string)
    answer["photoUrl"] = account.photoUrl.map(JSON.string)
    answer["passwordHash"] = account.maskedPasswordHash
    return answer
  }

  /// Names in an ID token that belong to its issuer (RFC 7519, OpenID Connect Core and Firebase).
  static let reservedClaims: Set<String> = [
    "iss", "aud", "sub", "iat", "exp", "nbf", "jti", "nonce", "azp", "acr", "amr", "cnf", "auth_time",
    "firebase",
    "at_hash", "c_hash",
  ]

  static func checked(_ text: String) throws -> String {
    guard text.utf16.count <= 1_000 else { throw AccountService.refusal("CLAIMS_TOO_LARGE") }
    guard let claims = try? JSON(parsing: Data(text.utf8)).object else {
      throw AccountService.refusal("INVALID_CLAIMS")
    }
    if let reserved = claims.keys.sorted().first(where: reservedClaims.contains) {
      throw AccountService.refusal("FORBIDDEN_CLAIM", reserved)
    }
    return text
  }
}
