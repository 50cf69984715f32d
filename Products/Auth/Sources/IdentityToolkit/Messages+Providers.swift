import Foundation
import TenonCore
import TenonTransport

/// `accounts:signInWithCustomToken`
struct CustomTokenRequest: Encodable {
  var token: Secret
  var returnSecureToken = true
}

/// `accounts:signInWithIdp`
struct ProviderRequest: Encodable {
  /// The server requires some URL.
  var requestUri = "http://localhost"
  var postBody: Secret?
  var pendingToken: Secret?
  /// The user to whom the credential is linked; if `nil`, the user who has it signs in.
  var idToken: Secret?
  /// `false` to create no user.
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

struct ProviderResponse: Decodable, TokenBearing {
  var idToken: Secret?
  var refreshToken: Secret?
  var expiresIn: String?
  var mfaPendingCredential: Secret?
  var isNewUser: Bool?
  var providerId: String?
  var email: String?
  var rawUserInfo: String?
  var screenName: String?
  var needConfirmation: Bool?
  var verifiedProvider: [String]?
  var errorMessage: String?
  var oauthIdToken: Secret?
  var oauthAccessToken: Secret?
  var pendingToken: Secret?

  /// Returns the identity provider's data.
  ///
  /// - Parameter provider: the provider's identifier, if the answer has none.
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

  /// Returns the credential that the server returned, which signs in with this identity later; `nil` if there is none.
  func credential(of provider: String) -> AuthCredential? {
    guard oauthIdToken != nil || oauthAccessToken != nil || pendingToken != nil else { return nil }
    var proof = ProviderProof()
    proof.idToken = oauthIdToken
    proof.accessToken = oauthAccessToken
    proof.pendingToken = pendingToken
    return AuthCredential(provider: provider, proof: .provider(proof))
  }
}
