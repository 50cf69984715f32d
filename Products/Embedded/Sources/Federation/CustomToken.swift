import Foundation
import TenonTransport

/// A custom token: who a server of the app says that the user is. The backend takes what is not signed, as the Auth
/// emulator does, and asks no signature whether it is genuine.
struct CustomToken: Sendable, Hashable {
  /// Whom custom tokens are for, by Firebase's rules for them.
  static let audience =
    "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
  /// The longest id of a user.
  static let longestID = 128

  let userID: String
  let claims: [String: JSON]

  /// Checks claims in the emulator's order.
  ///
  /// - Parameter text: a JWT, or JSON as `{"uid": "...", "claims": {}}`.
  init(_ text: String) throws {
    let members: [String: JSON]
    if text.hasPrefix("{") {
      guard let json = try? JSON(parsing: Data(text.utf8)).object else {
        throw AccountService.refusal("INVALID_CUSTOM_TOKEN", "The token looks like JSON but is none.")
      }
      members = json
    } else {
      guard let token = IDToken(text) else {
        throw AccountService.refusal("INVALID_CUSTOM_TOKEN", "The token is neither a JWT nor JSON.")
      }
      guard token.claims["aud"]?.string == Self.audience else {
        throw AccountService.refusal("INVALID_CUSTOM_TOKEN", "The token is for another audience (aud).")
      }
      members = token.claims
    }
    guard let id = members["uid"]?.text ?? members["user_id"]?.text, !id.isEmpty else {
      throw AccountService.refusal("MISSING_IDENTIFIER")
    }
    userID = id
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

  init(userID: String, claims: [String: JSON]) throws {
    guard !userID.isEmpty, userID.utf16.count <= Self.longestID else {
      throw AccountService.refusal("MISSING_IDENTIFIER")
    }
    try Self.check(claims)
    self.userID = userID
    self.claims = claims
  }

  /// The token as `firebase-admin` makes it when it works with an emulator.
  func text(now: Timestamp) throws -> String {
    let issuer: JSON = "firebase-auth-emulator@example.com"
    return try IDToken(claims: [
      "aud": .string(Self.audience), "iss": issuer, "sub": issuer, "iat": .int(now.seconds),
      "exp": .int(now.seconds + IDToken.lifetime), "uid": .string(userID), "claims": .object(claims),
    ]).text
  }

  private static func check(_ claims: [String: JSON]) throws {
    if let reserved = claims.keys.sorted().first(where: AccountChange.reservedClaims.contains) {
      throw AccountService.refusal("FORBIDDEN_CLAIM", reserved)
    }
  }
}
