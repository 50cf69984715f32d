import TenonFoundation
import TenonTransport
import TenonValues

/// The second step of a sign-in
/// (https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaSignIn).
extension AccountService {
  /// Handles `accounts/mfaSignIn:start`: creates a code for the phone number of a second factor, which isn't
  /// sent. An authenticator app needs no such step.
  ///
  /// - Parameter call: the request, with `mfaPendingCredential` and `mfaEnrollmentId`.
  /// - Returns: `phoneResponseInfo`.
  /// - Throws: ``Refusal`` with `OPERATION_NOT_ALLOWED`, `MISSING_MFA_PENDING_CREDENTIAL`,
  ///   `MISSING_MFA_ENROLLMENT_ID`, `MFA_ENROLLMENT_NOT_FOUND`, `INVALID_ARGUMENT`, or the errors of
  ///   ``waiting(_:)``.
  func startSecondFactor(_ call: AccountCall) async throws -> JSON {
    try check(.phone)
    guard let credential = call.text("mfaPendingCredential"), !credential.isEmpty else {
      throw Self.refusal(
        "MISSING_MFA_PENDING_CREDENTIAL", "Request does not have MFA pending credential.")
    }
    guard let id = call.text("mfaEnrollmentId"), !id.isEmpty else {
      throw Self.refusal("MISSING_MFA_ENROLLMENT_ID", "No second factor identifier is provided.")
    }
    let now = now()
    let signIn = try waiting(credential, now: now)
    let account = try await database.read { try Self.account(of: signIn, in: $0) }
    guard let factor = account.secondFactors.first(where: { $0.mfaEnrollmentId == id }) else {
      throw Self.refusal("MFA_ENROLLMENT_NOT_FOUND")
    }
    guard let number = factor.phoneInfo else {
      throw Self.refusal("INVALID_ARGUMENT", "MFA provider not supported!")
    }
    return ["phoneResponseInfo": ["sessionInfo": .string(newCode(for: number, now: now).sessionInfo)]]
  }

  /// Handles `accounts/mfaSignIn:finalize`: begins a session if the code of a second factor is right. A code of
  /// an authenticator app that was accepted isn't accepted again, also after a restart.
  ///
  /// - Parameter call: the request, with `mfaPendingCredential`, and `phoneVerificationInfo`, or
  ///   `mfaEnrollmentId` and `totpVerificationInfo`.
  /// - Returns: the tokens of the session.
  /// - Throws: ``Refusal`` with `MISSING_CREDENTIAL`, `INVALID_ARGUMENT`, `OPERATION_NOT_ALLOWED`,
  ///   `MISSING_MFA_ENROLLMENT_ID`, `MFA_ENROLLMENT_NOT_FOUND`, `MISSING_CODE`, `INVALID_CODE`,
  ///   `TOO_MANY_ATTEMPTS_TRY_LATER`, the errors of a phone number's code and those of ``waiting(_:now:)``.
  func finalizeSecondFactor(_ call: AccountCall) async throws -> JSON {
    try checkAnyFactor()
    guard let credential = call.text("mfaPendingCredential"), !credential.isEmpty else {
      throw Self.refusal("MISSING_CREDENTIAL", "Please set MFA Pending Credential.")
    }
    let request = try ProofRequest(call, phone: "phoneVerificationInfo", totp: "totpVerificationInfo")
    try check(request.kind)
    let (now, projectID) = (now(), projectID)
    let signIn = try waiting(credential, now: now)
    let code: PhoneCode?
    let id: String?
    switch request.kind {
    case .phone: (code, id) = (try takenCode(request), nil)
    case .totp:
      code = nil
      guard let given = call.text("mfaEnrollmentId"), !given.isEmpty else {
        throw Self.refusal("MISSING_MFA_ENROLLMENT_ID", "No second factor identifier is provided.")
      }
      guard request["verificationCode"]?.isEmpty == false else { throw Self.refusal("MISSING_CODE") }
      id = given
    }
    let number = code?.phoneNumber
    let tokens: [String: JSON] = try await restoring(code) {
      try await signingIn { [self] database, decisions in
        var account = try Self.account(of: signIn, in: database)
        guard
          let index = account.secondFactors.firstIndex(where: { factor in
            factor.kind == request.kind
              && (number.map { $0 == factor.phoneInfo } ?? (factor.mfaEnrollmentId == id))
          })
        else { throw Self.refusal("MFA_ENROLLMENT_NOT_FOUND") }
        var factor = account.secondFactors[index]
        if let secret = factor.sharedSecretKey.flatMap(OneTimePassword.init(sharedSecretKey:)) {
          factor.lastStep = try checkedStep(
            of: request["verificationCode"] ?? "", secret, user: signIn.user, after: factor.lastStep,
            now: now)
          account.secondFactors[index] = factor
        }
        account = try decided(account, signIn.first, decisions)
        guard pendingFactors.take(signIn) else { throw Self.refusal("INVALID_MFA_PENDING_CREDENTIAL") }
        account.lastLoginAt = now.millisecondsSince1970
        do {
          return try Self.tokens(
            for: account, provider: signIn.first.provider,
            claims: Self.sessionClaims(signIn.first, decisions),
            secondFactor: ProvenFactor(factor), projectID: projectID, now: now, in: database)
        } catch {
          pendingFactors.insert(signIn)
          throw error
        }
      }
    }
    pendingFactors.forgetFailures(of: signIn.user)
    return Self.answer(with: tokens, proving: request.kind)
  }

  /// Returns the sign-in that waits for a second factor.
  ///
  /// - Throws: ``Refusal`` with `INVALID_MFA_PENDING_CREDENTIAL`.
  private func waiting(_ credential: String, now: Timestamp) throws -> PendingFactors.SignIn {
    guard let signIn = pendingFactors.signIn(credential, now: now), signIn.user.tenantID == tenantID else {
      throw Self.refusal("INVALID_MFA_PENDING_CREDENTIAL")
    }
    return signIn
  }

  /// Returns the account of a sign-in that waits for a second factor.
  ///
  /// - Throws: ``Refusal`` with `INVALID_MFA_PENDING_CREDENTIAL` if the user's sessions were ended since, with
  ///   `USER_NOT_FOUND` or `USER_DISABLED`.
  private static func account(
    of signIn: PendingFactors.SignIn, in database: isolated EmbeddedDatabase
  ) throws -> Account {
    guard let account = try database.account(id: signIn.user.userID) else { throw refusal("USER_NOT_FOUND") }
    guard account.epoch == signIn.epoch else { throw refusal("INVALID_MFA_PENDING_CREDENTIAL") }
    guard !account.disabled else { throw refusal("USER_DISABLED") }
    return account
  }
}
