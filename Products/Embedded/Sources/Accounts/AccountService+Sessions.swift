import TenonTransport
import TenonValues

/// The session that a refresh token belongs to. It ends when the account's epoch changes.
struct AccountSession: Sendable, Hashable {
  /// The refresh token, a secret.
  let refreshToken: String
  /// The user's ID.
  let userID: String
  /// The sign-in method, for example `password`.
  let provider: String
  /// The account's epoch at the beginning of the session.
  let epoch: Int
  /// The claims of the custom token with which the session began. ID tokens of later refreshes have them,
  /// too.
  let claims: [String: JSON]
  /// The second factor with which the session began; `nil` if there was none.
  let secondFactor: ProvenFactor?

  /// Creates the text of a refresh token. That of a tenant ends with the tenant's ID, because a refresh names no
  /// tenant.
  static func newRefreshToken(ofTenant tenantID: String?) -> String {
    RandomText.secret() + (tenantID.map { ".\($0)" } ?? "")
  }

  /// Returns the tenant of a refresh token; `nil` if it has none.
  static func tenant(ofRefreshToken text: String) -> String? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 ? String(parts[1]) : nil
  }
}

extension AccountService {
  /// Ends the first step of a sign-in: begins a session, unless the user has a second factor, which the client
  /// then has to prove.
  ///
  /// - Parameters:
  ///   - account: the account, with the changes of the sign-in except the time of it.
  ///   - signIn: how the user signs in.
  ///   - decisions: what the blocking functions have decided.
  ///   - now: the current time.
  ///   - database: the database, inside a transaction.
  /// - Returns: the members of the response: those of ``tokens(for:provider:claims:secondFactor:projectID:now:in:)``,
  ///   or `mfaPendingCredential` and `mfaInfo`.
  /// - Throws: ``BlockingQuestion`` if functions must be asked first, for ``signingIn(_:)``.
  func begin(
    _ account: Account, _ signIn: BlockedSignIn, _ decisions: BlockingDecisions, now: Timestamp,
    in database: isolated EmbeddedDatabase
  ) throws -> [String: JSON] {
    var account = account
    account.tenantId = tenantID
    guard requiresSecondFactor(account) else {
      var account = try decided(account, signIn, decisions)
      account.lastLoginAt = now.millisecondsSince1970
      return try Self.tokens(
        for: account, provider: signIn.provider, claims: Self.sessionClaims(signIn, decisions),
        projectID: projectID, now: now, in: database)
    }
    try database.save(account)
    let pending = PendingFactors.SignIn(
      credential: RandomText.secret(), user: UserKey(userID: account.localId, tenantID: tenantID),
      epoch: account.epoch, first: signIn,
      began: now.millisecondsSince1970)
    pendingFactors.insert(pending)
    return [
      "mfaPendingCredential": .string(pending.credential),
      "mfaInfo": .array(account.secondFactors.map { $0.wire(hidesNumber: true) }),
    ]
  }

  /// Begins a session of a user who is signed in and has added a way to sign in. If the user has a second factor
  /// that the present session hasn't proved, the client has to prove it first.
  ///
  /// - Parameters:
  ///   - account: the account, with the changes.
  ///   - signIn: the way to sign in.
  ///   - decisions: what the blocking functions have decided.
  ///   - token: the ID token of the present session.
  ///   - now: the current time.
  ///   - database: the database, inside a transaction.
  /// - Returns: what ``begin(_:_:_:now:in:)`` returns.
  /// - Throws: ``BlockingQuestion`` if functions must be asked first, for ``signingIn(_:)``.
  func resume(
    _ account: Account, _ signIn: BlockedSignIn, _ decisions: BlockingDecisions, of token: IDToken,
    now: Timestamp, in database: isolated EmbeddedDatabase
  ) throws -> [String: JSON] {
    guard token.secondFactor != nil || !requiresSecondFactor(account) else {
      return try begin(account, signIn, decisions, now: now, in: database)
    }
    var account = try decided(account, signIn, decisions)
    account.lastLoginAt = now.millisecondsSince1970
    return try Self.tokens(
      for: account, provider: signIn.provider, claims: Self.sessionClaims(signIn, decisions),
      secondFactor: token.secondFactor, projectID: projectID, now: now, in: database)
  }

  /// Returns the claims that a session keeps: those that blocking functions have set, and below `firebase`,
  /// which they can't set, what a SAML provider says about the user.
  static func sessionClaims(_ signIn: BlockedSignIn, _ decisions: BlockingDecisions) -> [String: JSON] {
    var claims = decisions.sessionClaims
    if let attributes = signIn.assertion?.attributes {
      claims["firebase"] = ["sign_in_attributes": attributes]
    }
    return claims
  }

  /// Begins a session: saves the account, creates a refresh token and issues an ID token.
  ///
  /// - Parameters:
  ///   - account: the account, with the changes of the sign-in.
  ///   - provider: the sign-in method, for example `password`.
  ///   - claims: the claims of a custom token, which the session keeps.
  ///   - secondFactor: the second factor that was proved; `nil` if there was none.
  ///   - projectID: the ID of the project.
  ///   - now: the current time.
  ///   - database: the database, inside a transaction.
  /// - Returns: the members `idToken`, `refreshToken` and `expiresIn` of the response.
  static func tokens(
    for account: Account,
    provider: String,
    claims: [String: JSON] = [:],
    secondFactor: ProvenFactor? = nil,
    projectID: String,
    now: Timestamp,
    in database: isolated EmbeddedDatabase
  ) throws -> [String: JSON] {
    var account = account
    account.lastRefreshAt = now.millisecondsSince1970
    try database.save(account)
    let session = AccountSession(
      refreshToken: AccountSession.newRefreshToken(ofTenant: database.tenantID),
      userID: account.localId,
      provider: provider,
      epoch: account.epoch,
      claims: claims,
      secondFactor: secondFactor
    )
    try database.insert(session, issued: now)
    let token = try IDToken(
      account: account,
      provider: provider,
      extraClaims: claims,
      secondFactor: secondFactor,
      tenantID: database.tenantID,
      projectID: projectID,
      now: now
    )
    return [
      "idToken": .string(try token.text), "refreshToken": .string(session.refreshToken),
      "expiresIn": .string(String(IDToken.lifetime)),
    ]
  }
}
