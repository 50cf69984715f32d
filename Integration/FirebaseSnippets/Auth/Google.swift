import TenonAuth
import TenonCore

/// Signs in with what Google's sheet gave.
func google(idToken: String, accessToken: String) throws {
  // expect: 'FirebaseApp' has been renamed to 'App'
  // expect: 'clientID' is unavailable: No product uses the client's ID. Pass it to the Google Sign-In SDK yourself.
  guard let clientID = FirebaseApp.app()?.options.clientID else { return }
  print(clientID)
  let credential = GoogleAuthProvider.credential(withIDToken: idToken, accessToken: accessToken)
  // expect: 'signIn(with:completion:)' is unavailable: The call is asynchronous: try await auth.signIn(with: credential), in a Task { … } if need be.
  try Auth.auth().signIn(with: credential) { result, error in
    print(result as Any, error as Any)
  }
}

/// Signs in with what other sheets gave.
func others(token: String) async throws {
  _ = try await Auth.auth().signIn(with: FacebookAuthProvider.credential(withAccessToken: token))
  _ = try await Auth.auth().signIn(with: GitHubAuthProvider.credential(withToken: token))
  // expect: constant 'provider' inferred to have type 'OAuthProvider', which is an enum with no cases
  // expect: 'init(providerID:)' is unavailable: Flows with a user interface aren't supported. Run the provider's own, and make the credential from its tokens: OAuthProvider.credential(providerID: .custom("microsoft.com"), accessToken: …).
  let provider = OAuthProvider(providerID: "microsoft.com")
  // expect: 'customParameters' is unavailable: Flows with a user interface aren't supported. Remove the line.
  provider.customParameters = ["prompt": "consent"]
  // expect: 'scopes' is unavailable: Flows with a user interface aren't supported. Remove the line.
  provider.scopes = ["mail.read"]
  // expect: 'credential(with:)' is unavailable: Flows with a user interface aren't supported. Make the credential from the provider's tokens.
  let credential = try await provider.credential(with: nil)
  _ = try await Auth.auth().signIn(with: credential)
}
