import TenonFoundation
import TenonTransport
import TenonValues

/// Signing in with a phone number.
extension AccountService {
  /// Returns a phone number: a plus sign and 1 to 32 digits.
  ///
  /// - Throws: ``Refusal`` with `INVALID_PHONE_NUMBER`.
  static func checkedPhoneNumber(_ text: String?) throws -> String {
    guard let text, text.hasPrefix("+"), (2...33).contains(text.utf8.count),
      text.dropFirst().utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { throw refusal("INVALID_PHONE_NUMBER", "Invalid format.") }
    return text
  }

  /// Checks that a number belongs to no account but the given one.
  ///
  /// - Throws: ``Refusal`` with `PHONE_NUMBER_EXISTS`.
  static func checkIsAvailable(
    phoneNumber: String, for owner: String?, in database: isolated EmbeddedDatabase
  ) throws {
    if let other = try database.account(provider: AccountProvider.phone, rawID: phoneNumber),
      other.localId != owner
    {
      throw refusal("PHONE_NUMBER_EXISTS")
    }
  }

  /// Handles `accounts:sendVerificationCode`: creates a code for a number, which isn't sent. What proves that
  /// the request comes from the app (`recaptchaToken`, `iosReceipt`, …) isn't checked.
  ///
  /// - Parameter call: the request, with `phoneNumber`.
  /// - Returns: `sessionInfo`.
  /// - Throws: ``Refusal`` with `INVALID_PHONE_NUMBER`, `OPERATION_NOT_ALLOWED`, or `UNSUPPORTED_FIRST_FACTOR`
  ///   if the user of the number has second factors.
  func sendVerificationCode(_ call: AccountCall) async throws -> JSON {
    try checkSignsInWithPhones()
    let number = try Self.checkedPhoneNumber(call.text("phoneNumber"))
    let owner = try await database.read { try $0.account(provider: AccountProvider.phone, rawID: number) }
    if let owner { try Self.checkHasNoFactors(owner) }
    return ["sessionInfo": .string(newCode(for: number, now: now()).sessionInfo)]
  }

  /// The response to requests for the parameters of reCAPTCHA, which has no part in the backend: clients of the
  /// web ask for them before they send a phone number, and don't use them with an emulator.
  static let recaptcha: JSON = [
    "kind": "identitytoolkit#GetRecaptchaParamResponse",
    "recaptchaStoken": "This-is-a-fake-token__The-embedded-backend-has-no-reCAPTCHA",
    "recaptchaSiteKey": "Fake-key__The-embedded-backend-has-no-reCAPTCHA",
  ]

  /// Checks that phone numbers can be first factors. In tenants they can't, as on Firebase.
  ///
  /// - Throws: ``Refusal`` with `UNSUPPORTED_TENANT_OPERATION` or `OPERATION_NOT_ALLOWED`.
  private func checkSignsInWithPhones() throws {
    guard tenantID == nil else { throw Self.refusal("UNSUPPORTED_TENANT_OPERATION") }
    guard settings().phoneSignIn else { throw Self.refusal("OPERATION_NOT_ALLOWED") }
  }

  /// Creates the code of a number, which isn't sent.
  func newCode(for number: String, now: Timestamp) -> PhoneCode {
    let code = PhoneCode(
      phoneNumber: number, tenantID: tenantID, fixed: settings().testPhoneNumbers[number], now: now)
    verifications.insert(code)
    return code
  }

  /// Checks that a number can be the first factor of a user.
  ///
  /// - Throws: ``Refusal`` with `UNSUPPORTED_FIRST_FACTOR` if the user has second factors.
  private static func checkHasNoFactors(_ account: Account) throws {
    guard account.secondFactors.isEmpty else {
      throw refusal(
        "UNSUPPORTED_FIRST_FACTOR",
        "A phone number cannot be set as a first factor on an SMS based MFA user.")
    }
  }

