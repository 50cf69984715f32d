import Foundation
import TenonAuth

/// Signs in with what Apple's sheet gave.
func apple(idToken: String, nonce: String, name: PersonNameComponents?) async throws {
  let credential = OAuthProvider.appleCredential(withIDToken: idToken, rawNonce: nonce, fullName: name)
  let result = try await Auth.auth().signIn(with: credential)
  print(result.user.displayName ?? "")
  // expect: 'revokeToken(withAuthorizationCode:)' is unavailable: Revoke Apple's token on your server, which has the key for it.
  try await Auth.auth().revokeToken(withAuthorizationCode: "code")
}
