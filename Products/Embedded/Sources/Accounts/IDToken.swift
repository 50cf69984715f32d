import Foundation
import TenonTransport

/// An ID token in the form of the Auth emulator: a JWT that nobody signed (RFC 7519, section 6).
struct IDToken: Sendable, Hashable {
  static let lifetime: Int64 = 3_600

  let claims: [String: JSON]

  init(claims: [String: JSON]) { self.claims = claims }

  /// Reads a token, without asking whether it still holds.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
      let claims = try? JSON(parsing: payload).object
    else { return nil }
    self.claims = claims
  }

  /// The claims of a user who signed in with a provider (`password`, `anonymous`, ...). Claims that the issuer
  /// owns win over those that an administrator gave.
  ///
  /// - Parameter extraClaims: what a custom token claimed; it wins over what an administrator gave.
  init(
    account: Account,
    provider: String,
    extraClaims: [String: JSON] = [:],
    projectID: String,
    now: Timestamp
  ) throws {
    var claims: [String: JSON] = [:]
    claims["name"] = account.displayName.map(JSON.string)
    claims["picture"] = account.photoUrl.map(JSON.string)
    if let text = account.customAttributes, let custom = try JSON(parsing: Data(text.utf8)).object {
      claims.merge(custom) { $1 }
    }
    claims.merge(extraClaims) { $1 }
    claims["email"] = account.email.map(JSON.string)
    claims["email_verified"] = account.email == nil ? nil : .bool(account.emailVerified)
    claims["provider_id"] = provider == "anonymous" ? "anonymous" : nil
    claims["auth_time"] = .int((account.lastLoginAt ?? account.createdAt) / 1_000)
    claims["user_id"] = .string(account.localId)
    claims["sub"] = .string(account.localId)
    claims["iat"] = .int(now.seconds)
    claims["exp"] = .int(now.seconds + Self.lifetime)
    claims["aud"] = .string(projectID)
    claims["iss"] = .string("https://securetoken.google.com/\(projectID)")
    var identities: [String: JSON] = [:]
    identities["email"] = account.email.map { [.string($0)] }
    for provider in account.federated { identities[provider.providerId] = [.string(provider.rawId)] }
    claims["firebase"] = ["identities": .object(identities), "sign_in_provider": .string(provider)]
    self.claims = claims
  }

  /// The token as it travels: header, payload and an empty signature, with the dot before it.
  var text: String {
    get throws {
      let header = Base64URL.encode(Data(#"{"alg":"none","typ":"JWT"}"#.utf8))
      return try "\(header).\(Base64URL.encode(JSON.object(claims).serialized))."
    }
  }

  var userID: String? { claims["sub"]?.string }
  var provider: String? { claims["firebase"]?["sign_in_provider"]?.string }

  /// Seconds since 1970.
  var issuedAt: Int64 {
    guard case .int(let seconds)? = claims["iat"] else { return 0 }
    return seconds
  }

  /// Seconds since 1970.
  var expires: Int64 {
    guard case .int(let seconds)? = claims["exp"] else { return 0 }
    return seconds
  }
}
