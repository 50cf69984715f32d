import Foundation
import TenonTransport
import TenonTransportInterop

/// Accounts with Identity Toolkit's and Secure Token's methods, checks and codes.
struct AccountService: Sendable {
  let projectID: String
  let database: EmbeddedDatabase
  let hasher: PasswordHasher
  let settings: @Sendable () -> EmbeddedSettings
  let changeSettings: @Sendable (@Sendable (inout EmbeddedSettings) -> Void) -> Void
  let now: @Sendable () -> Timestamp

  func answer(_ request: HTTPRequest, route: Route) async throws -> HTTPResponse {
    let call = try AccountCall(request, route: route, projectID: projectID)
    let answer =
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
      case .token: try await refresh(call)
      case .batchGet: try await list(call)
      case .batchCreate: try await importAccounts(call)
      case .batchDelete: try await deleteAccounts(call)
      case .query: try await query(call)
      case .createSessionCookie: try await sessionCookie(call)
      case .readConfiguration: ProjectConfiguration.wire(of: settings(), projectID: projectID)
      case .changeConfiguration: try changeConfiguration(call)
      case .projects: JSON.members(["projectId": .string(projectID), "authorizedDomains": ["localhost"]])
      }
    return try HTTPResponse(status: 200, json: answer)
  }
}

/// Rules that several methods share.
extension AccountService {
  static func refusal(_ code: String, _ detail: String? = nil) -> Refusal {
    Refusal(400, detail.map { "\(code) : \($0)" } ?? code)
  }

  /// An address in the form in which it is kept.
  static func checkedEmail(_ text: String) throws -> String {
    guard let address = EmailAddress.checked(text) else { throw refusal("INVALID_EMAIL") }
    return address
  }

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

  static func checkIsFree(_ email: String, for owner: String?, in database: isolated EmbeddedDatabase) throws
  {
    if let other = try database.account(email: email), other.localId != owner {
      throw refusal("EMAIL_EXISTS")
    }
  }

  /// The user whom an ID token names, if it may still be used.
  static func owner(
    of token: IDToken,
    projectID: String,
    in database: isolated EmbeddedDatabase
  ) throws -> Account {
    guard let id = token.userID, token.claims["aud"]?.string == projectID else {
      throw refusal("INVALID_ID_TOKEN")
    }
    guard let account = try database.account(id: id) else { throw refusal("USER_NOT_FOUND") }
    guard token.issuedAt >= account.validSince else { throw refusal("TOKEN_EXPIRED") }
    guard !account.disabled else { throw refusal("USER_DISABLED") }
    return account
  }

  /// The token of a call.
  static func idToken(_ text: String) throws -> IDToken {
    guard let token = IDToken(text) else { throw refusal("INVALID_ID_TOKEN") }
    return token
  }

  /// Begins a session: saves the account with the time, keeps a refresh token, and returns the members that every
  /// sign-in answers with.
  static func tokens(
    for account: Account,
    provider: String,
    claims: [String: JSON] = [:],
    projectID: String,
    now: Timestamp,
    in database: isolated EmbeddedDatabase
  ) throws -> [String: JSON] {
    var account = account
    account.lastRefreshAt = now.milliseconds
    try database.save(account)
    let session = AccountSession(
      refreshToken: RandomText.secret(),
      userID: account.localId,
      provider: provider,
      epoch: account.epoch,
      claims: claims
    )
    try database.insert(session, issued: now)
    let token = try IDToken(
      account: account,
      provider: provider,
      extraClaims: claims,
      projectID: projectID,
      now: now
    )
    return [
      "idToken": .string(try token.text), "refreshToken": .string(session.refreshToken),
      "expiresIn": .string(String(IDToken.lifetime)),
    ]
  }
}

/// What a refresh token stands for.
struct AccountSession: Sendable, Hashable {
  let refreshToken: String
  let userID: String
  /// How the user signed in, for example `password`.
  let provider: String
  /// The account's epoch when the session began.
  let epoch: Int
  /// What a custom token claimed; a refresh keeps it.
  let claims: [String: JSON]
}