  /// Handles `accounts:signInWithPhoneNumber`: signs in the user of a number, creates the user if there is
  /// none, or with `idToken` gives its user the number.
  ///
  /// If the number belongs to another user than that of `idToken`, the answer has a proof with which a client
  /// can sign that one in.
  ///
  /// - Parameter call: the request, with `sessionInfo` and `code` or `temporaryProof` and `phoneNumber`, and
  ///   optionally `idToken` and `operation`.
  /// - Returns: `localId`, `phoneNumber`, `isNewUser` and the tokens of a new session.
  /// - Throws: ``Refusal`` with `MISSING_SESSION_INFO`, `INVALID_SESSION_INFO`, `MISSING_CODE`, `INVALID_CODE`,
  ///   `SESSION_EXPIRED`, `TOO_MANY_ATTEMPTS_TRY_LATER`, `INVALID_TEMPORARY_PROOF`, `PHONE_NUMBER_EXISTS`,
  ///   `USER_NOT_FOUND`, `USER_DISABLED`, `UNSUPPORTED_FIRST_FACTOR`, `OPERATION_NOT_ALLOWED`, or an error of the
  ///   ID token.
  func signInWithPhoneNumber(_ call: AccountCall) async throws -> JSON {
    try checkSignsInWithPhones()
    let number: String
    let proof = call.text("temporaryProof")
    if let proof {
      number = try Self.checkedPhoneNumber(call.text("phoneNumber"))
      guard verifications.isProof(proof, of: number) else { throw Self.refusal("INVALID_TEMPORARY_PROOF") }
    } else {
      number = try verifiedNumber(call.text("sessionInfo"), call.text("code"))
    }
    let token = try call.text("idToken").map(idToken)
    let mayCreate = call.text("operation") != "REAUTH"
    let (now, projectID) = (now(), projectID)
    let answer: JSON? = try await signingIn { [self] database, decisions in
      let owner = try token.map { try Self.owner(of: $0, projectID: projectID, in: database) }
      let known = try database.account(provider: AccountProvider.phone, rawID: number)
      if let owner, let known, owner.localId != known.localId { return nil }
      guard var account = owner ?? known ?? (mayCreate ? Account(id: decisions.newUserID, now: now) : nil)
      else {
        throw Self.refusal("USER_NOT_FOUND")
      }
      guard !account.disabled else { throw Self.refusal("USER_DISABLED") }
      try Self.checkHasNoFactors(account)
      account.phoneNumber = number
      let members: [String: JSON] = [
        "localId": .string(account.localId), "phoneNumber": .string(number),
        "isNewUser": .bool(owner == nil && known == nil),
      ]
      guard owner != nil else {
        let signIn = BlockedSignIn(
          provider: AccountProvider.phone, method: AccountProvider.phone, isNew: known == nil,
          locale: call.locale)
        let begun = try begin(account, signIn, decisions, now: now, in: database)
        return .object(members.merging(begun) { $1 })
      }
      account.lastLoginAt = now.millisecondsSince1970
      let tokens = try Self.tokens(
        for: account, provider: AccountProvider.phone, projectID: projectID, now: now, in: database)
      return .object(members.merging(tokens) { $1 })
    }
    // The code is used up only when the sign-in is stored.
    if let sessionInfo = call.text("sessionInfo") { verifications.remove(sessionInfo) }
    if let answer { return answer }
    guard proof == nil else { throw Self.refusal("PHONE_NUMBER_EXISTS") }
    return [
      "phoneNumber": .string(number), "temporaryProof": .string(verifications.proof(of: number)),
      "temporaryProofExpiresIn": "3600",
    ]
  }

  /// Returns the number that a code verifies.
  ///
  /// - Throws: ``Refusal`` with `MISSING_SESSION_INFO`, `INVALID_SESSION_INFO`, `MISSING_CODE`, `INVALID_CODE`,
  ///   `SESSION_EXPIRED` or `TOO_MANY_ATTEMPTS_TRY_LATER`.
  func verifiedNumber(_ sessionInfo: String?, _ code: String?) throws -> String {
    guard let sessionInfo, !sessionInfo.isEmpty else { throw Self.refusal("MISSING_SESSION_INFO") }
    guard let code, !code.isEmpty else { throw Self.refusal("MISSING_CODE") }
    if let lifetime = settings().codeLifetime,
      let known = verifications.codes.first(where: { $0.sessionInfo == sessionInfo })
    {
      let issued = Timestamp(millisecondsSince1970: known.issued)
      // Checked: milliseconds of 64 bits; the times are clamped.
      let age = Duration.milliseconds(now().millisecondsSince1970 - issued.millisecondsSince1970)
      if age > lifetime { throw Self.refusal("SESSION_EXPIRED") }
    }
    switch verifications.check(sessionInfo, code, ofTenant: tenantID) {
    case .verified(let number): return number
    case .unknown: throw Self.refusal("INVALID_SESSION_INFO")
    case .wrong: throw Self.refusal("INVALID_CODE")
    case .exhausted: throw Self.refusal("TOO_MANY_ATTEMPTS_TRY_LATER", "Request another code.")
    }
  }
}

extension AccountProvider {
  /// The ID of the provider of phone numbers, whose users are the numbers.
  static let phone = "phone"
}

extension Account {
  /// The user's phone number; `nil` if there is none. It is the identity at the provider `phone`, so that it
  /// is unique in the project.
  var phoneNumber: String? {
    get { federated.first { $0.providerId == AccountProvider.phone }?.rawId }
    set {
      federated.removeAll { $0.providerId == AccountProvider.phone }
      guard let newValue else { return }
      federated.append(AccountProvider(providerId: AccountProvider.phone, rawId: newValue))
    }
  }
}

extension Embedded {
  /// Returns the codes of phone numbers that haven't been used, in the order of their creation. The backend
  /// sends no text messages, so tests and tools read the codes here.
  ///
  /// At most 1,000 codes are kept, in memory.
  public func phoneCodes() -> [PhoneCode] { accounts.verifications.codes }

  /// Sets what is done with each code that Firebase would send to a phone, for example to print it. `nil`,
  /// the default, does nothing.
  ///
  /// - Parameter body: receives a code when it is created, on any thread. The code is a secret.
  public func onPhoneCode(_ body: (@Sendable (PhoneCode) -> Void)?) {
    accounts.verifications.setRecipient(body)
  }
}
