import TenonFoundation

/// A proof of a user's identity, for ``Auth/signIn(with:)``, ``User/link(with:)`` and
/// ``User/reauthenticate(with:)``.
///
/// ``EmailAuthProvider``, ``PhoneAuthProvider``, ``GoogleAuthProvider``, ``FacebookAuthProvider``,
/// ``GitHubAuthProvider`` and ``OAuthProvider`` create credentials. Creating one doesn't contact the server, which checks it when it is
/// used. The description contains the provider and no secrets.
public struct AuthCredential: Sendable, Hashable {
  /// The provider's identifier, for example ``GoogleAuthProvider/id``.
  public let provider: String
  let proof: Proof

  /// The secrets of a credential.
  enum Proof: Sendable, Hashable {
    case password(email: String, password: Secret)
    case link(email: String, link: Secret)
    case provider(ProviderProof)
    case phone(PhoneProof)
  }

  /// The ID token of the identity provider (OpenID Connect), a secret; `nil` if the credential has none.
  public var idToken: String? { identity?.idToken?.value }
  /// The access token of the identity provider (OAuth 2), a secret; `nil` if the credential has none.
  public var accessToken: String? { identity?.accessToken?.value }

  /// The tokens of an identity provider; `nil` for passwords and links.
  private var identity: ProviderProof? {
    guard case .provider(let proof) = proof else { return nil }
    return proof
  }
}

extension AuthCredential: CustomStringConvertible {
  /// The provider, without the secrets.
  public var description: String { "credential of \(provider)" }
}
