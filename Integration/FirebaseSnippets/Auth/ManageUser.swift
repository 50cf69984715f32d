import TenonAuth

/// Changes the account.
func manageUser(email: String, password: String) async throws {
  let user = try Auth.auth().currentUser
  try await user?.sendEmailVerification()
  try await user?.sendEmailVerification(beforeUpdatingEmail: email)
  try await user?.updatePassword(to: password)
  try await Auth.auth().sendPasswordReset(withEmail: email)
  let credential = EmailAuthProvider.credential(withEmail: email, password: password)
  try await user?.reauthenticate(with: credential)
  try await user?.reload()
  try await user?.delete()
}

/// Changes the account, in closures.
func manageUserWithCompletion(email: String, password: String, credential: AuthCredential) throws {
  let user = try Auth.auth().currentUser
  // expect: 'sendEmailVerification(completion:)' is unavailable: The call is asynchronous: try await user.sendEmailVerification(), in a Task { … } if need be.
  user?.sendEmailVerification { error in print(error as Any) }
  // expect: 'sendEmailVerification(beforeUpdatingEmail:actionCodeSettings:completion:)' is unavailable: The call is asynchronous: try await user.sendEmailVerification(beforeUpdatingEmail: …), in a Task { … } if need be.
  user?.sendEmailVerification(beforeUpdatingEmail: email) { error in print(error as Any) }
  // expect: 'updatePassword(to:completion:)' is unavailable: The call is asynchronous: try await user.updatePassword(to: …), in a Task { … } if need be.
  user?.updatePassword(to: password) { error in print(error as Any) }
  // expect: 'sendPasswordReset(withEmail:actionCodeSettings:completion:)' is unavailable: The call is asynchronous: try await auth.sendPasswordReset(withEmail: …), in a Task { … } if need be.
  try Auth.auth().sendPasswordReset(withEmail: email) { error in print(error as Any) }
  // expect: 'reauthenticate(with:completion:)' is unavailable: The call is asynchronous: try await user.reauthenticate(with: credential), in a Task { … } if need be.
  user?.reauthenticate(with: credential) { result, error in print(result as Any, error as Any) }
  // expect: 'reload(completion:)' is unavailable: The call is asynchronous: try await user.reload(), in a Task { … } if need be.
  user?.reload { error in print(error as Any) }
  // expect: 'delete(completion:)' is unavailable: The call is asynchronous: try await user.delete(), in a Task { … } if need be.
  user?.delete { error in
    if let error = error {
      print(error)
    } else {
      print("gone")
    }
  }
}
