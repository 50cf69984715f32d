import TenonFoundation
import TenonJSON

/// Creates credentials of an email address with its password, or with a link that was sent to it.
public enum EmailAuthProvider {
  /// The provider's identifier, `password`. Sign-in by link belongs to this provider, too.
  public static let id = "password"

  /// Returns the credential of an email address and its password.
  public static func credential(withEmail email: String, password: String) -> AuthCredential {
    AuthCredential(provider: id, proof: .password(email: email, password: Secret(password)))
  }

  /// Returns the credential of an email address and the link that
  /// ``Auth/sendSignInLink(toEmail:actionCodeSettings:)`` sent to it.
  ///
  /// The operation that uses the credential throws ``AuthError`` with ``AuthError/Code/argumentError`` if the
  /// link isn't a sign-in link (``Auth/isSignIn(withEmailLink:)``).
  public static func credential(withEmail email: String, link: String) -> AuthCredential {
    AuthCredential(provider: id, proof: .link(email: email, link: Secret(link)))
  }
}

/// Creates credentials of Google accounts.
public enum GoogleAuthProvider {
  /// The provider's identifier, `google.com`.
  public static let id = AuthProviderID.google.rawValue

  /// Returns the credential of a Google account.
  ///
  /// - Parameters:
  ///   - idToken: Google's ID token (OpenID Connect).
  ///   - accessToken: Google's access token (OAuth 2).
  public static func credential(withIDToken idToken: String, accessToken: String) -> AuthCredential {
    AuthCredential(provider: id, proof: .provider(ProviderProof(idToken: idToken, accessToken: accessToken)))
  }
}

/// Creates credentials of Facebook accounts.
public enum FacebookAuthProvider {
  /// The provider's identifier, `facebook.com`.
  public static let id = AuthProviderID.facebook.rawValue

  /// Returns the credential of a Facebook account.
  ///
  /// - Parameter accessToken: Facebook's access token (OAuth 2).
  public static func credential(withAccessToken accessToken: String) -> AuthCredential {
    AuthCredential(provider: id, proof: .provider(ProviderProof(accessToken: accessToken)))
  }
}

/// Creates credentials of GitHub accounts.
public enum GitHubAuthProvider {
  /// The provider's identifier, `github.com`.
  public static let id = AuthProviderID.gitHub.rawValue

  /// Returns the credential of a GitHub account.
  ///
  /// - Parameter token: GitHub's access token (OAuth 2).
  public static func credential(withToken token: String) -> AuthCredential {
    AuthCredential(provider: id, proof: .provider(ProviderProof(accessToken: token)))
  }
}

/// Creates credentials of any provider that implements OAuth 2 or OpenID Connect.
public enum OAuthProvider {
  /// Returns the credential of an ID token (OpenID Connect).
  ///
  /// - Parameters:
  ///   - providerID: the provider, for example ``AuthProviderID/google`` or `.custom("oidc.my-company")`.
  ///   - idToken: the provider's ID token.
  ///   - accessToken: the provider's access token; `nil` if there is none.
  public static func credential(
    providerID: AuthProviderID, idToken: String, accessToken: String? = nil
  ) -> AuthCredential {
    AuthCredential(
      provider: providerID.rawValue,
      proof: .provider(ProviderProof(idToken: idToken, accessToken: accessToken)))
  }

  /// Returns the credential of an ID token (OpenID Connect) that contains the digest of a nonce.
  ///
  /// - Parameters:
  ///   - providerID: the provider.
  ///   - idToken: the provider's ID token.
  ///   - rawNonce: the nonce whose SHA-256 digest the ID token contains.
  ///   - accessToken: the provider's access token; `nil` if there is none.
  public static func credential(
    providerID: AuthProviderID, idToken: String, rawNonce: String, accessToken: String? = nil
  ) -> AuthCredential {
    let proof = ProviderProof(idToken: idToken, accessToken: accessToken, nonce: rawNonce)
    return AuthCredential(provider: providerID.rawValue, proof: .provider(proof))
  }

  /// Returns the credential of an access token (OAuth 2).
  public static func credential(providerID: AuthProviderID, accessToken: String) -> AuthCredential {
    AuthCredential(
      provider: providerID.rawValue, proof: .provider(ProviderProof(accessToken: accessToken)))
  }

  #if canImport(FoundationEssentials)
    /// Returns the credential of a sign-in with Apple.
    ///
    /// ```swift
    /// var name = PersonNameComponents()
    /// name.givenName = "Ada"
    /// let credential = OAuthProvider.appleCredential(withIDToken: token, rawNonce: nonce, fullName: name)
    /// ```
    ///
    /// `PersonNameComponents` belongs to the full Foundation on this platform, which this library doesn't
    /// link, because it takes longer to load than the rest of a program. Any value with the same encoding is
    /// accepted in its place.
    ///
    /// - Parameters:
    ///   - idToken: Apple's ID token.
    ///   - rawNonce: the nonce whose SHA-256 digest the ID token contains; `nil` if there is none.
    ///   - fullName: the name that Apple reports with the first sign-in, as `PersonNameComponents` or another
    ///     value whose encoding has the members `givenName` and `familyName`; `nil` if there is none. A value
    ///     with another encoding counts as no name.
    public static func appleCredential(
      withIDToken idToken: String, rawNonce: String?, fullName: (some Encodable)?
    ) -> AuthCredential {
      let name = fullName.flatMap { name in
        (try? JSONEncoder().encode(name)).flatMap { try? JSON.decode(FullName.self, from: $0) }
      }
      return appleCredential(idToken, rawNonce, givenName: name?.givenName, familyName: name?.familyName)
    }

    /// Returns the credential of a sign-in with Apple, without a name.
    ///
    /// - Parameters:
    ///   - idToken: Apple's ID token.
    ///   - rawNonce: the nonce whose SHA-256 digest the ID token contains; `nil` if there is none.
    ///   - fullName: `nil`.
    public static func appleCredential(
      withIDToken idToken: String, rawNonce: String?, fullName: Never?
    ) -> AuthCredential {
      appleCredential(idToken, rawNonce, givenName: nil, familyName: nil)
    }

    /// The members of `PersonNameComponents` that the server accepts.
    private struct FullName: Decodable {
      var givenName: String?
      var familyName: String?
    }
  #else
    /// Returns the credential of a sign-in with Apple.
    ///
    /// - Parameters:
    ///   - idToken: Apple's ID token.
    ///   - rawNonce: the nonce whose SHA-256 digest the ID token contains; `nil` if there is none.
    ///   - fullName: the name that Apple reports with the first sign-in; `nil` if there is none.
    public static func appleCredential(
      withIDToken idToken: String, rawNonce: String?, fullName: PersonNameComponents?
    ) -> AuthCredential {
      appleCredential(
        idToken, rawNonce, givenName: fullName?.givenName, familyName: fullName?.familyName)
    }
  #endif

  /// Returns the credential of a sign-in with Apple, with the parts of the user's name that are known.
  private static func appleCredential(
    _ idToken: String, _ rawNonce: String?, givenName: String?, familyName: String?
  ) -> AuthCredential {
    var proof = ProviderProof(idToken: idToken, nonce: rawNonce)
    proof.givenName = givenName
    proof.familyName = familyName
    return AuthCredential(provider: AuthProviderID.apple.rawValue, proof: .provider(proof))
  }
}
