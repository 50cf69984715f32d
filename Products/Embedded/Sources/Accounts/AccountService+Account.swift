import TenonTransport

extension AccountService {
  /// Handles `accounts:lookup`: returns the user of `idToken`, or for administrators the users with the given
  /// IDs, addresses and identities.
  ///
  /// - Parameter call: the request, with `idToken`, or for administrators `localId`, `email` and
  ///   `federatedUserId`.
  /// - Returns: `users`, each once. The member is absent if there are none.
  /// - Throws: ``Refusal`` with `MISSING_ID_TOKEN`, or the errors of ``owner(of:projectID:in:)``.
  func lookup(_ call: AccountCall) async throws -> JSON {
    let projectID = projectID
    let users: [Account]
    if call.isPrivileged, call.body["idToken"] == nil {
      let ids = call.texts("localId")
      let emails = call.texts("email").map(EmailAddress.canonical)
      let numbers = call.texts("phoneNumber")
      let identities = (call.body["federatedUserId"]?.array ?? []).compactMap { identity in
        identity["providerId"]?.text.flatMap { id in identity["rawId"]?.text.map { (provider: id, rawID: $0) }
        }
      }
      users = try await database.read { database in
        let found =
          try ids.compactMap { try database.account(id: $0) }
          + emails.compactMap { try database.account(email: $0) }
          + numbers.compactMap { try database.account(provider: AccountProvider.phone, rawID: $0) }
          + identities.compactMap { try database.account(provider: $0.provider, rawID: $0.rawID) }
        var seen: Set<String> = []
        return found.filter { seen.insert($0.localId).inserted }
      }
    } else {
      guard let text = call.text("idToken") else { throw Self.refusal("MISSING_ID_TOKEN") }
      let token = try idToken(text)
      users = try await database.read { [try Self.owner(of: token, projectID: projectID, in: $0)] }
    }
    return .members([
      "kind": "identitytoolkit#GetAccountInfoResponse",
      "users": users.isEmpty ? nil : .array(users.map(\.wire)),
    ])
  }

  /// Handles `accounts:delete`: deletes the user of `idToken`, or for administrators the user of `localId`.
  ///
  /// - Parameter call: the request, with `idToken`, or for administrators `localId`.
  /// - Throws: ``Refusal`` with `MISSING_ID_TOKEN`, `MISSING_LOCAL_ID`, `USER_NOT_FOUND`, or an error of the
  ///   ID token.
  func delete(_ call: AccountCall) async throws -> JSON {
    let projectID = projectID
    if call.isPrivileged {
      let id = try Self.requiredID(call)
      try await database.transaction { database in
        guard try database.account(id: id) != nil else { throw Self.refusal("USER_NOT_FOUND") }
        try database.deleteAccount(id: id)
      }
    } else {
      guard let token = try call.text("idToken").map(idToken) else {
        throw Self.refusal("MISSING_ID_TOKEN")
      }
      try await database.transaction { database in
        try database.deleteAccount(id: Self.owner(of: token, projectID: projectID, in: database).localId)
      }
    }
    return ["kind": "identitytoolkit#DeleteAccountResponse"]
  }

  /// Returns the ID of the user that an administrator's request names.
  ///
  /// - Throws: ``Refusal`` with `MISSING_LOCAL_ID`.
  private static func requiredID(_ call: AccountCall) throws -> String {
    guard let id = call.text("localId"), !id.isEmpty else { throw refusal("MISSING_LOCAL_ID") }
    return id
  }

  /// Handles `accounts:update`: changes the profile, address or password of the user of `idToken`, or for
  /// administrators of the user of `localId`. With `oobCode`, performs the action of a code instead.
  ///
  /// A user whose sessions end by the change receives new tokens. If a user changes the address, a code is
  /// created that can undo the change.
  ///
  /// - Parameter call: the request, with the members of ``AccountChange``.
  /// - Returns: the changed members of the user, and new tokens if the sessions ended.
  /// - Throws: ``Refusal`` with `INVALID_REQ_TYPE` without a user, `EMAIL_EXISTS`,
  ///   `FEDERATED_USER_ID_ALREADY_LINKED`, `INSUFFICIENT_PERMISSION` or `OPERATION_NOT_ALLOWED` for changes
  ///   that only administrators may make, an error of a member or of the ID token.
  func update(_ call: AccountCall) async throws -> JSON {
    let id = call.isPrivileged ? try Self.requiredID(call) : nil
    if let code = call.text("oobCode") { return try await applyCode(code) }
    let token = try call.text("idToken").map(idToken)
    guard token != nil || call.isPrivileged else {
      throw Self.refusal("INVALID_REQ_TYPE", "Unsupported request parameters.")
    }
    if call.body["customAttributes"] != nil, !call.isPrivileged {
      throw Self.refusal("INSUFFICIENT_PERMISSION")
    }
    if call.body["disableUser"] != nil, token != nil { throw Self.refusal("OPERATION_NOT_ALLOWED") }
    var change = try AccountChange(call)
    let projectID = projectID
    let find = { @Sendable (database: isolated EmbeddedDatabase) throws -> Account in
      if let token { return try Self.owner(of: token, projectID: projectID, in: database) }
      guard let id else { throw Self.refusal("MISSING_LOCAL_ID") }
      guard let account = try database.account(id: id) else { throw Self.refusal("USER_NOT_FOUND") }
      return account
    }
    if let password = change.password {
      let email = change.email
      try await database.read { database in
        let account = try find(database)
        if let email { try Self.checkIsAvailable(email, for: account.localId, in: database) }
      }
      if call.isPrivileged { try Self.check(password: password) } else { try checkNew(password: password) }
      change.passwordHash = try await hasher.hash(password, work: passwordWork)
    }
    let decided = change
    let now = now()
    let (answer, code): (JSON, AccountCode?) = try await database.transaction { database in
      var account = try find(database)
      if let email = decided.email { try Self.checkIsAvailable(email, for: account.localId, in: database) }
      if let provider = decided.linkedProvider,
        let other = try database.account(provider: provider.providerId, rawID: provider.rawId),
        other.localId != account.localId
      {
        throw Self.refusal("FEDERATED_USER_ID_ALREADY_LINKED")
      }
      if let number = decided.phoneNumber, !number.isEmpty {
        try Self.checkIsAvailable(phoneNumber: number, for: account.localId, in: database)
      }
      let epoch = account.epoch
      let oldEmail = account.email
      try decided.apply(to: &account, now: now)
      try database.save(account)
      var code: AccountCode?
      if let token, token.provider != "anonymous", let oldEmail, account.email != nil,
        account.email != oldEmail
      {
        let recovery = try AccountCode(
          .recoverEmail, email: oldEmail, newEmail: account.email, userID: account.localId,
          tenantID: database.tenantID, origin: call.origin, now: now)
        try database.insert(recovery)
        code = recovery
      }
      var answer = decided.answer(for: account)
      let provider = decided.passwordHash != nil ? "password" : token?.provider
      if account.epoch != epoch, token != nil, let provider {
        let tokens = try Self.tokens(
          for: account,
          provider: provider,
          secondFactor: token?.secondFactor,
          projectID: projectID,
          now: now,
          in: database
        )
        answer.merge(tokens) { $1 }
      }
      return (.object(answer), code)
    }
    if let code { recipients.receive(code) }
    return answer
  }
}
