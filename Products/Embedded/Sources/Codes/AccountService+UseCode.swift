import TenonTransport
import TenonValues

extension AccountService {
  /// Handles `accounts:resetPassword`: returns the purpose of a code, or sets `newPassword`
  /// (https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/resetPassword).
  ///
  /// A password reset also verifies the address. It ends all sessions and removes the user's other identity
  /// providers, because they may have been added by someone who doesn't have the address.
  ///
  /// - Parameter call: the request, with `oobCode` and optionally `newPassword`.
  /// - Throws: ``Refusal`` with `MISSING_OOB_CODE`, `PASSWORD_LOGIN_DISABLED`, or the errors of
  ///   ``resetPassword(_:newPassword:)``.
  func resetPassword(_ call: AccountCall) async throws -> JSON {
    // The purpose of a code can be asked for even if passwords are disabled.
    guard settings().passwordSignIn || (call.text("newPassword") == nil && call.text("oobCode") != nil) else {
      throw Self.refusal("PASSWORD_LOGIN_DISABLED")
    }
    guard let text = call.text("oobCode"), !text.isEmpty else { throw Self.refusal("MISSING_OOB_CODE") }
    return try await resetPassword(text, newPassword: call.text("newPassword"))
  }

  /// Uses a code for a new password.
  ///
  /// - Parameters:
  ///   - text: the code.
  ///   - newPassword: the password; `nil` to check the code without using it.
  /// - Returns: `requestType`, `email` and `newEmail` of the code.
  /// - Throws: ``Refusal`` with `INVALID_OOB_CODE`, `EXPIRED_OOB_CODE`, `USER_DISABLED`, or an error of the
  ///   password.
  func resetPassword(_ text: String, newPassword: String?) async throws -> JSON {
    let code = try await database.read { [self] in try usable(text, in: $0) }
    if let password = newPassword {
      guard code.kind == .passwordReset else { throw Self.refusal("INVALID_OOB_CODE") }
      try checkNew(password: password)
      let hash = try await hasher.hash(password, work: passwordWork)
      let now = now()
      try await database.transaction { [self] database in
        _ = try usable(text, in: database)
        var account = try owner(of: code, in: database)
        account.setPassword(hash: hash, now: now)
        // They may be those of someone else, who signed up with this address without proving it.
        if !account.emailVerified { account.passkeyInfo = nil }
        account.emailVerified = true
        account.federated = []
        account.endSessions(now: now)
        try database.deleteCode(text)
        try database.save(account)
      }
    }
    return .members([
      "kind": "identitytoolkit#ResetPasswordResponse", "requestType": .string(code.kind.rawValue),
      "mfaInfo": try await factor(of: code)?.wire(hidesNumber: true),
      "email": code.kind == .emailSignIn ? nil : .string(code.email),
      "newEmail": code.newEmail.map(JSON.string),
    ])
  }

  /// Returns the second factor that a code removes; `nil` if there is none.
  private func factor(of code: AccountCode) async throws -> SecondFactor? {
    guard let userID = code.userID, let id = code.factorID else { return nil }
    return try await database.read { database in
      try database.account(id: userID)?.secondFactors.first { $0.mfaEnrollmentId == id }
    }
  }

  /// Handles `accounts:update` with `oobCode`: performs the action of a code, which can't be used again.
  ///
  /// - Throws: ``Refusal`` with `INVALID_OOB_CODE`, `EXPIRED_OOB_CODE`, `EMAIL_EXISTS` or `USER_DISABLED`.
  ///
  /// - Parameter text: the code.
  /// - Returns: the members of the changed user.
  func applyCode(_ text: String) async throws -> JSON {
    let now = now()
    let outcome: Result<JSON, Refusal> = try await database.transaction { [self] database in
      let code = try usable(text, in: database)
      guard AccountCode.Kind.applicable.contains(code.kind) else {
        throw Self.refusal("INVALID_OOB_CODE")
      }
      return try consuming(code, in: database) { try apply(code, now: now, in: database) }
    }
    return try outcome.get()
  }

  /// Deletes a code and performs its action. The code is deleted even if the action turns out to be
  /// impossible: the error is returned rather than thrown, so that the transaction is committed.
  ///
  /// - Parameters:
  ///   - code: the code.
  ///   - database: the database, inside a transaction.
  ///   - body: performs the action. It throws a ``Refusal`` only before it writes anything.
  /// - Returns: the response, or the error.
  private func consuming(
    _ code: AccountCode, in database: isolated EmbeddedDatabase, _ body: () throws -> JSON
  ) throws -> Result<JSON, Refusal> {
    try database.deleteCode(code.code)
    do { return .success(try body()) } catch let refusal as Refusal { return .failure(refusal) }
  }

  /// Performs the action of a code that verifies, changes or restores an address, or removes a second factor.
  ///
  /// - Returns: the members of the changed user.
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
      try Self.checkIsAvailable(email, for: account.localId, in: database)
      account.changeEmail(to: email, verified: true, now: now)
    case .revertSecondFactorAddition:
      account = try owner(of: code, in: database)
      let remaining = account.secondFactors.filter { $0.mfaEnrollmentId != code.factorID }
      guard remaining.count < account.secondFactors.count else { throw Self.refusal("INVALID_OOB_CODE") }
      account.secondFactors = remaining
      // The person who enrolled the factor may still be signed in.
      account.endSessions(now: now)
    default:
      guard let id = code.userID, let found = try database.account(id: id) else {
        throw Self.refusal("INVALID_OOB_CODE")
      }
      account = found
      try Self.checkIsAvailable(code.email, for: id, in: database)
      account.changeEmail(to: code.email, verified: true, now: now)
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

