import Foundation
import TenonAuth

/// Makes an account and signs in to it, in closures.
func emailAndPasswordWithCompletion(email: String, password: String) throws {
  // expect: 'createUser(withEmail:password:completion:)' is unavailable: The call is asynchronous: try await auth.createUser(withEmail: …, password: …), in a Task { … } if need be.
  try Auth.auth().createUser(withEmail: email, password: password) { authResult, error in
    guard let user = authResult?.user, error == nil else {
      print(error!.localizedDescription)
      return
    }
    print(user.uid)
  }
  // expect: 'signIn(withEmail:password:completion:)' is unavailable: The call is asynchronous: try await auth.signIn(withEmail: …, password: …), in a Task { … } if need be.
  try Auth.auth().signIn(withEmail: email, password: password) { authResult, error in
    print(authResult?.user.uid ?? "", error as Any)
  }
}
