import TenonFoundation
import TenonTransport
import TenonValues

/// Enrolling and removing second factors
/// (https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaEnrollment).
extension AccountService {
  /// Returns whether a sign-in as a user requires a second factor: the user has one of a kind that the project
  /// has enabled, or any if a tenant has second factors.
  func requiresSecondFactor(_ account: Account) -> Bool {
    settings().demandsSecondFactors.map { $0 && !account.secondFactors.isEmpty }
      ?? account.secondFactors.contains { isEnabled($0.kind) }
  }

  /// Handles `accounts/mfaEnrollment:start`: creates a code for a phone number, which isn't sent, or the secret
  /// of an authenticator app. The user gets the factor with ``finalizeEnrollment(_:)``.
  ///
  /// - Parameter call: the request, with `idToken` and `phoneEnrollmentInfo` or `totpEnrollmentInfo`.
  /// - Returns: `phoneSessionInfo` or `totpSessionInfo`.
  /// - Throws: ``Refusal`` with `OPERATION_NOT_ALLOWED`, `INVALID_PHONE_NUMBER`, `INVALID_ARGUMENT`, or the
  ///   errors of ``ownerOfFactors(_:in:)`` and ``check(_:canEnroll:)``.
  func startEnrollment(_ call: AccountCall) async throws -> JSON {
    try checkAnyFactor()
    let request = try ProofRequest(call, phone: "phoneEnrollmentInfo", totp: "totpEnrollmentInfo")
    try check(request.kind)
    let token = try requiredIDToken(call)
    let account = try await database.read { [self] database in try ownerOfFactors(token, in: database) }
    let now = now()
    switch request.kind {
    case .phone:
      let number = try Self.checkedPhoneNumber(request["phoneNumber"])
      try Self.check(account, canEnroll: number)
      let code = newCode(for: number, now: now)
      return ["phoneSessionInfo": ["sessionInfo": .string(code.sessionInfo)]]
    case .totp:
      try Self.check(account, canEnroll: nil)
      let enrollment = PendingFactors.Enrollment(
        sessionInfo: RandomText.secret(), user: key(of: account), password: OneTimePassword(),
        began: now.millisecondsSince1970)
      pendingFactors.insert(enrollment)
      let end = Timestamp(millisecondsSince1970: enrollment.began + PendingFactors.lifetime)
      return [
        "totpSessionInfo": [
          "sharedSecretKey": .string(enrollment.password.sharedSecretKey),
          "verificationCodeLength": .int(Int64(OneTimePassword.digits)), "hashingAlgorithm": "SHA1",
          "periodSec": .int(OneTimePassword.period), "sessionInfo": .string(enrollment.sessionInfo),
          "finalizeEnrollmentTime": .string(end.iso8601),
        ]
      ]
    }
  }

  /// Handles `accounts/mfaEnrollment:finalize`: gives the user a second factor, whose code proves that it is
  /// theirs. A code that can undo it is created for the user's address.
  ///
  /// - Parameter call: the request, with `idToken`, `phoneVerificationInfo` or `totpVerificationInfo`, and
  ///   optionally `displayName`.
  /// - Returns: the tokens of a session that the second factor has proved.
  /// - Throws: ``Refusal`` with `INVALID_CODE`, `INVALID_SESSION_INFO`, the errors of
  ///   ``startEnrollment(_:)``, and those of a phone number's code.
  func finalizeEnrollment(_ call: AccountCall) async throws -> JSON {
    try checkAnyFactor()
    let request = try ProofRequest(call, phone: "phoneVerificationInfo", totp: "totpVerificationInfo")
    try check(request.kind)
    let token = try requiredIDToken(call)
    let (now, projectID) = (now(), projectID)
    var factor = SecondFactor(
      mfaEnrollmentId: RandomText.userID(), displayName: call.text("displayName"),
      enrolledAt: now.millisecondsSince1970)
    let enrollment: PendingFactors.Enrollment?
    let code: PhoneCode?
    switch request.kind {
    case .phone:
      enrollment = nil
      code = try takenCode(request)
      factor.phoneInfo = code?.phoneNumber
    case .totp:
      code = nil
      let account = try await database.read { [self] database in try ownerOfFactors(token, in: database) }
      (enrollment, factor.lastStep) = try provenEnrollment(request, of: account, now: now)
      factor.sharedSecretKey = enrollment?.password.sharedSecretKey
    }
    let enrolled = factor
    let (tokens, revert): ([String: JSON], AccountCode?) = try await restoring(code) {
      try await database.transaction { [self] database in
        var account = try ownerOfFactors(token, in: database)
        try Self.check(account, canEnroll: enrolled.phoneInfo)
        if let enrollment, enrollment.user != key(of: account) {
          throw Self.refusal("INVALID_SESSION_INFO")
        }
        account.secondFactors.append(enrolled)
        let tokens = try Self.tokens(
          for: account, provider: token.provider ?? "", secondFactor: ProvenFactor(enrolled),
          projectID: projectID, now: now, in: database)
        let revert = try account.email.map { email in
          try AccountCode(
            .revertSecondFactorAddition, email: email, userID: account.localId,
            factorID: enrolled.mfaEnrollmentId, tenantID: tenantID, origin: call.origin, now: now)
        }
        if let revert { try database.insert(revert) }
        return (tokens, revert)
      }
    }
    if let enrollment { pendingFactors.remove(enrollment) }
    if let revert { recipients.receive(revert) }
    return Self.answer(with: tokens, proving: enrolled.kind)
  }

