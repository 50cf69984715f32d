import TenonFoundation
import TenonTransport

/// The request of `accounts:signInWithCustomToken`.
struct CustomTokenRequest: TenantRequest {
  var tenantId: String?
  var token: Secret
  var returnSecureToken = true
}

/// The request of `accounts:signInWithIdp`.
struct ProviderRequest: TenantRequest {
  var tenantId: String?
  /// Required by the server, and not used here.
  var requestUri = "http://localhost"
  /// The provider and its tokens, as a form.
  var postBody: Secret?
  /// The server's token of an earlier sign-in that it refused.
  var pendingToken: Secret?
  /// The user to whom the credential is linked; if `nil`, the user who has it signs in.
  var idToken: Secret?
  /// `false` if the server must not create a user; `nil` if it may.
  var autoCreate: Bool?
  var returnIdpCredential = true
  var returnSecureToken = true

  init(_ credential: ProviderProof, of provider: String, idToken: Secret?, creates: Bool) throws {
    postBody = try credential.form(for: provider)
    pendingToken = credential.pendingToken
    self.idToken = idToken
    autoCreate = creates ? nil : false
  }
}

/// The answer to `accounts:signInWithIdp`.
struct ProviderResponse: Decodable, TokenBearing {
  var idToken: Secret?
  var refreshToken: Secret?
  var expiresIn: String?
  var mfaPendingCredential: Secret?
  var mfaInfo: [UserRecord.Factor]?
  var isNewUser: Bool?
  var providerId: String?
  var email: String?
  /// The user's data at the provider: a JSON object as text.
  var rawUserInfo: String?
  /// The name of the user's account at the provider.
  var screenName: String?
  /// Whether another user has the email address, which the provider hasn't verified.
  var needConfirmation: Bool?
  /// The providers with which that other user signs in.
  var verifiedProvider: [String]?
  /// The server's code of a refusal.
  var errorMessage: String?
  /// The provider's ID token.
  var oauthIdToken: Secret?
  /// The provider's access token.
  var oauthAccessToken: Secret?
  var pendingToken: Secret?

  /// Returns the identity provider's data.
  ///
  /// - Parameter provider: the provider's identifier, which is used if the answer has none.
  func additionalUserInfo(of provider: String) -> AdditionalUserInfo {
    let profile = rawUserInfo.flatMap { try? JSON(parsing: Data($0.utf8)) }
    let provider = providerId ?? provider
    return AdditionalUserInfo(
      providerID: provider,
      isNewUser: isNewUser ?? false,
      username: screenName ?? (provider == GitHubAuthProvider.id ? profile?["login"]?.string : nil),
      profile: profile
    )
  }

  /// Returns the credential in the answer, with which the user can sign in later; `nil` if there is none.
  func credential(of provider: String) -> AuthCredential? {
    guard oauthIdToken != nil || oauthAccessToken != nil || pendingToken != nil else { return nil }
    var proof = ProviderProof()
    proof.idToken = oauthIdToken
    proof.accessToken = oauthAccessToken
    proof.pendingToken = pendingToken
    return AuthCredential(provider: provider, proof: .provider(proof))
  }
}