  /// Handles `accounts:signInWithEmailLink`: signs in the user of an address with a code that was sent to it.
  ///
  /// If `idToken` is given, the address becomes that of its user. Otherwise a user is created if the address
  /// has no account.
  ///
  /// - Parameter call: the request, with `email`, `oobCode` and optionally `idToken`.
  /// - Returns: `localId`, `email` and `isNewUser`, and the tokens of a new session.
  /// - Throws: ``Refusal`` with `INVALID_OOB_CODE`, `EXPIRED_OOB_CODE`, `INVALID_EMAIL` if the code was sent
  ///   to another address, `EMAIL_EXISTS`, `USER_DISABLED` or `OPERATION_NOT_ALLOWED`.
  func signInWithEmailLink(_ call: AccountCall) async throws -> JSON {
    guard settings().emailLinkSignIn else { throw Self.refusal("OPERATION_NOT_ALLOWED") }
    let token = try call.text("idToken").map(idToken)
    let projectID = projectID
    let now = now()
    let outcome: Result<JSON, Refusal> = try await signingIn { [self] database, decisions in
      let linked = try token.map { try Self.owner(of: $0, projectID: projectID, in: database) }
      let email = try Self.requiredEmail(call)
      guard let text = call.text("oobCode"), !text.isEmpty else { throw Self.refusal("MISSING_OOB_CODE") }
      let code = try usable(text, in: database)
      guard code.kind == .emailSignIn else { throw Self.refusal("INVALID_OOB_CODE") }
      guard code.email == email else {
        throw Self.refusal("INVALID_EMAIL", "The email provided does not match the sign-in email address.")
      }
      return try consuming(code, in: database) {
        if let linked { try Self.checkIsAvailable(email, for: linked.localId, in: database) }
        let found = try linked ?? database.account(email: email)
        var account = found ?? Account(id: decisions.newUserID, now: now)
        guard !account.disabled else { throw Self.refusal("USER_DISABLED") }
        // Someone who signed up with the address without verifying it must not keep access to the account.
        if linked == nil, found != nil, !account.emailVerified { account.removeUnverifiedSignIns(now: now) }
        account.email = email
        account.emailVerified = true
        account.emailLinkSignin = true
        let answer: [String: JSON] = [
          "kind": "identitytoolkit#EmailLinkSigninResponse", "localId": .string(account.localId),
          "email": .string(email), "isNewUser": .bool(found == nil),
        ]
        let signIn = BlockedSignIn(
          provider: "password", method: "emailLink", isNew: found == nil, locale: call.locale)
        let begun =
          try token.map { try resume(account, signIn, decisions, of: $0, now: now, in: database) }
          ?? begin(account, signIn, decisions, now: now, in: database)
        return .object(answer.merging(begun) { $1 })
      }
    }
    return try outcome.get()
  }

  /// Returns a code that exists and hasn't expired.
  ///
  /// - Throws: ``Refusal`` with `INVALID_OOB_CODE` or `EXPIRED_OOB_CODE`.
  ///
  /// - Parameters:
  ///   - text: the code.
  ///   - database: the database, inside a transaction.
  private func usable(_ text: String, in database: isolated EmbeddedDatabase) throws -> AccountCode {
    guard let code = try database.code(text) else { throw Self.refusal("INVALID_OOB_CODE") }
    if let lifetime = settings().codeLifetime,
      code.age(at: now()) > lifetime
    {
      throw Self.refusal("EXPIRED_OOB_CODE")
    }
    return code
  }

  /// Returns the user of a code, if the code was sent to the user's present address.
  ///
  /// - Throws: ``Refusal`` with `INVALID_OOB_CODE` or `USER_DISABLED`.
  private func owner(of code: AccountCode, in database: isolated EmbeddedDatabase) throws -> Account {
    guard let id = code.userID, let account = try database.account(id: id), account.email == code.email else {
      throw Self.refusal("INVALID_OOB_CODE")
    }
    guard !account.disabled else { throw Self.refusal("USER_DISABLED") }
    return account
  }
}

extension Account {
  /// Changes the user's address, which ends their sessions.
  ///
  /// - Parameters:
  ///   - address: the new address, in its canonical form.
  ///   - verified: whether the user proved to have the address.
  ///   - now: the current time.
  mutating func changeEmail(to address: String, verified: Bool, now: Timestamp) {
    if address != email {
      if initialEmail == nil { initialEmail = email }
      email = address
      endSessions(now: now)
    }
    emailVerified = verified
  }

  /// Removes the sign-in methods that were set up by someone who hadn't verified the address, and ends all
  /// sessions.
  mutating func removeUnverifiedSignIns(now: Timestamp) {
    passwordHash = nil
    emailLinkSignin = nil
    federated = []
    passkeyInfo = nil
    endSessions(now: now)
  }
}
