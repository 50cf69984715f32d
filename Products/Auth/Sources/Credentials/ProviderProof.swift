import Foundation
import TenonCore

/// What an identity provider issued for a user.
struct ProviderProof: Sendable, Hashable {
  var idToken: Secret?
  var accessToken: Secret?
  var nonce: Secret?
  var givenName: String?
  var familyName: String?
  /// Replaces the tokens in the credential of a sign-in that the server refused.
  var pendingToken: Secret?

  init(idToken: String? = nil, accessToken: String? = nil, nonce: String? = nil) {
    self.idToken = idToken.map(Secret.init)
    self.accessToken = accessToken.map(Secret.init)
    self.nonce = nonce.map(Secret.init)
  }

  /// Returns the fields of `postBody` (`accounts:signInWithIdp`).
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
    let pairs = fields.map {
      "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? "")"
    }
    return Secret(pairs.joined(separator: "&"))
  }

  /// RFC 3986, section 2.3.
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
  )
}