  /// Handles `accounts/mfaEnrollment:withdraw`: removes a second factor of the user.
  ///
  /// - Parameter call: the request, with `idToken` and `mfaEnrollmentId`.
  /// - Returns: the tokens of a new session.
  /// - Throws: ``Refusal`` with `MFA_ENROLLMENT_NOT_FOUND`, `MISSING_MFA_ENROLLMENT_ID`,
  ///   `OPERATION_NOT_ALLOWED` if the project has no second factors, or an error of the ID token.
  func withdrawEnrollment(_ call: AccountCall) async throws -> JSON {
    try checkAnyFactor()
    let token = try requiredIDToken(call)
    guard let id = call.text("mfaEnrollmentId"), !id.isEmpty else {
      throw Self.refusal("MISSING_MFA_ENROLLMENT_ID", "No second factor identifier is provided.")
    }
    let (now, projectID) = (now(), projectID)
    return try await database.transaction { database in
      var account = try Self.owner(of: token, projectID: projectID, in: database)
      let remaining = account.secondFactors.filter { $0.mfaEnrollmentId != id }
      guard remaining.count < account.secondFactors.count else {
        throw Self.refusal("MFA_ENROLLMENT_NOT_FOUND")
      }
      // As for the Auth emulator, the list remains, without elements.
      account.mfaInfo = remaining
      // The session keeps another factor with which it began.
      let proven = token.secondFactor.flatMap { $0.id == id ? nil : $0 }
      return .object(
        try Self.tokens(
          for: account, provider: token.provider ?? "", secondFactor: proven, projectID: projectID, now: now,
          in: database))
    }
  }
}

/// What enrollment and sign-in share.
extension AccountService {
  /// Returns whether the project has enabled a kind of second factors.
  private func isEnabled(_ kind: SecondFactor.Kind) -> Bool {
    switch kind {
    case .phone: settings().phoneSecondFactors
    case .totp: settings().totpSecondFactors
    }
  }

  /// Checks that the project has enabled a kind of second factors.
  ///
  /// - Throws: ``Refusal`` with `OPERATION_NOT_ALLOWED`.
  func check(_ kind: SecondFactor.Kind) throws {
    guard !isEnabled(kind) else { return }
    throw Self.refusal("OPERATION_NOT_ALLOWED", "\(kind == .phone ? "SMS" : "TOTP") based MFA not enabled.")
  }

  /// Checks that the project has enabled a kind of second factors.
  ///
  /// - Throws: ``Refusal`` with `OPERATION_NOT_ALLOWED`.
  func checkAnyFactor() throws { if !isEnabled(.totp) { try check(.phone) } }

  /// Returns a user of this service's project or tenant.
  func key(of account: Account) -> UserKey { UserKey(userID: account.localId, tenantID: tenantID) }

  /// Returns the ID token of a request.
  func requiredIDToken(_ call: AccountCall) throws -> IDToken {
    guard let text = call.text("idToken"), !text.isEmpty else { throw Self.refusal("MISSING_ID_TOKEN") }
    return try idToken(text)
  }

  /// The first factors with which no second one is possible, as for Firebase.
  private static let firstFactorsOnly: Set<String> = ["anonymous", "custom", "phone", "gc.apple.com"]

  /// Returns the user of an ID token, who may have second factors.
  ///
  /// - Throws: ``Refusal`` with `UNSUPPORTED_FIRST_FACTOR`, `UNVERIFIED_EMAIL`, or the errors of
  ///   ``owner(of:projectID:in:)``.
  private func ownerOfFactors(_ token: IDToken, in database: isolated EmbeddedDatabase) throws -> Account {
    let account = try Self.owner(of: token, projectID: projectID, in: database)
    guard let provider = token.provider, !Self.firstFactorsOnly.contains(provider) else {
      throw Self.refusal("UNSUPPORTED_FIRST_FACTOR", "MFA is not available for the given first factor.")
    }
    guard account.email != nil, account.emailVerified else {
      throw Self.refusal("UNVERIFIED_EMAIL", "Need to verify email first before enrolling second factors.")
    }
    return account
  }

