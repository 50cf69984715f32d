import Foundation
import TenonAuth

/// Makes an account and signs in to it.
func emailAndPassword(email: String, password: String) async {
  do {
    let made = try await Auth.auth().createUser(withEmail: email, password: password)
    print(made.user.uid, made.additionalUserInfo?.isNewUser ?? false)
    let result = try await Auth.auth().signIn(withEmail: email, password: password)
    print(result.user.email ?? "")
    // expect: expression is 'async' but is not marked with 'await'
    try Auth.auth().signOut()
  } catch {
    print(error.localizedDescription)
  }
}
