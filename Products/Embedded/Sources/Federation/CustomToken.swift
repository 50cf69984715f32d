import TenonFoundation
import TenonTransport
import TenonValues

/// A custom token, by which a server of the app asserts who the user is
/// (https://firebase.google.com/docs/auth/admin/create-custom-tokens).
///
/// Like the Auth emulator, the backend accepts unsigned tokens and doesn't verify signatures.
struct CustomToken: Sendable, Hashable {
  /// The audience of custom tokens, as Firebase defines it.
  static let audience =
    "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
  /// The greatest length of a user's ID, in UTF-16 code units.
  static let longestID = 128

  /// The user's ID.
  let userID: String
  /// The tenant to which the user signs in; `nil` for the project itself.
  let tenantID: String?
  /// The claims for the user's ID tokens.
  let claims: [String: JSON]

  /// Parses a token, and checks its claims in the order of the emulator. The times in the token aren't
  /// checked.
  ///
  /// - Parameter text: a JWT, or JSON such as `{"uid": "...", "claims": {}}`.
  /// - Throws: ``Refusal`` with `INVALID_CUSTOM_TOKEN`, `MISSING_IDENTIFIER`, `INVALID_CLAIMS` or
  ///   `FORBIDDEN_CLAIM`.
  init(_ text: String) throws {
    let members: [String: JSON]
    if text.hasPrefix("{") {
      guard let json = try? JSON(parsing: Data(text.utf8)).object else {
        throw AccountService.refusal(
          "INVALID_CUSTOM_TOKEN", "The token begins like JSON but isn't valid JSON.")
      }
      members = json
    } else {
      guard let token = IDToken(text) else {
        throw AccountService.refusal("INVALID_CUSTOM_TOKEN", "The token is neither a JWT nor JSON.")
      }
      guard token.claims["aud"]?.string == Self.audience else {
        throw AccountService.refusal("INVALID_CUSTOM_TOKEN", "The token has another audience (aud).")
      }
      members = token.claims
    }
    guard let id = members["uid"]?.text ?? members["user_id"]?.text, !id.isEmpty else {
      throw AccountService.refusal("MISSING_IDENTIFIER")
    }
    userID = id
    tenantID = members["tenant_id"]?.text.flatMap { $0.isEmpty ? nil : $0 }
    switch members["claims"] {
    case .object(let claims)?:
      try Self.check(claims)
      self.claims = claims
    case .null?, nil:
      claims = [:]
    default:
      throw AccountService.refusal("INVALID_CLAIMS")
    }
  }

  /// Creates a token.
  ///
  /// - Throws: ``Refusal`` with `MISSING_IDENTIFIER` if the ID is empty or too long, or `FORBIDDEN_CLAIM`.
  init(userID: String, tenantID: String? = nil, claims: [String: JSON]) throws {
    guard !userID.isEmpty, userID.utf16.count <= Self.longestID else {
      throw AccountService.refusal("MISSING_IDENTIFIER")
    }
    try Self.check(claims)
    self.userID = userID
    self.tenantID = tenantID
    self.claims = claims
  }

  /// Returns the token as `firebase-admin` creates it for an emulator: an unsigned JWT.
  ///
  /// - Parameter now: the time at which the token is issued. It is valid for an hour.
  func text(now: Timestamp) throws -> String {
    let issuer: JSON = "firebase-auth-emulator@example.com"
    var members: [String: JSON] = [
      "aud": .string(Self.audience), "iss": issuer, "sub": issuer, "iat": .int(now.seconds),
      "exp": .int(now.seconds + IDToken.lifetime), "uid": .string(userID), "claims": .object(claims),
    ]
    members["tenant_id"] = tenantID.map(JSON.string)
    return try IDToken(claims: members).text
  }

  /// Checks that no claim has a reserved name.
  private static func check(_ claims: [String: JSON]) throws {
    if let reserved = claims.keys.sorted().first(where: AccountChange.reservedClaims.contains) {
      throw AccountService.refusal("FORBIDDEN_CLAIM", reserved)
    }
  }
}
