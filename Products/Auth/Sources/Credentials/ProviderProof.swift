import TenonFoundation
import TenonTransport

/// The tokens that an identity provider issued for a user.
struct ProviderProof: Sendable, Hashable {
  var idToken: Secret?
  var accessToken: Secret?
  /// The raw nonce whose SHA-256 digest the ID token contains.
  var nonce: Secret?
  /// The given name that Apple reports with the first sign-in.
  var givenName: String?
  /// The family name that Apple reports with the first sign-in.
  var familyName: String?
  /// The server's token that replaces the others in the credential of a sign-in that it refused.
  var pendingToken: Secret?

  init(idToken: String? = nil, accessToken: String? = nil, nonce: String? = nil) {
    self.idToken = idToken.map(Secret.init)
    self.accessToken = accessToken.map(Secret.init)
    self.nonce = nonce.map(Secret.init)
  }

  /// Returns the value of `postBody` (`accounts:signInWithIdp`): the provider and the tokens as a form with
  /// percent-encoded values.
  func form(for provider: String) throws -> Secret {
    var fields: [(String, String)] = [("providerId", provider)]
    if let idToken { fields.append(("id_token", idToken.value)) }
    if let accessToken { fields.append(("access_token", accessToken.value)) }
    if let nonce { fields.append(("nonce", nonce.value)) }
    if givenName != nil || familyName != nil {
      let name = ["firstName": givenName, "lastName": familyName].compactMapValues(\.self)
      let user = try JSONEncoder().encode(["name": name])
      fields.append(("user", String(decoding: user, as: UTF8.self)))
    }
    let pairs = fields.map { "\($0)=\(PercentEncoding.queryValue($1))" }
    return Secret(pairs.joined(separator: "&"))
  }
}
