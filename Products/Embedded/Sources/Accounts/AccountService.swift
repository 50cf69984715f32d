import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop
import TenonValues

/// The accounts of a project, or of one of its tenants: the methods of Identity Toolkit and Secure Token, with the checks and error
/// codes of the Auth emulator.
///
/// Each method is an extension in a separate file. It receives an ``AccountCall`` and returns the members
/// of the response, or throws a ``Refusal`` with Identity Toolkit's error code.
struct AccountService: Sendable {
  /// The ID of the project.
  let projectID: String
  /// The accounts, sessions and codes of the project or tenant.
  var database: AccountDatabase
  /// Hashes and verifies passwords.
  let hasher: PasswordHasher
  /// Returns the settings of the backend, with those of the tenant.
  var settings: @Sendable () -> EmbeddedSettings
  /// Changes the settings of the backend in one step.
  let changeSettings: @Sendable (@Sendable (inout EmbeddedSettings) -> Void) -> Void
  /// The functions that are asked before users are created and sign in.
  let blocking: BlockingFunctions
  /// Returns the current time.
  let now: @Sendable () -> Timestamp
  /// What the app does with the codes that Firebase would send.
  let recipients = CodeRecipients()
  /// The codes of phone numbers.
  let verifications = PhoneVerifications()
  /// The sign-ins that wait for a second factor.
  let pendingFactors = PendingFactors()
  /// The challenges of passkeys.
  let challenges = PasskeyChallenges()
  /// The accounts of other projects.
  let others = AccountProjects()

  /// The tenant; `nil` for the project itself.
  var tenantID: String? { database.tenantID }

  /// How much work new hashes of passwords take.
  var passwordWork: PasswordHasher.Work { settings().fastPasswordHashing ? .least : .standard }

  /// Responds to a request to Identity Toolkit or Secure Token.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - route: the request's service and path.
  ///   - caller: the caller. Users aren't determined by `Authorization`, but by ID tokens in the bodies.
  /// - Returns: the response with status 200.
  /// - Throws: ``Refusal`` for every error of the request.
  func answer(_ request: TransportRequest, route: Route, by caller: Caller) async throws -> TransportResponse
  {
    let call = try AccountCall(request, route: route, by: caller)
    try checkPasswordWork(call)
    let project = try service(ofProject: call.projectID)
    let answer =
      call.method.isAboutTenants
      ? try await project.manageTenants(call) : try await project.service(for: call).answer(call)
    return try TransportResponse(status: 200, json: answer)
  }

  /// Responds to a request that is for the users of this service.
  private func answer(_ call: AccountCall) async throws -> JSON {
    switch call.method {
    case .signUp: try await signUp(call)
    case .signInWithPassword: try await signInWithPassword(call)
    case .lookup: try await lookup(call)
    case .update: try await update(call)
    case .delete: try await delete(call)
    case .createAuthUri: try await signInMethods(call)
    case .sendOobCode: try await sendCode(call)
    case .resetPassword: try await resetPassword(call)
    case .signInWithEmailLink: try await signInWithEmailLink(call)
    case .signInWithCustomToken: try await signInWithCustomToken(call)
    case .signInWithIdp: try await signInWithProvider(call)
    case .sendVerificationCode: try await sendVerificationCode(call)
    case .signInWithPhoneNumber: try await signInWithPhoneNumber(call)
    case .startEnrollment: try await startEnrollment(call)
    case .finalizeEnrollment: try await finalizeEnrollment(call)
    case .withdrawEnrollment: try await withdrawEnrollment(call)
    case .startSecondFactor: try await startSecondFactor(call)
    case .finalizeSecondFactor: try await finalizeSecondFactor(call)
    case .startPasskeyEnrollment: try await startPasskeyEnrollment(call)
    case .finalizePasskeyEnrollment: try await finalizePasskeyEnrollment(call)
    case .startPasskeySignIn: startPasskeySignIn()
    case .finalizePasskeySignIn: try await finalizePasskeySignIn(call)
    case .token: try await refresh(call)
    case .batchGet: try await list(call)
    case .batchCreate: try await importAccounts(call)
    case .batchDelete: try await deleteAccounts(call)
    case .query: try await query(call)
    case .createSessionCookie: try await sessionCookie(call)
    case .readConfiguration: ProjectConfiguration.wire(of: settings(), projectID: projectID)
    case .changeConfiguration: try changeConfiguration(call)
    case .projects: JSON.members(["projectId": .string(projectID), "authorizedDomains": ["localhost"]])
    case .recaptchaParams: Self.recaptcha
    case .passwordPolicy: settings().passwordPolicy.wire
    case .createTenant, .listTenants, .readTenant, .changeTenant, .deleteTenant:
      try await manageTenants(call)
    case .createProvider, .listProviders, .readProvider, .changeProvider, .deleteProvider:
      try await manageProviders(call)
    }
  }
}

