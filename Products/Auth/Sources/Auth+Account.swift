public import Foundation
import TenonCore

/// Changes to the current user. Each throws ``AuthError`` with ``AuthError/Code/noCurrentUser`` when nobody is signed
/// in.
extension Auth {
  /// Gives the current user an address and a password to sign in with. An anonymous user becomes a lasting one and
  /// keeps their id.
  ///
  /// - Parameters:
  ///   - email: the address, which no other user may have.
  ///   - password: the password, of at least 6 characters.
  /// - Throws: ``AuthError`` with ``AuthError/Code/providerAlreadyLinked`` when the user has a password already.
  public func link(email: String, password: String) async throws -> User {
    try Self.check(email: email)
    try Self.check(newPassword: password)
    guard !(try await signedIn()).user.providers.contains(where: { $0.providerID == .password }) else {
      throw AuthError(.providerAlreadyLinked, "The user has a password already. Use updatePassword(_:).")
    }
    return try await changing(provenBy: (email, Secret(password))) { idToken in
      try await self.server.signUp(SignUpRequest(email: email, password: Secret(password), idToken: idToken))
    }
  }

  /// Changes the current user's password. Sessions elsewhere end by that.
  public func updatePassword(_ password: String) async throws {
    try Self.check(newPassword: password)
    let email = try await signedIn().user.email
    _ = try await changing(provenBy: email.map { ($0, Secret(password)) }) {
      try await self.server.update(UpdateRequest(idToken: $0, password: Secret(password)))
    }
  }

  /// Changes the current user's address at once, unverified. Sessions elsewhere end by that; and this one too when the
  /// network loses the answer, which brings the new tokens.
  public func updateEmail(_ email: String) async throws -> User {
    try Self.check(email: email)
    return try await changing { try await self.server.update(UpdateRequest(idToken: $0, email: email)) }
  }

  /// Changes what the current user is called and their picture; `nil` removes.
  public func updateProfile(displayName: String?, photoURL: URL?) async throws -> User {
    var cleared: [String] = []
    if displayName == nil { cleared.append("DISPLAY_NAME") }
    if photoURL == nil { cleared.append("PHOTO_URL") }
    let deleteAttribute = cleared.isEmpty ? nil : cleared
    return try await changing { idToken in
      try await self.server.update(
        UpdateRequest(
          idToken: idToken,
          displayName: displayName,
          photoUrl: photoURL?.absoluteString,
          deleteAttribute: deleteAttribute
        )
      )
    }
  }

  /// Changes what the current user is called, and leaves the picture; `nil` removes.
  public func updateDisplayName(_ displayName: String?) async throws -> User {
    try await changing { idToken in
      try await self.server.update(
        UpdateRequest(
          idToken: idToken,
          displayName: displayName,
          deleteAttribute: displayName == nil ? ["DISPLAY_NAME"] : nil
        )
      )
    }
  }

  /// Changes the current user's picture, and leaves what they are called; `nil` removes.
  public func updatePhotoURL(_ photoURL: URL?) async throws -> User {
    try await changing { idToken in
      try await self.server.update(
        UpdateRequest(
          idToken: idToken,
          photoUrl: photoURL?.absoluteString,
          deleteAttribute: photoURL == nil ? ["PHOTO_URL"] : nil
        )
      )
    }
  }

  /// Asks the server for the present state of the current user.
  @discardableResult
  public func reload() async throws -> User {
    let session = try await signedIn()
    return try await endingRefused(session) {
      let user = try await self.server.lookup(try await self.freshToken())
      return try await self.keep(user, nil, of: session.user.uid)
    }
  }

  /// Deletes the current user for good, and signs them out.
  public func deleteUser() async throws {
    let session = try await signedIn()
    try await endingRefused(session) { try await self.server.delete(try await self.freshToken()) }
    try await self.session.signOut()
  }

  func signedIn() async throws -> StoredSession {
    guard let session = try await session.current() else { throw Self.nobody }
    return session
  }

