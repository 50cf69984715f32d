import TenonCore

extension Auth {
  /// Creates a user with an address and a password, and signs them in.
  ///
  /// - Parameters:
  ///   - email: the address, which no other user of the project may have.
  ///   - password: the password, of at least 6 characters.
  @discardableResult
  public func createUser(email: String, password: String) async throws -> AuthResult {
    try Self.check(email: email)
    try Self.check(newPassword: password)
    _ = try await session.current()
    let response = try await server.signUp(SignUpRequest(email: email, password: Secret(password)))
    return AuthResult(user: try await begin(response), isNewUser: true)
  }

  /// Signs a user in with their address and password.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/wrongPassword`` and ``AuthError/Code/userNotFound``, or in projects
  ///   that protect addresses with ``AuthError/Code/invalidCredential`` for either.
  @discardableResult
  public func signIn(email: String, password: String) async throws -> AuthResult {
    try Self.check(email: email)
    guard !password.isEmpty else {
      throw AuthError(.missingPassword, "The password for \"\(email)\" is missing.")
    }
    _ = try await session.current()
    let request = PasswordRequest(email: email, password: Secret(password))
    let response = try await server.signInWithPassword(request)
    return AuthResult(user: try await begin(response), isNewUser: false)
  }

  /// Creates a user who doesn't say who they are, and signs them in. Gives the same user without asking the server
  /// when an anonymous user is signed in already.
  @discardableResult
  public func signInAnonymously() async throws -> AuthResult {
    if let user = try await session.current()?.user, user.isAnonymous {
      return AuthResult(user: user, isNewUser: false)
    }
    let response = try await server.signUp(SignUpRequest())
    return AuthResult(user: try await begin(response), isNewUser: true)
  }

  /// Signs the current user out; does nothing when nobody is signed in. The server isn't asked.
  ///
  /// A kept session that can't be read is set aside under another name, so that a user can sign in again.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/sessionUnwritable``; the user stays signed in then.
  public func signOut() async throws {
    try await session.signOut()
  }

  /// Asks who the tokens belong to, and makes them the current user.
  func begin(_ response: some TokenBearing) async throws -> User {
    guard let tokens = try server.tokens(of: response) else {
      throw AuthError(.internalError, "The server signed the user in without sending tokens.")
    }
    let user = try await server.lookup(tokens.idToken)
    try Task.checkCancellation()
    try await session.adopt(StoredSession(user: user, tokens: tokens))
    return user
  }

  static func check(email: String) throws {
    guard !email.isEmpty else { throw AuthError(.missingEmail, "The e-mail address is missing.") }
  }

  static func check(newPassword password: String) throws {
    guard !password.isEmpty else {
      throw AuthError(.weakPassword, "The password is empty. Use at least 6 characters.")
    }
  }
}
