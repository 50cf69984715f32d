import TenonTransport

extension AccountService {
  /// Handles `accounts:signUp`
  /// (https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signUp).
  ///
  /// Without members, creates an anonymous user. With `email` and `password`, creates a user with a password, and
  /// as for the Auth emulator with the phone numbers of `mfaInfo` as second factors;
  /// if `idToken` is given as well, sets address and password of its user, who keeps the user ID. Requests of
  /// administrators without `idToken` are handled by ``create(_:)``.
  ///
  /// - Parameter call: the request, with the members `email`, `password`, `displayName` and `idToken`.
  /// - Returns: `localId`, `email` and `displayName` of the user, and the tokens of a new session.
  /// - Throws: ``Refusal`` with `MISSING_EMAIL`, `INVALID_EMAIL`, `MISSING_PASSWORD`, `WEAK_PASSWORD`,
  ///   `EMAIL_EXISTS`, `OPERATION_NOT_ALLOWED` if passwords are disabled, `ADMIN_ONLY_OPERATION` if anonymous
  ///   users are, or the errors of ``owner(of:projectID:in:)``.
  func signUp(_ call: AccountCall) async throws -> JSON {
    if call.isPrivileged, call.body["idToken"] == nil { return try await create(call) }
    if call.text("localId") != nil { throw Self.refusal("UNEXPECTED_PARAMETER", "User ID") }
    if call.text("phoneNumber")?.isEmpty == false {
      throw Self.refusal("UNEXPECTED_PARAMETER", "Phone number")
    }
    let factors = call.body["mfaInfo"]?.array ?? []
    // Only a new user can begin with phone numbers; an authenticator app shares its secret when it is enrolled.
    guard factors.isEmpty || (call.body["email"] != nil && call.body["idToken"] == nil),
      factors.allSatisfy({ $0["totpInfo"] == nil })
    else {
      throw Self.refusal("UNEXPECTED_PARAMETER", "Second factors")
    }
    let names = ["email", "password", "idToken"].filter { call.body[$0] != nil }
    guard !names.isEmpty else { return try await signUpAnonymously() }
    // A request whose members are all empty doesn't create an anonymous user either.
    guard names.contains(where: { call.text($0) != "" }) else {
      throw Self.refusal(call.body["email"] == nil ? "MISSING_EMAIL" : "INVALID_EMAIL")
    }
    guard let givenEmail = call.text("email"), !givenEmail.isEmpty else {
      throw Self.refusal("MISSING_EMAIL")
    }
    guard let password = call.text("password"), !password.isEmpty else {
      throw Self.refusal("MISSING_PASSWORD")
    }
    guard settings().passwordSignIn else { throw Self.refusal("OPERATION_NOT_ALLOWED") }
    let email = try Self.checkedEmail(givenEmail)
    let token = try call.text("idToken").map(idToken)
    let projectID = projectID
    let owner = try await database.read { database in
      let owner = try token.map { try Self.owner(of: $0, projectID: projectID, in: database) }
      try Self.checkIsAvailable(email, for: owner?.localId, in: database)
      return owner?.localId
    }
    try checkNew(password: password)
    let hash = try await hasher.hash(password, work: passwordWork)
    let now = now()
    let displayName = call.text("displayName")
    let secondFactors = try SecondFactor.list(factors, generatesIDs: true, now: now)
    return try await signingIn { [self] database, decisions in
      try Self.checkIsAvailable(email, for: owner, in: database)
      var account =
        try token.map { try Self.owner(of: $0, projectID: projectID, in: database) }
        ?? Account(id: decisions.newUserID, now: now)
      if account.email != email { account.emailVerified = false }
      account.email = email
      account.setPassword(hash: hash, now: now)
      if let displayName { account.displayName = displayName }
      if token != nil { account.endSessions(now: now) } else { account.secondFactors = secondFactors }
      account.lastLoginAt = now.millisecondsSince1970
      if token == nil {
        account.tenantId = tenantID
        account = try decided(
          account, BlockedSignIn(provider: "password", method: "password", isNew: true, locale: call.locale),
          decisions)
      }
      var answer: [String: JSON] = [
        "kind": "identitytoolkit#SignupNewUserResponse", "localId": .string(account.localId),
        "email": .string(email),
      ]
      answer["displayName"] = account.displayName.map(JSON.string)
      // A new user's second factors aren't demanded before the next sign-in.
      let tokens = try Self.tokens(
        for: account,
        provider: "password",
        claims: token == nil ? decisions.sessionClaims : [:],
        secondFactor: token?.secondFactor,
        projectID: projectID,
        now: now,
        in: database
      )
      return .object(answer.merging(tokens) { $1 })
    }
  }

  /// Creates an anonymous user.
  private func signUpAnonymously() async throws -> JSON {
    guard settings().anonymousSignIn else { throw Self.refusal("ADMIN_ONLY_OPERATION") }
    let now = now()
    let projectID = projectID
    return try await database.transaction { database in
      let account = Account(now: now)
      let tokens = try Self.tokens(
        for: account,
        provider: "anonymous",
        projectID: projectID,
        now: now,
        in: database
      )
      let answer: [String: JSON] = [
        "kind": "identitytoolkit#SignupNewUserResponse", "localId": .string(account.localId),
      ]
      return .object(answer.merging(tokens) { $1 })
    }
  }

