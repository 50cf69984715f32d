import TenonAuth

/// Follows who is signed in.
@MainActor
final class Session {
  var user: User?
  private var handle: AuthStateDidChangeListenerHandle?

  func start() throws {
    handle = try Auth.auth().addStateDidChangeListener { auth, user in
      self.user = user
    }
  }

  func stop() throws {
    try Auth.auth().removeStateDidChangeListener(handle!)
  }
}

/// Follows the tokens.
func followTokens() throws {
  let handle = try Auth.auth().addIDTokenDidChangeListener { auth, user in
    print(user?.uid ?? "")
  }
  try Auth.auth().removeIDTokenDidChangeListener(handle)
}
