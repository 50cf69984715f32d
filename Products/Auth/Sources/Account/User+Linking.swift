import TenonCore
import TenonFoundation

/// The sign-in methods of a user. Each operation throws ``AuthError`` with ``AuthError/Code/userSignedOut``
/// if the user is no longer the current one.
extension User {
  /// Adds a sign-in method to the account. An anonymous user becomes a permanent one; the ``uid`` stays the
  /// same.
  ///
  /// - Parameter credential: the new credential.
  /// - Returns: this user and, for an identity provider, the provider's data and credential.
  /// - Throws: ``AuthError``; with ``AuthError/Code/providerAlreadyLinked`` if the account has a credential
  ///   of this provider, with ``AuthError/Code/emailAlreadyInUse`` if another user has the email address, and
  ///   with ``AuthError/Code/credentialAlreadyInUse`` if another user has the credential:
  ///   ``AuthError/credential`` signs that user in.
  @discardableResult
  public func link(with credential: AuthCredential) async throws -> AuthDataResult {
    switch credential.proof {
    case .password(let email, let password):
      try Auth.check(email: email)
      try Auth.check(newPassword: password.value)
      guard !(try await has(EmailAuthProvider.id)) else {
        throw AuthError(.providerAlreadyLinked, "The user has a password already. Use updatePassword(to:).")
      }
      let answer = try await changing(provenBy: (email, password)) { server, idToken in
        try await server.signUp(SignUpRequest(email: email, password: password, idToken: idToken))
      }
      return AuthDataResult(
        user: self, additionalUserInfo: answer?.additionalUserInfo(of: credential.provider, isNewUser: false))
    case .link(let email, let link):
      let code = try Auth.signInCode(in: link)
      let answer = try await changing { server, idToken in
        try await server.signInWithEmailLink(EmailLinkRequest(email: email, oobCode: code, idToken: idToken))
      }
      return AuthDataResult(
        user: self, additionalUserInfo: answer?.additionalUserInfo(of: credential.provider, isNewUser: false))
    case .provider(let proof):
      guard !(try await has(credential.provider)) else {
        throw AuthError(
          .providerAlreadyLinked,
          "The user signs in with \(credential.provider) already. Use unlink(fromProvider:) before linking another "
            + "account of this provider."
        )
      }
      let answer = try await changing { server, idToken in
        try await server.signInWithProvider(proof, of: credential.provider, idToken: idToken)
      }
      return AuthDataResult(
        user: self,
        additionalUserInfo: answer?.additionalUserInfo(of: credential.provider),
        credential: answer?.credential(of: credential.provider)
      )
    case .phone(let proof):
      guard !(try await has(PhoneAuthProvider.id)) else {
        throw AuthError(
          .providerAlreadyLinked, "The user has a phone number already. Use updatePhoneNumber(_:).")
      }
      let answer = try await changing { server, idToken in
        try await server.signInWithPhoneNumber(PhoneRequest(proof, .link, idToken: idToken))
      }
      return AuthDataResult(user: self, additionalUserInfo: answer?.additionalUserInfo)
    }
  }

  /// Removes a sign-in method from the account. ``EmailAuthProvider/id`` removes the password and the email
  /// address.
  ///
  /// - Parameter provider: the provider's identifier, as in ``UserInfo/providerID``.
  /// - Returns: this user.
  /// - Throws: ``AuthError``; with ``AuthError/Code/noSuchProvider`` if the account has no credential of the
  ///   provider.
  @discardableResult
  public func unlink(fromProvider provider: String) async throws -> User {
    let known = try await signedIn().profile.providerData.map(\.providerID)
    guard known.contains(provider) else {
      let list = known.isEmpty ? "none" : known.joined(separator: ", ")
      throw AuthError(
        .noSuchProvider, "The user has no credential of \(provider) to unlink. The user's providers: \(list)."
      )
    }
    _ = try await changing { server, idToken in
      try await server.update(UpdateRequest(idToken: idToken, deleteProvider: [provider]))
    }
    return self
  }

  /// Proves the user's identity again, for operations that require a recent sign-in
  /// (``AuthError/Code/requiresRecentLogin``).
  ///
  /// - Parameter credential: one of the user's credentials.
  /// - Returns: this user and, for an identity provider, the provider's data and credential.
  /// - Throws: ``AuthError``; with ``AuthError/Code/userMismatch`` if the credential belongs to another user,
  ///   or no user has it. The session is then unchanged.
  @discardableResult
  public func reauthenticate(with credential: AuthCredential) async throws -> AuthDataResult {
    _ = try await signedIn()
    let server = try session.server.inTenant(tenantID).begun()
    let proven: (tokens: SessionTokens?, result: AuthDataResult)
    do {
      proven = try await self.proven(by: credential, server)
    } catch let error as AuthError where error.code == .userNotFound {
      throw AuthError.mismatch(error)
    }
    guard let tokens = proven.tokens else { throw AuthError.noTokens }
    let profile = try await server.lookup(tokens.idToken)
    guard profile.uid == uid else { throw AuthError.mismatch(nil) }
    try await keep(profile, tokens)
    return proven.result
  }

  /// Returns whether the account has a credential of a provider, as the server last described it.
  private func has(_ provider: String) async throws -> Bool {
    try await signedIn().profile.providerData.contains { $0.providerID == provider }
  }

  /// Signs in with a credential on the server, without creating a user or changing the session.
  ///
  /// - Throws: ``AuthError``; with ``AuthError/Code/secondFactorRequired`` and a
  ///   ``AuthError/multiFactorResolver`` if the user has a second factor.
  private func proven(
    by credential: AuthCredential, _ server: IdentityToolkit
  ) async throws -> (SessionTokens?, AuthDataResult) {
    let provider = credential.provider
    switch credential.proof {
    case .password(let email, let password):
      try Auth.check(email: email)
      let answer = try await server.signInWithPassword(PasswordRequest(email: email, password: password))
      return try proven(answer, answer.additionalUserInfo(of: provider, isNewUser: false), on: server)
    case .link(let email, let link):
      let request = EmailLinkRequest(email: email, oobCode: try Auth.signInCode(in: link))
      let answer = try await server.signInWithEmailLink(request)
      return try proven(answer, answer.additionalUserInfo(of: provider), on: server)
    case .provider(let proof):
      let answer = try await server.signInWithProvider(proof, of: provider, creates: false)
      return try proven(
        answer, answer.additionalUserInfo(of: provider), answer.credential(of: provider), on: server)
    case .phone(let proof):
      let answer = try await server.signInWithPhoneNumber(PhoneRequest(proof, .reauthenticate))
      return try proven(answer, answer.additionalUserInfo, on: server)
    }
  }

  /// Returns the tokens of an answer, and the result for the caller.
  private func proven(
    _ answer: some TokenBearing, _ info: AdditionalUserInfo, _ credential: AuthCredential? = nil,
    on server: IdentityToolkit
  ) throws -> (SessionTokens?, AuthDataResult) {
    let first = FirstFactorResult(uid: uid, additionalUserInfo: info, credential: credential)
    return (
      try session.tokens(of: answer, first, on: server),
      AuthDataResult(user: self, additionalUserInfo: info, credential: credential)
    )
  }
}

extension AuthError {
  /// Returns the error of a credential that belongs to another user, or to none.
  static func mismatch(_ error: AuthError?) -> AuthError {
    AuthError(
      .userMismatch,
      "The credential doesn't belong to the current user. Sign in with it instead, or use one of the current user's.",
      underlying: error
    )
  }
}
