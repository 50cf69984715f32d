import TenonTransport

extension AccountService {
  /// `accounts:resetPassword`: tells what a code is for, or sets `newPassword` by it.
  ///
  /// A code for a new password also shows that the user has the address. It ends every session, and removes other
  /// ways to sign in: whoever had them might not be the owner of the address.
  func resetPassword(_ call: AccountCall) async throws -> JSON {
    guard settings().passwordSignIn || call.text("newPassword") == nil else {
      throw Self.refusal("PASSWORD_LOGIN_DISABLED")
    }
    guard let text = call.text("oobCode"), !text.isEmpty else { throw Self.refusal("MISSING_OOB_CODE") }
    return try await resetPassword(text, newPassword: call.text("newPassword"))
  }

  /// - Parameter newPassword: tells only what the code is for when `nil`.
  func resetPassword(_ text: String, newPassword: String?) async throws -> JSON {
    let code = try await database.read { [self] in try usable(text, in: $0) }
    if let password = newPassword {
      guard code.kind == .passwordReset else { throw Self.refusal("INVALID_OOB_CODE") }
      try Self.check(password: password)
      let hash = try await hasher.hash(password)
      let now = now()
      try await database.transaction { [self] database in
        _ = try usable(text, in: database)
        var account = try owner(of: code, in: database)
        account.setPassword(hash: hash, now: now)
        account.emailVerified = true
        account.federated = []
        account.endSessions(now: now)
        try database.deleteCode(text)
        try database.save(account)
      }
    }
    return .members([
      "kind": "identitytoolkit#ResetPasswordResponse", "requestType": .string(code.kind.rawValue),
      "email": code.kind == .emailSignIn ? nil : .string(code.email),
      "newEmail": code.newEmail.map(JSON.string),
    ])
  }

  /// `accounts:update` with `oobCode`: does what the code is for, once.
  func apply(_ text: String) async throws -> JSON {
    let now = now()
    let outcome: Result<JSON, Refusal> = try await database.transaction { [self] database in
      let code = try usable(text, in: database)
      guard [.verifyEmail, .verifyAndChangeEmail, .recoverEmail].contains(code.kind) else {
        throw Self.refusal("INVALID_OOB_CODE")
      }
      return try using(code, in: database) { try apply(code, now: now, in: database) }
    }
    return try outcome.get()
  }

  /// Uses a code up, also where what it is for turns out to be impossible: the transaction is to be committed with the
  /// refusal, which is therefore returned.
  ///
  /// - Parameter body: does what the code is for. It throws a ``Refusal`` only before it writes anything.
  private func using(
    _ code: AccountCode, in database: isolated EmbeddedDatabase, _ body: () throws -> JSON
  ) throws -> Result<JSON, Refusal> {
    try database.deleteCode(code.code)
    do { return .success(try body()) } catch let refusal as Refusal { return .failure(refusal) }
  }

  private func apply(
    _ code: AccountCode, now: Timestamp, in database: isolated EmbeddedDatabase
  ) throws -> JSON {
    var account: Account
    switch code.kind {
    case .verifyEmail:
      account = try owner(of: code, in: database)
      account.emailVerified = true
    case .verifyAndChangeEmail:
      account = try owner(of: code, in: database)
      guard let email = code.newEmail else { throw Self.refusal("INVALID_OOB_CODE") }
      try Self.checkIsFree(email, for: account.localId, in: database)
      account.move(to: email, verified: true, now: now)
    default:
      guard let id = code.userID, let found = try database.account(id: id) else {
        throw Self.refusal("INVALID_OOB_CODE")
      }
      account = found
      try Self.checkIsFree(code.email, for: id, in: database)
      account.move(to: code.email, verified: true, now: now)
    }
    try database.save(account)
    return .members([
      "kind": "identitytoolkit#SetAccountInfoResponse", "localId": .string(account.localId),
      "email": account.email.map(JSON.string), "emailVerified": .bool(account.emailVerified),
      "newEmail": code.kind == .verifyAndChangeEmail ? code.newEmail.map(JSON.string) : nil,
      "displayName": account.displayName.map(JSON.string), "photoUrl": account.photoUrl.map(JSON.string),
      "passwordHash": account.maskedPasswordHash,
      "providerUserInfo": .array(account.providers.map(\.wire)),
    ])
  }