  /// Checks that a user can get another second factor.
  ///
  /// - Parameters:
  ///   - account: the user's account.
  ///   - number: the phone number; `nil` for an authenticator app, of which a user has at most one.
  /// - Throws: ``Refusal`` with `SECOND_FACTOR_EXISTS` or `SECOND_FACTOR_LIMIT_EXCEEDED`.
  private static func check(_ account: Account, canEnroll number: String?) throws {
    guard !account.secondFactors.contains(where: { $0.phoneInfo == number }) else {
      throw refusal(
        "SECOND_FACTOR_EXISTS",
        number == nil
          ? "TOTP already enrolled as second factor for this account."
          : "Phone number already enrolled as second factor for this account.")
    }
    guard account.secondFactors.count < SecondFactor.most else {
      throw refusal("SECOND_FACTOR_LIMIT_EXCEEDED")
    }
  }

  /// Returns the enrollment of an authenticator app whose code the request has, and the step of the code.
  ///
  /// - Throws: ``Refusal`` with `MISSING_SESSION_INFO`, `MISSING_CODE`, `INVALID_SESSION_INFO`, `INVALID_CODE`
  ///   or `TOO_MANY_ATTEMPTS_TRY_LATER`.
  private func provenEnrollment(
    _ request: ProofRequest, of account: Account, now: Timestamp
  ) throws -> (PendingFactors.Enrollment, Int64) {
    guard let sessionInfo = request["sessionInfo"], !sessionInfo.isEmpty else {
      throw Self.refusal("MISSING_SESSION_INFO")
    }
    guard let code = request["verificationCode"], !code.isEmpty else { throw Self.refusal("MISSING_CODE") }
    guard let enrollment = pendingFactors.enrollment(sessionInfo, now: now),
      enrollment.user == key(of: account)
    else { throw Self.refusal("INVALID_SESSION_INFO") }
    let step = try checkedStep(of: code, enrollment.password, user: enrollment.user, after: nil, now: now)
    return (enrollment, step)
  }

  /// Returns the step of the code of an authenticator app.
  ///
  /// - Throws: ``Refusal`` with `INVALID_CODE`, or `TOO_MANY_ATTEMPTS_TRY_LATER` after too many wrong codes.
  func checkedStep(
    of code: String, _ password: OneTimePassword, user: UserKey, after last: Int64?, now: Timestamp
  ) throws -> Int64 {
    guard !pendingFactors.isExhausted(user, now: now) else {
      throw Self.refusal("TOO_MANY_ATTEMPTS_TRY_LATER", "Too many wrong codes were entered.")
    }
    guard let step = password.step(of: code, at: now, after: last) else {
      pendingFactors.noteFailure(of: user, now: now)
      throw Self.refusal("INVALID_CODE")
    }
    return step
  }

  /// Returns the code of a phone number that a request has, which can't be used again.
  ///
  /// - Throws: ``Refusal`` with the errors of ``verifiedNumber(_:_:)``.
  func takenCode(_ request: ProofRequest) throws -> PhoneCode {
    let sessionInfo = request["sessionInfo"]
    _ = try verifiedNumber(sessionInfo, request["code"])
    guard let code = sessionInfo.flatMap({ verifications.take($0) }) else {
      throw Self.refusal("INVALID_SESSION_INFO")
    }
    return code
  }

  /// Runs an operation that uses a code of a phone number up. If it fails, the code can be used again.
  func restoring<Result>(_ code: PhoneCode?, _ operation: () async throws -> Result) async throws -> Result {
    do { return try await operation() } catch {
      if let code { verifications.restore(code) }
      throw error
    }
  }

  /// Returns the response with the tokens of a session that a second factor has proved.
  static func answer(with tokens: [String: JSON], proving kind: SecondFactor.Kind) -> JSON {
    var members = tokens
    // The time is in the token.
    members["expiresIn"] = nil
    members[kind == .phone ? "phoneAuthInfo" : "totpAuthInfo"] = [:]
    return .object(members)
  }
}

/// Which kind of second factor a request is about, and its members.
struct ProofRequest {
  /// The kind of the factor.
  let kind: SecondFactor.Kind
  private let members: JSON

  /// Reads a request.
  ///
  /// - Parameters:
  ///   - call: the request.
  ///   - phone: the name of the member about a phone number.
  ///   - totp: the name of the member about an authenticator app.
  /// - Throws: ``Refusal`` with `INVALID_ARGUMENT` if the request has neither of them; with status 501 for
  ///   what Android's SMS retrieval proves.
  init(_ call: AccountCall, phone: String, totp: String) throws {
    if let members = call.body[phone] {
      (kind, self.members) = (.phone, members)
    } else if let members = call.body[totp] {
      (kind, self.members) = (.totp, members)
    } else {
      throw AccountService.refusal("INVALID_ARGUMENT", "((Missing \(phone).))")
    }
    guard self["androidVerificationProof"]?.isEmpty ?? true else {
      throw Refusal.unimplemented("androidVerificationProof")
    }
  }

  /// A member that is a text.
  subscript(name: String) -> String? { members[name]?.text }
}
