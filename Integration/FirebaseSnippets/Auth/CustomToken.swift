import TenonAuth

/// Signs in with a token that the program's server made.
func customToken(_ token: String) async throws {
  let result = try await Auth.auth().signIn(withCustomToken: token)
  print(result.user.uid)
}

/// Signs in with a token that the program's server made, in a closure.
func customTokenWithCompletion(_ token: String) throws {
  // expect: 'signIn(withCustomToken:completion:)' is unavailable: The call is asynchronous: try await auth.signIn(withCustomToken: …), in a Task { … } if need be.
  try Auth.auth().signIn(withCustomToken: token) { user, error in
    print(user as Any, error as Any)
  }
}