  /// `accounts:signInWithEmailLink`: signs the user of an address in who has the code that was sent there; creates
  /// them when they are new, or gives the address to the user of `idToken`.
  func signInWithEmailLink(_ call: AccountCall) async throws -> JSON {
    guard settings().emailLinkSignIn else { throw Self.refusal("OPERATION_NOT_ALLOWED") }
    let token = try call.text("idToken").map(Self.idToken)
    let projectID = projectID
    let now = now()
    let outcome: Result<JSON, Refusal> = try await database.transaction { [self] database in
      let linked = try token.map { try Self.owner(of: $0, projectID: projectID, in: database) }
      let email = try Self.requiredEmail(call)
      guard let text = call.text("oobCode"), !text.isEmpty else { throw Self.refusal("MISSING_OOB_CODE") }
      let code = try usable(text, in: database)
      guard code.kind == .emailSignIn else { throw Self.refusal("INVALID_OOB_CODE") }
      guard code.email == email else {
        throw Self.refusal("INVALID_EMAIL", "The email provided does not match the sign-in email address.")
      }
      return try using(code, in: database) {
        if let linked { try Self.checkIsFree(email, for: linked.localId, in: database) }
        let found = try linked ?? database.account(email: email)
        var account = found ?? Account(now: now)
        guard !account.disabled else { throw Self.refusal("USER_DISABLED") }
        // Whoever signed up with the address before had not shown to have it, and must not keep a way in.
        if linked == nil, found != nil, !account.emailVerified { account.dropUnprovenSignIns(now: now) }
        account.email = email
        account.emailVerified = true
        account.emailLinkSignin = true
        account.lastLoginAt = now.milliseconds
        let answer: [String: JSON] = [
          "kind": "identitytoolkit#EmailLinkSigninResponse", "localId": .string(account.localId),
          "email": .string(email), "isNewUser": .bool(found == nil),
        ]
        let tokens = try Self.tokens(
          for: account,
          provider: "password",
          projectID: projectID,
          now: now,
          in: database
        )
        return .object(answer.merging(tokens) { $1 })
      }
    }
    return try outcome.get()
  }

  /// A code that may still be used.
  private func usable(_ text: String, in database: isolated EmbeddedDatabase) throws -> AccountCode {
    guard let code = try database.code(text) else { throw Self.refusal("INVALID_OOB_CODE") }
    if let lifetime = settings().codeLifetime,
      .milliseconds(now().milliseconds - code.issued) > lifetime
    {
      throw Self.refusal("EXPIRED_OOB_CODE")
    }
    return code
  }

  /// The user whose address a code was sent to, if they still have it.
  private func owner(of code: AccountCode, in database: isolated EmbeddedDatabase) throws -> Account {
    guard let id = code.userID, let account = try database.account(id: id), account.email == code.email else {
      throw Self.refusal("INVALID_OOB_CODE")
    }
    guard !account.disabled else { throw Self.refusal("USER_DISABLED") }
    return account
  }
}

extension Account {
  /// Gives the user another address, which ends their sessions.
  mutating func move(to address: String, verified: Bool, now: Timestamp) {
    if address != email {
      if initialEmail == nil { initialEmail = email }
      email = address
      endSessions(now: now)
    }
    emailVerified = verified
  }

  /// Removes ways to sign in that somebody set up who had not shown to have the address, and ends their sessions.
  mutating func dropUnprovenSignIns(now: Timestamp) {
    passwordHash = nil
    emailLinkSignin = nil
    federated = []
    endSessions(now: now)
  }
}
