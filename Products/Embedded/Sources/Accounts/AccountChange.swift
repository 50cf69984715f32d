import TenonFoundation
import TenonTransport
import TenonValues

/// The changes of one `accounts:update`. Members that are `nil` aren't changed.
struct AccountChange: Sendable {
  /// The new name.
  var displayName: String?
  /// The new URL of the picture.
  var photoUrl: String?
  /// The new address, in the form of ``EmailAddress/canonical(_:)``.
  var email: String?
  /// The new password, before it was checked.
  var password: String?
  /// The hash of `password`; set before the changes are applied.
  var passwordHash: String?
  /// The names of the attributes to delete, for example `DISPLAY_NAME`.
  var deletedAttributes: Set<String>
  /// The IDs of the providers to remove.
  var deletedProviders: Set<String>
  /// The IDs of the credentials of the passkeys to remove.
  let deletedPasskeys: Set<String>
  /// Whether the user's sessions end, whichever `validSince` the user sends.
  let endsSessions: Bool
  /// The identity at a provider to add.
  var linkedProvider: AccountProvider?
  /// The following members are set by administrators only.
  ///
  /// Whether the user proved to have the address.
  var emailVerified: Bool?
  /// Whether the user is prevented from signing in.
  var disabled: Bool?
  /// Custom claims as JSON text, checked.
  var customAttributes: String?
  /// The time before which issued ID tokens are rejected, in seconds since 1970.
  var validSince: Int64?
  /// When the account was created, in milliseconds since 1970.
  var createdAt: Int64?
  /// When the user last signed in, in milliseconds since 1970.
  var lastLoginAt: Int64?
  /// The new phone number; empty to remove it.
  var phoneNumber: String?
  /// The items of the new second factors.
  var secondFactors: [JSON]?

  /// Reads the changes from a request.
  ///
  /// - Throws: ``Refusal`` for an invalid value or an attribute that can't be deleted.
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
    linkedProvider = try call.body["linkProviderUserInfo"].map { info in
      guard info["providerId"]?.text?.isEmpty == false else {
        throw AccountService.refusal("MISSING_PROVIDER_ID")
      }
      guard var provider = AccountProvider(wire: info) else { throw AccountService.refusal("MISSING_RAW_ID") }
      provider.federatedId = info["federatedId"]?.text
      // A phone number is proved by its code, and a password isn't an identity elsewhere.
      guard call.isPrivileged || ![AccountProvider.phone, "password"].contains(provider.providerId) else {
        throw AccountService.refusal("INVALID_PROVIDER_ID", provider.providerId)
      }
      return provider
    }
    deletedPasskeys = Set(call.texts("deletePasskey"))
    endsSessions = !call.isPrivileged && call.body["validSince"] != nil
    guard call.isPrivileged else { return }
    emailVerified = call.body["emailVerified"]?.bool
    disabled = call.body["disableUser"]?.bool
    validSince = try call.integer("validSince", in: 0...Timestamp.last.seconds)
    createdAt = try call.integer("createdAt", in: 0...Timestamp.last.millisecondsSince1970)
    lastLoginAt = try call.integer("lastLoginAt", in: 0...Timestamp.last.millisecondsSince1970)
    if let number = call.text("phoneNumber") {
      phoneNumber = number.isEmpty ? "" : try AccountService.checkedPhoneNumber(number)
    }
    if let mfa = call.body["mfa"] { secondFactors = mfa["enrollments"]?.array ?? [] }
    if let text = call.text("customAttributes") { customAttributes = try Self.checked(text) }
  }

  /// The attributes that can be deleted.
  private static let attributes: Set<String> = [
    "USER_ATTRIBUTE_NAME_UNSPECIFIED", "DISPLAY_NAME", "PHOTO_URL", "EMAIL", "PASSWORD", "PROVIDER",
  ]

  /// Applies the changes to an account. A new address, a new password and `validSince` end the user's
  /// sessions.
  ///
  /// - Parameters:
  ///   - account: the account to change.
  ///   - now: the current time.
  /// - Throws: ``Refusal`` for second factors that aren't valid.
  func apply(to account: inout Account, now: Timestamp) throws {
    if let secondFactors {
      account.secondFactors = try SecondFactor.list(secondFactors, keeping: account.secondFactors, now: now)
    }
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
    if let phoneNumber { account.phoneNumber = phoneNumber.isEmpty ? nil : phoneNumber }
    if let emailVerified { account.emailVerified = emailVerified }
    if let disabled { account.disabled = disabled }
    if let customAttributes { account.customAttributes = customAttributes }
    if let createdAt { account.createdAt = createdAt }
    if let lastLoginAt { account.lastLoginAt = lastLoginAt }
    if endsSessions { account.endSessions(now: now) }
    if let validSince {
      account.endSessions(now: now)
      account.validSince = validSince
    }
  }

  /// Removes the deleted attributes, providers and passkeys.
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
    account.passkeyInfo?.removeAll { deletedPasskeys.contains($0.credentialId) }
  }

  /// Returns the members of the response for the changed account, except tokens.
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

  /// The names of claims that the issuer of an ID token sets (RFC 7519, section 4.1; OpenID Connect Core 1.0,
  /// section 2; https://firebase.google.com/docs/auth/admin/custom-claims).
  static let reservedClaims: Set<String> = [
    "iss", "aud", "sub", "iat", "exp", "nbf", "jti", "nonce", "azp", "acr", "amr", "cnf", "auth_time",
    "firebase",
    "at_hash", "c_hash",
  ]

  /// Returns custom claims unchanged if they are valid.
  ///
  /// - Parameter text: a JSON object of at most 1,000 UTF-16 code units, without reserved names.
  /// - Throws: ``Refusal`` with `CLAIMS_TOO_LARGE`, `INVALID_CLAIMS` or `FORBIDDEN_CLAIM`.
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
