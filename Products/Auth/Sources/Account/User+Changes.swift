import TenonFoundation

/// Running the operations on an account, and storing their results in the session.
extension User {
  /// Returns what the session stores of this user.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/userSignedOut`` if the user is no longer the current one.
  func signedIn() async throws -> StoredSession { try await session.active(self).stored }

  /// Runs `body` with a valid ID token. An error by which the server reports the end of the session signs the
  /// user out.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/userSignedOut`` if the user is no longer the current one;
  ///   the error of `body`.
  func withFreshToken<Value>(
    _ body: (_ server: IdentityToolkit, _ idToken: Secret) async throws -> Value
  ) async throws -> Value {
    let session = try session
    let server = session.server.inTenant(tenantID).begun()
    let stored = try await signedIn()
    return try await endingRefused(stored) {
      try await body(server, try await session.token(of: self, forcingRefresh: false))
    }
  }

  /// Changes the account on the server, and stores the new tokens and the new description of the account.
  ///
  /// A request that was sent can't be undone, and the server may have revoked the old tokens, so the change
  /// runs to completion even if the caller's task is cancelled or the operation's time limit
  /// (``Auth/timeoutInterval``) passes.
  ///
  /// - Parameters:
  ///   - proof: the email address and the password that the user has after the change; new tokens can be
  ///     obtained with them if the answer is lost.
  ///   - change: sends the request.
  /// - Returns: the server's answer; `nil` if it was lost and the proof showed that the change was made.
  func changing<Answer: TokenBearing & Sendable>(
    provenBy proof: (email: String, password: Secret)? = nil,
    _ change: @escaping @Sendable (_ server: IdentityToolkit, _ idToken: Secret) async throws -> Answer
  ) async throws -> Answer? {
    let session = try session
    let server = session.server.inTenant(tenantID).begun()
    let stored = try await signedIn()
    try Task.checkCancellation()
    let task = SharedTask<Answer?>(runsToCompletion: true) {
      try await self.endingRefused(stored) {
        let idToken = try await session.token(of: self, forcingRefresh: false)
        let (answer, tokens) = try await self.outcome(session.server.inTenant(self.tenantID), provenBy: proof)
        {
          try await change(server, idToken)
        }
        try await self.keep(tokens, idToken)
        return answer
      }
    }
    return try await server.wait(for: task)
  }

  /// Runs a change, and determines whether the server made it if the answer was lost or has no tokens.
  ///
  /// - Returns: the answer, `nil` if it was lost; and the new tokens, `nil` if the old ones stay valid.
  private func outcome<Answer: TokenBearing>(
    _ server: IdentityToolkit,
    provenBy proof: (email: String, password: Secret)?,
    _ change: () async throws -> Answer
  ) async throws -> (answer: Answer?, tokens: SessionTokens?) {
    let answer: Answer
    let tokens: SessionTokens?
    do {
      answer = try await change()
      tokens = try server.tokens(of: answer)
      try tokens?.check(belongTo: profile)
    } catch let error as AuthError where error.leavesDoubt {
      // The server may have made the change and thereby revoked the old tokens.
      guard let proof, let proven = try? await self.tokens(server, provenBy: proof) else { throw error }
      return (nil, proven)
    }
    guard let proof, tokens == nil else { return (answer, tokens) }
    do { return (answer, try await self.tokens(server, provenBy: proof)) } catch let error as AuthError {
      // The password is right, and only a second factor is missing.
      if error.code == .secondFactorRequired { return (answer, nil) }
      throw AuthError(
        error.code == .networkError ? .networkError : .internalError,
        "The server didn't report whether it made the change, and the new password doesn't sign in: \(error.message)",
        underlying: error
      )
    }
  }

  /// Signs in with a password, and returns the tokens.
  ///
  /// - Throws: ``AuthError`` if the password is wrong, or the tokens belong to another user.
  private func tokens(
    _ server: IdentityToolkit, provenBy proof: (email: String, password: Secret)
  ) async throws -> SessionTokens? {
    let request = PasswordRequest(email: proof.email, password: proof.password)
    let tokens = try server.tokens(of: try await server.signInWithPassword(request))
    try tokens?.check(belongTo: profile)
    return tokens
  }

  /// Stores new tokens first, so that they aren't lost if the lookup fails, and then the account as the
  /// server describes it.
  private func keep(_ tokens: SessionTokens?, _ idToken: Secret) async throws {
    let session = try session
    // Listeners receive the tokens together with the changed account.
    if let tokens { try await session.change(self, notifies: false) { $0.tokens = tokens } }
    do {
      let profile = try await session.server.lookup(tokens?.idToken ?? idToken)
      try await keep(profile, tokens)
    } catch {
      await session.announce()
      throw error
    }
  }

  /// Stores the description of the account, and new tokens if there are any.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/userSignedOut`` if the session has ended in the meantime.
  func keep(_ profile: UserProfile, _ tokens: SessionTokens?) async throws {
    let kept = try await session.change(self) { stored in
      stored.profile = profile
      if let tokens { stored.tokens = tokens }
    }
    guard kept else {
      throw AuthError(
        .userSignedOut,
        "The user \"\(uid)\" was signed out while the operation was in progress. Sign in and try again."
      )
    }
  }

  /// Runs `body`, and signs the user out if the server reports that the session has ended.
  func endingRefused<Value>(_ stored: StoredSession, _ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch let error as AuthError where error.endsSession {
      try await session.end(stored.tokens, because: error)
      throw error
    }
  }
}

extension AuthError {
  /// The error of an operation on a user who is no longer signed in.
  static func signedOut(_ uid: String) -> AuthError {
    AuthError(
      .userSignedOut,
      "The user \"\(uid)\" is no longer signed in. Use Auth.currentUser, or sign in again."
    )
  }
}
