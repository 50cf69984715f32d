public import Foundation
import TenonCore

/// What proves who a user is: for signing in, for a further way to sign in, or as a fresh proof.
///
/// Its description shows the provider only.
public struct AuthCredential: Sendable, Hashable {
  /// The way to sign in.
  public let providerID: ProviderID
  let proof: Proof

  enum Proof: Sendable, Hashable {
    case password(email: String, password: Secret)
    case link(email: String, code: Secret)
    case provider(ProviderProof)
  }

  /// An address and its password.
  public static func password(email: String, password: String) -> AuthCredential {
    AuthCredential(providerID: .password, proof: .password(email: email, password: Secret(password)))
  }

  /// An address and the link that was sent there by ``Auth/sendSignInLink(to:settings:)``.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/argumentError`` when the link is not for signing in.
  public static func emailLink(email: String, link: URL) throws -> AuthCredential {
    guard let parsed = ActionLink(link), parsed.operation == .emailSignIn else {
      throw AuthError(
        .argumentError,
        "This is no link for signing in. Pass the link of the mail as it is; isSignInLink(_:) tells which are."
      )
    }
    return AuthCredential(providerID: .emailLink, proof: .link(email: email, code: Secret(parsed.code)))
  }

  /// The tokens that an identity provider gave for a user. One of them is needed.
  ///
  /// - Parameters:
  ///   - providerID: for example ``ProviderID/google``.
  ///   - idToken: the provider's ID token (OpenID Connect).
  ///   - accessToken: the provider's access token (OAuth 2).
  ///   - rawNonce: the nonce whose SHA-256 digest the ID token holds, for providers that ask for one.
  ///   - fullName: what Apple told beside the token, once.
  public static func provider(
    _ providerID: ProviderID,
    idToken: String? = nil,
    accessToken: String? = nil,
    rawNonce: String? = nil,
    fullName: PersonNameComponents? = nil
  ) -> AuthCredential {
    let proof = ProviderProof(
      idToken: idToken.map(Secret.init),
      accessToken: accessToken.map(Secret.init),
      nonce: rawNonce.map(Secret.init),
      givenName: fullName?.givenName,
      familyName: fullName?.familyName
    )
    return AuthCredential(providerID: providerID, proof: .provider(proof))
  }
}

extension AuthCredential: CustomStringConvertible {
  /// The provider, without what proves.
  public var description: String { "credential of \(providerID)" }
}

/// What an identity provider gave.
struct ProviderProof: Sendable, Hashable {
  var idToken: Secret?
  var accessToken: Secret?
  var nonce: Secret?
  var givenName: String?
  var familyName: String?
  /// Stands for the tokens, in the server's answer to a sign-in that was refused.
  var pendingToken: Secret?

  /// The fields of `postBody` (`accounts:signInWithIdp`).
  func form(for providerID: ProviderID) throws -> Secret {
    var fields: [(String, String)] = [("providerId", providerID.rawValue)]
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
