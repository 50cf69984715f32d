import TenonFoundation
import TenonTransport

/// The assertion of an identity provider: the parsed `postBody` of `accounts:signInWithIdp`.
///
/// As on the Auth emulator, the provider's ID token may be any JWT, whose signature isn't verified, or JSON.
struct ProviderAssertion: Sendable, Hashable {
  /// The identity of the user at the provider.
  let provider: AccountProvider
  /// Whether the provider has verified the address.
  let isEmailVerified: Bool
  /// The claims of the ID token or access token.
  let claims: [String: JSON]
  /// The ID token as it was received.
  let idToken: String?
  /// The access token as it was received.
  let accessToken: String?
  /// What a SAML provider says about the user; `nil` for other providers.
  let attributes: JSON?
  /// The address as a SAML provider writes it; `nil` for other providers.
  private let writtenEmail: String?

  /// The address in its canonical form.
  var email: String? { provider.email }

  /// Parses the assertion of a request.
  ///
  /// - Throws: ``Refusal`` with `MISSING_REQUEST_URI`, `INVALID_REQUEST_URI`,
  ///   `INVALID_CREDENTIAL_OR_PROVIDER_ID`, `INVALID_IDP_RESPONSE`, or status 501 for responses of SAML that
  ///   aren't JSON and opaque access tokens.
  init(_ call: AccountCall) throws {
    guard let uri = call.text("requestUri"), !uri.isEmpty else {
      throw AccountService.refusal("MISSING_REQUEST_URI")
    }
    guard AccountService.isAbsolute(uri), let components = URLComponents(string: uri) else {
      throw AccountService.refusal("INVALID_REQUEST_URI")
    }
    // A redirect has the same fields in the query or the fragment of its URL.
    var fields = FormFields(components.percentEncodedQuery ?? "").values
    fields.merge(FormFields(components.percentEncodedFragment ?? "").values) { $1 }
    fields.merge(FormFields(call.text("postBody") ?? "").values) { $1 }
    guard let providerID = fields["providerId"]?.lowercased(), !providerID.isEmpty else {
      throw AccountService.refusal(
        "INVALID_CREDENTIAL_OR_PROVIDER_ID",
        "Invalid IdP response/credential: the provider (providerId) is missing."
      )
    }
    idToken = fields["id_token"]
    accessToken = fields["access_token"]
    let saml = providerID.hasPrefix("saml.") ? try fields["SAMLResponse"].map(SAMLAssertion.init) : nil
    attributes = saml?.attributes
    claims =
      if let saml, idToken == nil {
        ["sub": .string(saml.nameID)]
      } else {
        try Self.claims(of: idToken ?? accessToken, isIDToken: idToken != nil)
      }
    guard let subject = claims["sub"] else {
      throw AccountService.refusal("INVALID_IDP_RESPONSE", "The ID token has no subject (sub).")
    }
    guard let id = subject.string, !id.isEmpty else {
      throw AccountService.refusal("INVALID_IDP_RESPONSE", "The ID token's sub is not a string.")
    }
    for name in Self.profileClaims {
      guard let claim = claims[name], claim != .null, claim.string == nil else { continue }
      throw AccountService.refusal("INVALID_IDP_RESPONSE", "The ID token's \(name) is not a string.")
    }
    // A provider of SAML is chosen by the administrator, who trusts its addresses.
    isEmailVerified =
      providerID.hasPrefix("saml.")
      || claims["email_verified"]?.bool ?? (claims["email_verified"]?.string == "true")
    writtenEmail = saml?.email
    provider = AccountProvider(
      providerId: providerID,
      rawId: id,
      federatedId: id,
      email: try (writtenEmail ?? claims["email"]?.string).map(AccountService.checkedEmail),
      displayName: claims["name"]?.string ?? Self.name(in: fields["user"]),
      photoUrl: claims["picture"]?.string,
      screenName: claims["screen_name"]?.string
    )
  }

