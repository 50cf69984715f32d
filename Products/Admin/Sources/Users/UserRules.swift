import TenonFoundation
import TenonJSON

/// What the properties of a user must be, as far as this machine can tell.
enum UserRules {
  /// The greatest length of a user's ID, in characters.
  private static let longestUID = 128
  /// The least length of a password, in characters.
  private static let shortestPassword = 6
  /// The greatest size of custom claims as JSON, in bytes.
  static let largestClaims = 1_000
  /// The names that custom claims may not have, because the issuer of tokens sets them
  /// (https://firebase.google.com/docs/auth/admin/custom-claims).
  static let reservedClaims: Set<String> = [
    "acr", "amr", "at_hash", "aud", "auth_time", "azp", "cnf", "c_hash", "exp", "firebase", "iat", "iss",
    "jti", "nbf", "nonce", "sub",
  ]

  static func check(uid: String) throws(AdminError) {
    guard !uid.isEmpty, uid.utf16.count <= longestUID else {
      throw AdminError(.invalidUID, "The ID of a user must have 1 to \(longestUID) characters.")
    }
  }

  static func check(email: String) throws(AdminError) {
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
      throw AdminError(.invalidEmail, "An email address consists of two parts with \"@\" between them.")
    }
  }

  static func check(phoneNumber: String) throws(AdminError) {
    guard phoneNumber.hasPrefix("+"), phoneNumber.contains(where: \.isNumber) else {
      throw AdminError(
        .invalidPhoneNumber, "A phone number begins with \"+\" and its country, for example +15550100.")
    }
  }

  static func check(password: String) throws(AdminError) {
    guard password.utf16.count >= shortestPassword else {
      throw AdminError(.invalidPassword, "A password has at least \(shortestPassword) characters.")
    }
  }

  static func check(displayName: String) throws(AdminError) {
    guard !displayName.isEmpty else {
      throw AdminError(
        .invalidDisplayName, "A name isn't empty. To remove the one that a user has, clear displayName.")
    }
  }

  static func check(photoURL: URL) throws(AdminError) {
    guard photoURL.host()?.isEmpty == false else {
      throw AdminError(.invalidPhotoURL, "The URL of a picture needs a scheme and a host.")
    }
  }

  static func check(providerID: String) throws(AdminError) {
    guard !providerID.isEmpty else {
      throw AdminError(
        .invalidProviderID, "The ID of a provider isn't empty. It is, for example, google.com.")
    }
  }

  /// Returns custom claims as JSON text.
  ///
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidClaims``, ``AdminError/Code/forbiddenClaim`` or
  ///   ``AdminError/Code/claimsTooLarge``.
  static func text(ofClaims claims: some Encodable) throws(AdminError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let encoded = try? encoder.encode(claims), let members = try? JSON(parsing: encoded).object else {
      throw AdminError(.invalidClaims, "Claims must encode as an object, for example [\"role\": \"editor\"].")
    }
    if let name = members.keys.sorted().first(where: reservedClaims.contains) {
      throw AdminError(
        .forbiddenClaim, "The claim \(name) is reserved for the issuer of tokens. Use another name.",
        claim: name)
    }
    guard encoded.count <= largestClaims else {
      throw AdminError(
        .claimsTooLarge,
        "The claims have \(encoded.count) bytes as JSON, and \(largestClaims) at most are allowed. Keep what is large in a database."
      )
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
