import TenonFoundation

/// Signing in and out.
///
/// Each sign-in replaces the current user when the server has confirmed it and the session is stored. A
/// sign-in that throws, or whose task is cancelled before, leaves the current user signed in. The functions
/// may be called from any thread, concurrently; the sign-in that completes last determines the current user.
///
/// If the user has a second factor, a sign-in throws ``AuthError`` with
/// ``AuthError/Code/secondFactorRequired``, whose ``AuthError/multiFactorResolver`` continues it.
extension Auth {
  /// Creates a user with an email address and a password, and signs them in.
  ///
  /// - Parameters:
  ///   - email: the address, which no other user of the project may have.
  ///   - password: the password, at least 6 characters.
  /// - Returns: the new user, with ``AdditionalUserInfo/isNewUser`` `true`.
  /// - Throws: ``AuthError``; with ``AuthError/Code/emailAlreadyInUse`` if another user has the address, and
  ///   with ``AuthError/Code/weakPassword`` if the password is empty or too short.
  @discardableResult
  public func createUser(withEmail email: String, password: String) async throws -> AuthDataResult {
    try Self.check(email: email)
    try Self.check(newPassword: password)
    let server = self.server.begun()
    _ = try await session.current()
    let answer = try await server.signUp(SignUpRequest(email: email, password: Secret(password)))
    let info = answer.additionalUserInfo(of: EmailAuthProvider.id, isNewUser: true)
    return try await begin(answer, info, on: server)
  }

  /// Signs a user in with their email address and password.
  ///
  /// - Parameters:
  ///   - email: the user's address.
  ///   - password: the user's password.
  /// - Throws: ``AuthError``; with ``AuthError/Code/wrongPassword`` or ``AuthError/Code/userNotFound``, or in
  ///   projects with email enumeration protection, with ``AuthError/Code/invalidCredential`` in both cases.
  @discardableResult
  public func signIn(withEmail email: String, password: String) async throws -> AuthDataResult {
    try Self.check(email: email)
    guard !password.isEmpty else {
      throw AuthError(.missingPassword, "The password for \"\(email)\" is missing. Pass one.")
    }
    let server = self.server.begun()
    _ = try await session.current()
    let request = PasswordRequest(email: email, password: Secret(password))
    let answer = try await server.signInWithPassword(request)
    let info = answer.additionalUserInfo(of: EmailAuthProvider.id, isNewUser: false)
    return try await begin(answer, info, on: server)
  }

  /// Signs a user in with the link that was sent to their email address; creates the user if no user has the
  /// address.
  ///
  /// - Parameters:
  ///   - email: the address to which ``sendSignInLink(toEmail:actionCodeSettings:)`` sent the link.
  ///   - link: the link as it was received.
  /// - Throws: ``AuthError``; with ``AuthError/Code/argumentError`` if the link isn't a sign-in link, and
  ///   with ``AuthError/Code/invalidActionCode`` if it was used before.
  @discardableResult
  public func signIn(withEmail email: String, link: String) async throws -> AuthDataResult {
    try Self.check(email: email)
    let code = try Self.signInCode(in: link)
    let server = self.server.begun()
    _ = try await session.current()
    let answer = try await server.signInWithEmailLink(EmailLinkRequest(email: email, oobCode: code))
    let info = answer.additionalUserInfo(of: EmailAuthProvider.id)
    return try await begin(answer, info, on: server)
  }

  /// Signs a user in with any credential; creates the user if the identity provider or the link identifies a
  /// new one.
  ///
  /// - Parameter credential: an email address with a password or a link, or an identity provider's tokens.
  /// - Returns: the user and, for an identity provider, the provider's data and credential.
  /// - Throws: ``AuthError``; with ``AuthError/Code/accountExistsWithDifferentCredential`` if another user
  ///   has the email address that the provider reports, and the provider hasn't verified it. Sign that user
  ///   in with one of ``AuthError/providers`` and link ``AuthError/credential``.
  @discardableResult
  public func signIn(with credential: AuthCredential) async throws -> AuthDataResult {
    switch credential.proof {
    case .password(let email, let password):
      return try await signIn(withEmail: email, password: password.value)
    case .link(let email, let link):
      return try await signIn(withEmail: email, link: link.value)
    case .provider(let proof):
      let server = self.server.begun()
      _ = try await session.current()
      let answer = try await server.signInWithProvider(proof, of: credential.provider)
      return try await begin(
        answer, answer.additionalUserInfo(of: credential.provider),
        answer.credential(of: credential.provider), on: server)
    case .phone(let proof):
      let server = self.server.begun()
      _ = try await session.current()
      let answer = try await server.signInWithPhoneNumber(PhoneRequest(proof, .signUpOrIn))
      return try await begin(answer, answer.additionalUserInfo, on: server)
    }
  }

