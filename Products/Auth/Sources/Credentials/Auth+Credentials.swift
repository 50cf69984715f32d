import TenonCore

extension Auth {
  /// Signs a user in with any credential; creates them when a provider or a link names a new user.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/accountExistsWithDifferentCredential`` when another user has the
  ///   address that the provider names and the provider has not verified it: sign that user in by one of
  ///   ``AuthError/providers`` and link ``AuthError/credential``.
  @discardableResult
  public func signIn(with credential: AuthCredential) async throws -> AuthResult {
    switch credential.proof {
    case .password(let email, let password):
      return try await signIn(email: email, password: password.value)
    case .link(let email, let code):
      _ = try await session.current()
      let response = try await server.signInWithEmailLink(EmailLinkRequest(email: email, oobCode: code))
      return AuthResult(user: try await begin(response), isNewUser: response.isNewUser ?? false)
    case .provider(let proof):
      _ = try await session.current()
      let response = try await server.signInWithProvider(proof, of: credential.providerID)
      let user = try await begin(response)
      return AuthResult(
        user: user,
        isNewUser: response.isNewUser ?? false,
        profile: response.profile(of: credential.providerID, signedIn: user)
      )
    }
  }

  /// Signs in whom a server of the app named in a custom token; creates them when they are new.
  @discardableResult
  public func signIn(customToken: String) async throws -> AuthResult {
    guard !customToken.isEmpty else {
      throw AuthError(.invalidCustomToken, "The custom token is empty. Get one from the app's server.")
    }
    _ = try await session.current()
    let response = try await server.signInWithCustomToken(Secret(customToken))
    return AuthResult(user: try await begin(response), isNewUser: response.isNewUser ?? false)
  }

  /// Gives the current user a further way to sign in. An anonymous user becomes a lasting one; the id stays.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/providerAlreadyLinked`` when the user has this way already, and with
  ///   ``AuthError/Code/credentialAlreadyInUse`` when another user has: ``AuthError/credential`` signs that one in.
  public func link(with credential: AuthCredential) async throws -> User {
    switch credential.proof {
    case .password(let email, let password):
      return try await link(email: email, password: password.value)
    case .link(let email, let code):
      return try await changing { idToken in
        try await self.server.signInWithEmailLink(
          EmailLinkRequest(email: email, oobCode: code, idToken: idToken)
        )
      }
    case .provider(let proof):
      guard !(try await signedIn()).user.providers.contains(where: { $0.providerID == credential.providerID })
      else {
        throw AuthError(
          .providerAlreadyLinked,
          "The user signs in with \(credential.providerID) already. Use unlink(_:) before linking another identity."
        )
      }
      return try await changing { idToken in
        try await self.server.signInWithProvider(proof, of: credential.providerID, idToken: idToken)
      }
    }
  }

  /// Takes a way to sign in from the current user. ``ProviderID/password`` takes the address as well.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/noSuchProvider`` when the user doesn't have this way.
  public func unlink(_ providerID: ProviderID) async throws -> User {
    let ways = try await signedIn().user.providers.map(\.providerID)
    guard ways.contains(providerID) else {
      let known = ways.map(\.rawValue).joined(separator: ", ")
      throw AuthError(
        .noSuchProvider,
        "The user does not sign in with \(providerID), but with: \(known.isEmpty ? "nothing" : known)."
      )
    }
    return try await changing { idToken in
      try await self.server.update(UpdateRequest(idToken: idToken, deleteProvider: [providerID.rawValue]))
    }
  }

  /// Proves again that the current user is there, for what needs a fresh sign-in
  /// (``AuthError/Code/requiresRecentLogin``).
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/userMismatch`` when the credential is another user's. The current
  ///   user stays as they are then.
  @discardableResult
  public func reauthenticate(with credential: AuthCredential) async throws -> User {
    let uid = try await signedIn().user.uid
    let tokens: SessionTokens?
    do {
      tokens = try await proven(by: credential)
    } catch let error as AuthError where error.code == .userNotFound {
      throw Self.mismatch(error)
    }
    guard let tokens else {
      throw AuthError(.internalError, "The server signed the user in without sending tokens.")
    }
    let user = try await server.lookup(tokens.idToken)
    guard user.uid == uid else { throw Self.mismatch(nil) }
    return try await keep(user, tokens, of: uid)
  }

  private func proven(by credential: AuthCredential) async throws -> SessionTokens? {
    switch credential.proof {
    case .password(let email, let password):
      try Self.check(email: email)
      let request = PasswordRequest(email: email, password: password)
      return try server.tokens(of: try await server.signInWithPassword(request))
    case .link(let email, let code):
      let request = EmailLinkRequest(email: email, oobCode: code)
      return try server.tokens(of: try await server.signInWithEmailLink(request))
    case .provider(let proof):
      let response = try await server.signInWithProvider(proof, of: credential.providerID, creates: false)
      return try server.tokens(of: response)
    }
  }

  private static func mismatch(_ error: AuthError?) -> AuthError {
    AuthError(
      .userMismatch,
      "The credential is not the current user's. Sign in with it instead, or use one of the current user.",
      underlying: error
    )
  }
}
