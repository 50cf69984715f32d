import Foundation
import TenonCore

/// `accounts:signInWithCustomToken`
struct CustomTokenRequest: Encodable {
  var token: Secret
  var returnSecureToken = true
}

/// `accounts:signInWithIdp`
struct ProviderRequest: Encodable {
  /// The server insists on some URL.
  var requestUri = "http://localhost"
  var postBody: Secret?
  var pendingToken: Secret?
  /// The user who gets this way to sign in; whoever has it when `nil`.
  var idToken: Secret?
  /// `false` to create nobody.
  var autoCreate: Bool?
  var returnIdpCredential = true
  var returnSecureToken = true

  init(_ credential: ProviderProof, of providerID: ProviderID, idToken: Secret?, creates: Bool) throws {
    postBody = try credential.form(for: providerID)
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
  var federatedId: String?
  var email: String?
  var displayName: String?
  var photoUrl: String?
  var rawUserInfo: String?
  var needConfirmation: Bool?
  var verifiedProvider: [String]?
  var errorMessage: String?
  var oauthIdToken: Secret?
  var oauthAccessToken: Secret?
  var pendingToken: Secret?

  /// What the provider said of a user who has just signed in.
  ///
  /// The answer has the user's id at the provider in the form that the provider has for it outside, for Google a URL.
  /// What servers know the user by is in the user's providers.
  func profile(of providerID: ProviderID, signedIn user: User) -> ProviderProfile {
    let providerID = providerId.map { ProviderID(rawValue: $0) } ?? providerID
    let known = user.providers.first { $0.providerID == providerID && !$0.uid.isEmpty }
    return ProviderProfile(
      providerID: providerID,
      uid: known?.uid ?? federatedId,
      email: email,
      displayName: displayName,
      photoURL: photoUrl.flatMap { URL(string: $0) },
      json: rawUserInfo
    )
  }

  /// What signs in with this identity later, when the server refused it now; `nil` when the server sent nothing.
  func credential(of providerID: ProviderID) -> AuthCredential? {
    guard oauthIdToken != nil || oauthAccessToken != nil || pendingToken != nil else { return nil }
    var proof = ProviderProof()
    proof.idToken = oauthIdToken
    proof.accessToken = oauthAccessToken
    proof.pendingToken = pendingToken
    return AuthCredential(providerID: providerID, proof: .provider(proof))
  }
}