  /// Signs in the user whom one of the app's servers identified in a custom token; creates the user if they
  /// are new.
  ///
  /// - Parameter token: a token that the Admin SDK or the embedded backend created, a secret.
  /// - Throws: ``AuthError``; with ``AuthError/Code/invalidCustomToken`` or
  ///   ``AuthError/Code/customTokenMismatch``.
  @discardableResult
  public func signIn(withCustomToken token: String) async throws -> AuthDataResult {
    guard !token.isEmpty else {
      throw AuthError(.invalidCustomToken, "The custom token is empty. Request one from the app's server.")
    }
    let server = self.server.begun()
    _ = try await session.current()
    let answer = try await server.signInWithCustomToken(Secret(token))
    let info = answer.additionalUserInfo(of: "")
    return try await begin(answer, info, on: server)
  }

  /// Creates an anonymous user, and signs them in. Returns the current user without contacting the server if
  /// an anonymous user of the same tenant is already signed in.
  ///
  /// ``User/link(with:)`` makes the user a permanent one later.
  ///
  /// - Throws: ``AuthError``; with ``AuthError/Code/operationNotAllowed`` or
  ///   ``AuthError/Code/adminRestrictedOperation`` if the project doesn't allow anonymous users.
  @discardableResult
  public func signInAnonymously() async throws -> AuthDataResult {
    let server = self.server.begun()
    if let user = try await session.current()?.user, user.isAnonymous, user.tenantID == server.tenantID {
      return AuthDataResult(
        user: user, additionalUserInfo: AdditionalUserInfo(providerID: "", isNewUser: false))
    }
    let answer = try await server.signUp(SignUpRequest())
    let info = answer.additionalUserInfo(of: "", isNewUser: true)
    return try await begin(answer, info, on: server)
  }

  /// Signs the current user out, without contacting the server. Does nothing if no user is signed in.
  ///
  /// A stored session that can't be read is moved aside under another name, so that a user can sign in again.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/sessionUnwritable``; the user then stays signed in.
  public func signOut() async throws { try await session.signOut() }

  /// Looks up the account of the tokens in an answer, stores the session, and makes that user the current
  /// one.
  ///
  /// - Parameters:
  ///   - answer: the answer to the sign-in.
  ///   - info: what the answer reports in addition to the account.
  ///   - credential: the identity provider's credential in the answer.
  ///   - server: the client of the operation.
  /// - Throws: ``AuthError`` if the answer has no tokens, or the account can't be looked up;
  ///   `CancellationError` if the task was cancelled before the session was stored.
  func begin(
    _ answer: some TokenBearing, _ info: AdditionalUserInfo, _ credential: AuthCredential? = nil,
    on server: IdentityToolkit
  ) async throws -> AuthDataResult {
    let result = FirstFactorResult(additionalUserInfo: info, credential: credential)
    guard let tokens = try session.tokens(of: answer, result, on: server) else { throw AuthError.noTokens }
    let profile = try await server.lookup(tokens.idToken)
    try Task.checkCancellation()
    let user = try await session.adopt(StoredSession(profile: profile, tokens: tokens))
    return AuthDataResult(user: user, additionalUserInfo: info, credential: credential)
  }

  /// Checks that an email address isn't empty. The server checks its form.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/missingEmail``.
  static func check(email: String) throws(AuthError) {
    guard !email.isEmpty else { throw AuthError(.missingEmail, "The email address is missing. Pass one.") }
  }

  /// Checks that a new password isn't empty. The server checks its strength.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/weakPassword``.
  static func check(newPassword password: String) throws(AuthError) {
    guard !password.isEmpty else {
      throw AuthError(.weakPassword, "The password is empty. Use at least 6 characters.")
    }
  }
}

extension AuthError {
  /// The error of a sign-in whose answer has no tokens.
  static var noTokens: AuthError {
    AuthError(.internalError, "The server signed the user in without sending tokens. Try again.")
  }
}
