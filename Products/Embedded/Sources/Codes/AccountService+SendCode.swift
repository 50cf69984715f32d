import TenonFoundation
import TenonTransport

extension AccountService {
  /// Handles `accounts:sendOobCode`: creates a code for a user, which isn't sent
  /// (https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/sendOobCode).
  ///
  /// - Parameter call: the request, with `requestType`, `email` or `idToken`, and optionally `newEmail`,
  ///   `continueUrl` and, for administrators, `returnOobLink`.
  /// - Returns: `email`, and with `returnOobLink` also the code and its link.
  /// - Throws: ``Refusal`` with `MISSING_REQ_TYPE`, `MISSING_EMAIL`, `MISSING_NEW_EMAIL`, `EMAIL_NOT_FOUND`
  ///   (not with ``EmbeddedSettings/emailPrivacy``), `EMAIL_EXISTS`, `INVALID_CONTINUE_URI`,
  ///   `OPERATION_NOT_ALLOWED`, `INSUFFICIENT_PERMISSION`, or an error of the ID token.
  func sendCode(_ call: AccountCall) async throws -> JSON {
    guard let type = call.text("requestType").map(Self.name(ofRequestType:)),
      type != "OOB_REQ_TYPE_UNSPECIFIED"
    else {
      throw Self.refusal("MISSING_REQ_TYPE")
    }
    let returnsLink = call.body["returnOobLink"]?.bool == true
    if returnsLink, !call.isPrivileged { throw Self.refusal("INSUFFICIENT_PERMISSION") }
    let continueURL = call.text("continueUrl")
    if let continueURL, !Self.isAbsolute(continueURL) {
      throw Self.refusal("INVALID_CONTINUE_URI", "The URL needs a scheme and a host.")
    }
    let answer: [String: JSON] = ["kind": "identitytoolkit#GetOobConfirmationCodeResponse"]
    let recipient: (email: String, newEmail: String?, userID: String?)
    switch AccountCode.Kind(rawValue: type) {
    case .emailSignIn:
      guard settings().emailLinkSignIn else { throw Self.refusal("OPERATION_NOT_ALLOWED") }
      recipient = (try Self.requiredEmail(call), nil, nil)
    case .passwordReset:
      let email = try Self.requiredEmail(call)
      let account = try await database.account(email: email)
      guard account != nil || settings().emailPrivacy else { throw Self.refusal("EMAIL_NOT_FOUND") }
      recipient = (email, nil, account?.localId)
    case .verifyEmail:
      let account = try await recipientAccount(call, byEmail: returnsLink, missingToken: "INVALID_ID_TOKEN")
      guard let email = account.email else { throw Self.refusal("MISSING_EMAIL") }
      recipient = (email, nil, account.localId)
    case .verifyAndChangeEmail:
      guard let newEmail = call.text("newEmail"), !newEmail.isEmpty else {
        throw Self.refusal("MISSING_NEW_EMAIL")
      }
      let checked = try Self.checkedEmail(newEmail)
      let account = try await recipientAccount(call, byEmail: returnsLink, missingToken: "MISSING_ID_TOKEN")
      guard let email = account.email else { throw Self.refusal("MISSING_EMAIL") }
      guard try await database.account(email: checked) == nil else { throw Self.refusal("EMAIL_EXISTS") }
      recipient = (email, checked, account.localId)
    case _ where Self.requestTypes.contains(type):
      throw Refusal.unimplemented("accounts:sendOobCode with requestType \(type)")
    default:
      throw Refusal.payload("/requestType must be one of \(Self.requestTypes.joined(separator: ", "))")
    }
    let code = try AccountCode(
      AccountCode.Kind(rawValue: type),
      email: recipient.email,
      newEmail: recipient.newEmail,
      userID: recipient.userID,
      tenantID: tenantID,
      origin: call.origin,
      continueURL: continueURL,
      now: now()
    )
    // With privacy, a code for an unknown address is inserted and deleted, so that the time doesn't reveal
    // its absence either.
    let hasNoRecipient = code.kind == .passwordReset && code.userID == nil
    try await database.transaction { database in
      try database.insert(code)
      if hasNoRecipient { try database.deleteCode(code.code) }
    }
    if !returnsLink, !hasNoRecipient { recipients.receive(code) }
    var members = answer
    members["email"] = .string(code.email)
    if returnsLink, !hasNoRecipient {
      members["oobCode"] = .string(code.code)
      members["oobLink"] = .string(code.link.absoluteString)
    }
    return .object(members)
  }

  /// Returns the user whose address the code is for: the user of `idToken`, or for administrators who request
  /// a link also the user of `email`.
  ///
  /// - Throws: ``Refusal`` with `missingToken` if there is neither.
  ///
  /// - Parameters:
  ///   - call: the request.
  ///   - byEmail: whether `email` may determine the user.
  ///   - missingToken: the error code for a request without a user.
  private func recipientAccount(
    _ call: AccountCall, byEmail: Bool, missingToken: String
  ) async throws -> Account {
    let projectID = projectID
    if byEmail, call.body["idToken"] == nil {
      let email = try Self.requiredEmail(call)
      guard let account = try await database.account(email: email) else {
        throw Self.refusal("USER_NOT_FOUND")
      }
      return account
    }
    guard let text = call.text("idToken") else { throw Self.refusal(missingToken) }
    let token = try idToken(text)
    return try await database.read { try Self.owner(of: token, projectID: projectID, in: $0) }
  }

  /// Returns the name of a request type. The type may also be given as a number, as protocol buffers allow.
  ///
  /// - Returns: the text itself if it isn't the number of a request type.
  private static func name(ofRequestType text: String) -> String {
    guard let number = Int64(decimal: text).flatMap({ Int(exactly: $0) }),
      requestTypes.indices.contains(number)
    else { return text }
    // Checked: the index was compared.
    return requestTypes[number]
  }

  /// The request types of Identity Toolkit, in the order of their numbers.
  private static let requestTypes = [
    "OOB_REQ_TYPE_UNSPECIFIED", "PASSWORD_RESET", "OLD_EMAIL_AGREE", "NEW_EMAIL_ACCEPT", "VERIFY_EMAIL",
    "RECOVER_EMAIL", "EMAIL_SIGNIN", "VERIFY_AND_CHANGE_EMAIL",
  ]

  /// Returns the address of a request in its canonical form.
  ///
  /// - Throws: ``Refusal`` with `MISSING_EMAIL` or `INVALID_EMAIL`.
  static func requiredEmail(_ call: AccountCall) throws -> String {
    guard let email = call.text("email"), !email.isEmpty else { throw refusal("MISSING_EMAIL") }
    return try checkedEmail(email)
  }

  /// Returns whether a URL has a scheme and a host.
  ///
  /// - Parameter text: any text.
  static func isAbsolute(_ text: String) -> Bool {
    guard let components = URLComponents(string: text) else { return false }
    return components.scheme?.isEmpty == false && components.host?.isEmpty == false
  }
}