  /// Handles `accounts:signInWithPassword`
  /// (https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithPassword).
  ///
  /// With ``EmbeddedSettings/emailPrivacy``, neither the error nor the time that the method takes reveals
  /// whether the address has an account or the account has a password.
  ///
  /// - Parameter call: the request, with the members `email` and `password`.
  /// - Returns: `localId`, `email` and `displayName` of the user, and what
  ///   ``begin(_:_:_:now:in:)`` returns.
  /// - Throws: ``Refusal`` with `EMAIL_NOT_FOUND` or `INVALID_PASSWORD`, in place of both
  ///   `INVALID_LOGIN_CREDENTIALS` with email privacy; `USER_DISABLED`, `PASSWORD_LOGIN_DISABLED`, or an
  ///   error of the members.
  func signInWithPassword(_ call: AccountCall) async throws -> JSON {
    guard settings().passwordSignIn else { throw Self.refusal("PASSWORD_LOGIN_DISABLED") }
    guard let givenEmail = call.text("email") else { throw Self.refusal("MISSING_EMAIL") }
    let email = try Self.checkedEmail(givenEmail)
    guard let password = call.text("password"), !password.isEmpty else {
      throw Self.refusal("MISSING_PASSWORD")
    }
    let isPrivate = settings().emailPrivacy
    let unknown = Self.refusal(isPrivate ? "INVALID_LOGIN_CREDENTIALS" : "EMAIL_NOT_FOUND")
    let wrong = Self.refusal(isPrivate ? "INVALID_LOGIN_CREDENTIALS" : "INVALID_PASSWORD")
    let account = try await database.account(email: email)
    // With privacy, a hash is computed in every case, so that the time doesn't reveal what the error
    // conceals.
    guard let found = account else {
      if isPrivate { _ = try await hasher.verify(password, against: nil, work: passwordWork) }
      throw unknown
    }
    guard !found.disabled else { throw Self.refusal("USER_DISABLED") }
    guard isPrivate || found.passwordHash != nil,
      try await hasher.verify(password, against: found.passwordHash, work: passwordWork),
      let hash = found.passwordHash
    else { throw wrong }
    try checkSignIn(password: password)
    // As in production, a hash of another system is replaced once the password is known.
    let newHash = ForeignHash.isText(hash) ? try await hasher.hash(password, work: passwordWork) : hash
    let now = now()
    return try await signingIn { [self] database, decisions in
      // The account may have changed while the password was verified.
      guard var account = try database.account(id: found.localId) else { throw unknown }
      guard !account.disabled else { throw Self.refusal("USER_DISABLED") }
      guard account.passwordHash == hash, account.email == email else { throw wrong }
      account.passwordHash = newHash
      let signIn = BlockedSignIn(provider: "password", method: "password", locale: call.locale)
      var answer = try begin(account, signIn, decisions, now: now, in: database)
      answer["kind"] = "identitytoolkit#VerifyPasswordResponse"
      answer["registered"] = true
      answer["localId"] = .string(account.localId)
      answer["email"] = .string(email)
      answer["displayName"] = account.displayName.map(JSON.string)
      return .object(answer)
    }
  }

  /// The number of every project, which the Auth emulator has, too.
  private static let projectNumber = "12345"

  /// Handles `v1/token` of Secure Token: issues an ID token for a refresh token, which remains valid
  /// (https://firebase.google.com/docs/reference/rest/auth#section-refresh-token).
  ///
  /// - Parameter call: the request, with the members `grant_type` (`refresh_token`) and `refresh_token`.
  /// - Returns: the tokens, with names in snake case.
  /// - Throws: ``Refusal`` with `INVALID_REFRESH_TOKEN`, `USER_NOT_FOUND`, `USER_DISABLED`, `TOKEN_EXPIRED`
  ///   if the user's sessions were ended, or an error of the members.
  func refresh(_ call: AccountCall) async throws -> JSON {
    guard let grant = call.text("grantType"), !grant.isEmpty else { throw Self.refusal("MISSING_GRANT_TYPE") }
    guard grant == "refresh_token" else { throw Self.refusal("INVALID_GRANT_TYPE") }
    guard let refreshToken = call.text("refreshToken"), !refreshToken.isEmpty else {
      throw Self.refusal("MISSING_REFRESH_TOKEN")
    }
    let now = now()
    let projectID = projectID
    return try await database.transaction { database in
      guard let session = try database.session(refreshToken) else {
        throw Self.refusal("INVALID_REFRESH_TOKEN")
      }
      guard var account = try database.account(id: session.userID) else {
        throw Self.refusal("USER_NOT_FOUND")
      }
      guard !account.disabled else { throw Self.refusal("USER_DISABLED") }
      guard session.epoch == account.epoch else { throw Self.refusal("TOKEN_EXPIRED") }
      account.lastRefreshAt = now.millisecondsSince1970
      try database.save(account)
      let token = try IDToken(
        account: account,
        provider: session.provider,
        extraClaims: session.claims,
        secondFactor: session.secondFactor,
        tenantID: database.tenantID,
        projectID: projectID,
        now: now
      )
      return .members([
        "access_token": .string(try token.text), "id_token": .string(try token.text),
        "refresh_token": .string(refreshToken), "expires_in": .string(String(IDToken.lifetime)),
        "token_type": "Bearer", "user_id": .string(account.localId),
        "project_id": .string(Self.projectNumber),
      ])
    }
  }
}