/// The rules that several methods share.
extension AccountService {
  /// Checks that weak hashes stay on this machine.
  ///
  /// - Throws: ``Refusal`` if the hashes are weak, and the request came to a server by the name or address of
  ///   another machine.
  private func checkPasswordWork(_ call: AccountCall) throws {
    guard settings().fastPasswordHashing, let host = call.origin?.host(), !Self.isLoopback(host) else {
      return
    }
    throw Self.refusal(
      "OPERATION_NOT_ALLOWED",
      "EmbeddedSettings.fastPasswordHashing is for tests on this machine, and the server is reached as \(host)."
    )
  }

  /// Returns whether a host is this machine (RFC 6761, section 6.3).
  private static func isLoopback(_ host: String) -> Bool {
    let host = host.lowercased().trimmingPrefix("[")
    if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || host == "::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.first == "127" && parts.allSatisfy { UInt8(decimal: $0) != nil }
  }

  /// Creates an error of Identity Toolkit: status 400, and a message that consists of a code and an optional
  /// detail.
  ///
  /// - Parameters:
  ///   - code: the code, for example `EMAIL_EXISTS`.
  ///   - detail: a sentence that is appended to the code after ` : `.
  static func refusal(_ code: String, _ detail: String? = nil) -> Refusal {
    Refusal(400, detail.map { "\(code) : \($0)" } ?? code)
  }

  /// Returns an address in the form in which it is stored.
  ///
  /// - Throws: ``Refusal`` with `INVALID_EMAIL` if the text isn't an address.
  static func checkedEmail(_ text: String) throws -> String {
    guard let address = EmailAddress.checked(text) else { throw refusal("INVALID_EMAIL") }
    return address
  }

  /// Checks that a password can be set: at least 6 UTF-16 code units, and within the limits of the hash
  /// function.
  ///
  /// - Throws: ``Refusal`` with `MISSING_PASSWORD`, `WEAK_PASSWORD` or `PASSWORD_DOES_NOT_MEET_REQUIREMENTS`.
  static func check(password: String) throws {
    guard !password.isEmpty else { throw refusal("MISSING_PASSWORD") }
    guard password.utf16.count >= 6 else {
      throw refusal("WEAK_PASSWORD", "Password should be at least 6 characters")
    }
    guard PasswordHasher.accepts(password) else {
      throw refusal(
        "PASSWORD_DOES_NOT_MEET_REQUIREMENTS",
        "Passwords have at most \(PasswordHasher.longestPassword) bytes of UTF-8 and no NUL"
      )
    }
  }

  /// Checks that an address belongs to no account but the given one.
  ///
  /// - Parameters:
  ///   - email: the address in its canonical form.
  ///   - owner: the ID of the user who may have the address; `nil` for a new user.
  ///   - database: the database, inside a transaction.
  /// - Throws: ``Refusal`` with `EMAIL_EXISTS`.
  static func checkIsAvailable(
    _ email: String, for owner: String?, in database: isolated EmbeddedDatabase
  ) throws {
    if let other = try database.account(email: email), other.localId != owner {
      throw refusal("EMAIL_EXISTS")
    }
  }

  /// Returns the user of an ID token of ``idToken(_:)``.
  ///
  /// - Throws: ``Refusal`` with `USER_NOT_FOUND`, `USER_DISABLED`, or `TOKEN_EXPIRED` if
  ///   the user's sessions were ended after the token was issued.
  static func owner(
    of token: IDToken,
    projectID: String,
    in database: isolated EmbeddedDatabase
  ) throws -> Account {
    guard let id = token.userID else { throw refusal("INVALID_ID_TOKEN") }
    guard let account = try database.account(id: id) else { throw refusal("USER_NOT_FOUND") }
    guard token.issuedAt >= account.validSince else { throw refusal("TOKEN_EXPIRED") }
    guard !account.disabled else { throw refusal("USER_DISABLED") }
    return account
  }

  /// Returns the ID token of a request, which must be a valid one of the project. Whether its user still
  /// exists is checked by ``owner(of:projectID:in:)``.
  ///
  /// - Throws: ``Refusal`` with `INVALID_ID_TOKEN` or `TOKEN_EXPIRED`, or with `TENANT_ID_MISMATCH` if the user
  ///   belongs to another tenant.
  func idToken(_ text: String) throws -> IDToken {
    guard let token = IDToken(text) else { throw Self.refusal("INVALID_ID_TOKEN") }
    switch token.problem(projectID: projectID, now: now()) {
    case nil:
      guard token.tenantID == tenantID else { throw Self.refusal("TENANT_ID_MISMATCH") }
      return token
    case .invalid?: throw Self.refusal("INVALID_ID_TOKEN")
    case .expired?: throw Self.refusal("TOKEN_EXPIRED")
    }
  }
}
