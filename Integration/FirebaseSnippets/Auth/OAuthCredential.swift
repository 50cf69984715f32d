import TenonAuth

/// Signs in with the token of a provider of one's own.
func openID(idToken: String, nonce: String) async throws {
  let credential = OAuthProvider.credential(
    providerID: .custom("oidc.harbour"), idToken: idToken, rawNonce: nonce)
  let result = try await Auth.auth().signIn(with: credential)
  print(result.credential?.provider ?? "")
  // expect: 'credential(withProviderID:idToken:rawNonce:)' is unavailable: The provider has a type: OAuthProvider.credential(providerID: .custom("oidc.x"), idToken: …, rawNonce: …).
  let other = OAuthProvider.credential(withProviderID: "oidc.harbour", idToken: idToken, rawNonce: nonce)
  _ = try await Auth.auth().signIn(with: other)
}
