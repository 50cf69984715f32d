import TenonAuth

/// Signs in without an account, then links one.
func anonymousThenEmail(email: String, password: String) async throws {
  let result = try await Auth.auth().signInAnonymously()
  print(result.user.isAnonymous, result.user.uid)
  let credential = EmailAuthProvider.credential(withEmail: email, password: password)
  let linked = try await result.user.link(with: credential)
  print(linked.user.uid)
  // expect: 'EmailAuthProviderID' has been renamed to 'EmailAuthProvider.id'
  _ = try await linked.user.unlink(fromProvider: EmailAuthProviderID)
}

/// Signs in without an account, in a closure.
func anonymousWithCompletion(credential: AuthCredential) throws {
  // expect: 'signInAnonymously(completion:)' is unavailable: The call is asynchronous: try await auth.signInAnonymously(), in a Task { … } if need be.
  try Auth.auth().signInAnonymously { authResult, error in
    guard let user = authResult?.user else { return }
    // expect: 'link(with:completion:)' is unavailable: The call is asynchronous: try await user.link(with: credential), in a Task { … } if need be.
    user.link(with: credential) { authResult, error in
      print(authResult as Any, error as Any)
    }
  }
}