  /// Runs something with the current user's ID token; a refusal that ends the session signs them out.
  func withFreshToken(_ body: (_ idToken: Secret) async throws -> Void) async throws {
    let session = try await signedIn()
    try await endingRefused(session) { try await body(try await self.freshToken()) }
  }

  private func freshToken() async throws -> Secret {
    guard let token = try await session.token(forcingRefresh: false) else { throw Self.nobody }
    return token
  }

  /// Changes the user on the server, and keeps the tokens and the user that come of it.
  ///
  /// What was sent can't be taken back, so it comes to its end though the caller leaves: the old tokens may be over.
  ///
  /// - Parameter proof: the address and the password that the user has after the change, with which new tokens can be
  ///   had when the answer is lost.
  func changing(
    provenBy proof: (email: String, password: Secret)? = nil,
    _ change: @escaping @Sendable (_ idToken: Secret) async throws -> some TokenBearing
  ) async throws -> User {
    let session = try await signedIn()
    try Task.checkCancellation()
    let task = SharedTask(runsToCompletion: true) {
      try await self.endingRefused(session) {
        let idToken = try await self.freshToken()
        let tokens = try await self.tokens(of: session.user, provenBy: proof) { try await change(idToken) }
        return try await self.keep(tokens, session.user.uid, idToken)
      }
    }
    return try await task.value()
  }

  /// The tokens that a change brings; `nil` when the old ones hold.
  private func tokens(
    of user: User,
    provenBy proof: (email: String, password: Secret)?,
    _ change: () async throws -> some TokenBearing
  ) async throws -> SessionTokens? {
    let tokens: SessionTokens?
    do {
      tokens = try server.tokens(of: try await change())
      try tokens?.check(belongTo: user)
    } catch let error as AuthError where error.leavesDoubt {
      // The server may have made the change, by which the old tokens are over.
      guard let proof, let proven = try? await self.tokens(of: user, provenBy: proof) else { throw error }
      return proven
    }
    guard let proof, tokens == nil else { return tokens }
    do { return try await self.tokens(of: user, provenBy: proof) } catch let error as AuthError {
      throw AuthError(
        error.code == .networkError ? .networkError : .internalError,
        "The server did not say whether it made the change, and what was set does not sign in: \(error.message)",
        underlying: error.underlying
      )
    }
  }

  /// New tokens for a user, if this is their password.
  private func tokens(
    of user: User, provenBy proof: (email: String, password: Secret)
  ) async throws -> SessionTokens? {
    let request = PasswordRequest(email: proof.email, password: proof.password)
    let tokens = try server.tokens(of: try await server.signInWithPassword(request))
    try tokens?.check(belongTo: user)
    return tokens
  }

  /// Keeps new tokens whatever comes after, and then the user as the server describes them.
  private func keep(_ tokens: SessionTokens?, _ uid: String, _ idToken: Secret) async throws -> User {
    // Listeners hear of the tokens with the changed user.
    if let tokens { try await session.change(uid, tells: false) { $0.tokens = tokens } }
    do {
      let user = try await server.lookup(tokens?.idToken ?? idToken)
      return try await keep(user, tokens, of: uid)
    } catch {
      await session.announce()
      throw error
    }
  }

  func keep(_ user: User, _ tokens: SessionTokens?, of uid: String) async throws -> User {
    let kept = try await session.change(uid) { session in
      session.user = user
      if let tokens { session.tokens = tokens }
    }
    guard kept != nil else {
      throw AuthError(.userSignedOut, "The user was signed out while the operation was going on.")
    }
    return user
  }

  /// Signs the user out when the server says that the session is over.
  private func endingRefused<Value>(
    _ session: StoredSession,
    _ body: () async throws -> Value
  ) async throws -> Value {
    do { return try await body() } catch let error as AuthError where error.endsSession {
      try await self.session.end(session.tokens, because: error)
      throw error
    }
  }

  private static var nobody: AuthError { AuthError(.noCurrentUser, "Nobody is signed in. Sign in first.") }
}
