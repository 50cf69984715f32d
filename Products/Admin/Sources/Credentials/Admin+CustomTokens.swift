import TenonFoundation
import TenonJSON

/// Custom tokens, with which a server signs its users in.
extension Admin {
  /// Returns a custom token for a user, with which a client signs in (`Auth.signIn(withCustomToken:)`).
  /// Signing in creates the user if there is none. The token is a secret, and valid for an hour.
  ///
  /// - Parameters:
  ///   - uid: the user's ID, of 1 to 128 characters.
  ///   - claims: claims for the user's ID tokens; they must encode as an object, of 1,000 characters at most.
  /// - Throws: ``AdminError``; with ``AdminError/Code/argumentError`` if the ID or a claim isn't allowed, and
  ///   with ``AdminError/Code/invalidCredential`` if there is no service account that signs.
  public func createCustomToken(
    withUID uid: String, claims: some Encodable = [String: String]()
  ) async throws -> String {
    guard !uid.isEmpty, uid.utf16.count <= 128 else {
      throw AdminError(.argumentError, "The ID of a custom token's user must have 1 to 128 characters.")
    }
    let encoded = try JSONEncoder().encode(claims)
    guard encoded.count <= Self.longestClaims, let members = try? JSON(parsing: encoded).object else {
      throw AdminError(
        .argumentError,
        "The claims of a custom token must encode as an object of at most \(Self.longestClaims) characters.")
    }
    if let name = members.keys.sorted().first(where: { UserRules.reservedClaims.contains($0) }) {
      throw AdminError(
        .argumentError, "The claim \(name) is reserved for the issuer of tokens. Use another name.",
        claim: name)
    }
    let issued = time.seconds
    let signer = hasUnsignedTokens ? nil : try await credentialInUse.signer()
    let email = signer?.email ?? "firebase-auth-emulator@example.com"
    var payload: [String: JSON] = [
      "iss": .string(email), "sub": .string(email), "aud": .string(Self.audience), "uid": .string(uid),
      "iat": .int(issued), "exp": .int(issued + 3_600),
    ]
    payload["tenant_id"] = tenantID.map(JSON.string)
    if !members.isEmpty { payload["claims"] = .object(members) }
    return try await signer?.token(.object(payload))
      ?? TokenParts.unsigned(JSON.object(payload).serialized)
  }

  private static let longestClaims = 1_000
  private static let audience =
    "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
}