  /// The claims of the user's profile, which must be strings.
  private static let profileClaims = ["email", "family_name", "given_name", "name", "picture", "screen_name"]

  /// Returns the claims of a JWT or of JSON. The text is secret, so no error quotes it.
  ///
  /// - Parameters:
  ///   - text: the token; `nil` if the request has none.
  ///   - isIDToken: whether it is an ID token, which must be parsed.
  ///
  /// - Throws: ``Refusal`` with `INVALID_CREDENTIAL_OR_PROVIDER_ID` without a token, `INVALID_IDP_RESPONSE`
  ///   for an ID token that can't be parsed, status 501 for an opaque access token.
  private static func claims(of text: String?, isIDToken: Bool) throws -> [String: JSON] {
    guard let text, !text.isEmpty else {
      throw AccountService.refusal(
        "INVALID_CREDENTIAL_OR_PROVIDER_ID",
        "Invalid IdP response/credential: neither id_token nor access_token is given."
      )
    }
    if let claims = text.hasPrefix("{") ? try? JSON(parsing: Data(text.utf8)).object : IDToken(text)?.claims {
      return claims
    }
    guard isIDToken else { throw Refusal.unimplemented("access tokens that aren't JWTs") }
    throw AccountService.refusal("INVALID_IDP_RESPONSE", "The id_token is neither a JWT nor JSON.")
  }

  /// Returns the name that Apple sends beside its ID token at the first sign-in:
  /// `{"name":{"firstName":"...","lastName":"..."}}`.
  private static func name(in user: String?) -> String? {
    guard let user, let name = try? JSON(parsing: Data(user.utf8))["name"] else { return nil }
    let parts = [name["firstName"]?.string, name["lastName"]?.string].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  /// The user's ID at the provider, as in responses. Google's is a URL, while accounts have the plain ID.
  private var federatedID: String {
    provider.providerId == "google.com" ? "https://accounts.google.com/\(provider.rawId)" : provider.rawId
  }

  /// The user's data in the provider's own form. For Google, it is that of its userinfo API; for other
  /// providers, it consists of the claims; for those of SAML, of the attributes.
  private var userInfo: JSON? {
    if provider.providerId.hasPrefix("saml.") { return attributes }
    guard provider.providerId == "google.com" else { return .object(claims) }
    var scopes = "openid https://www.googleapis.com/auth/userinfo.profile"
    if email != nil { scopes += " https://www.googleapis.com/auth/userinfo.email" }
    return .members([
      "id": .string(provider.rawId), "verified_email": .bool(isEmailVerified),
      "granted_scopes": .string(scopes),
      "locale": "en", "email": email.map(JSON.string), "name": provider.displayName.map(JSON.string),
      "given_name": claims["given_name"], "family_name": claims["family_name"],
      "picture": provider.photoUrl.map(JSON.string),
    ])
  }

  /// The members of the response that describe the provider's user.
  var wire: [String: JSON] {
    var members: [String: JSON] = [
      "kind": "identitytoolkit#VerifyAssertionResponse", "context": "",
      "providerId": .string(provider.providerId), "federatedId": .string(federatedID),
      "emailVerified": .bool(isEmailVerified),
    ]
    members["email"] = (writtenEmail ?? provider.email).map(JSON.string)
    members["displayName"] = provider.displayName.map(JSON.string)
    members["fullName"] = members["displayName"]
    members["firstName"] = claims["given_name"]
    members["lastName"] = claims["family_name"]
    members["screenName"] = provider.screenName.map(JSON.string)
    members["photoUrl"] = provider.photoUrl.map(JSON.string)
    members["rawUserInfo"] = (try? userInfo?.serialized).map {
      .string(String(decoding: $0, as: UTF8.self))
    }
    members["oauthIdToken"] = idToken.map(JSON.string)
    members["oauthAccessToken"] = accessToken.map(JSON.string)
    return members
  }
}
