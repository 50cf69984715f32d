import TenonTransport
import TenonValues

extension AccountService {
  /// Handles `accounts:signInWithIdp`: signs in the user of an identity at a provider, or links the identity
  /// to the user of `idToken`
  /// (https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithIdp).
  ///
  /// - Parameter call: the request, with `requestUri` and `postBody`, and optionally `idToken`, `autoCreate`
  ///   and `returnIdpCredential`.
  /// - Returns: the provider's data of the user, and the tokens of a new session. If the address belongs to
  ///   another account and the provider hasn't verified it, `needConfirmation` instead of tokens. With
  ///   `returnIdpCredential`, a conflict is returned in `errorMessage` together with the credential.
  /// - Throws: ``Refusal`` with `OPERATION_NOT_ALLOWED` if an administrator has disabled the provider,
  ///   `FEDERATED_USER_ID_ALREADY_LINKED`, `EMAIL_EXISTS`, `USER_DISABLED`,
  ///   `USER_NOT_FOUND` without `autoCreate`, an error of ``ProviderAssertion`` or of the ID token.
  func signInWithProvider(_ call: AccountCall) async throws -> JSON {
    let assertion = try ProviderAssertion(call)
    let token = try call.text("idToken").map(idToken)
    let request = ProviderSignIn(
      assertion: assertion,
      mayCreate: call.body["autoCreate"]?.bool ?? true,
      sharesEmails: settings().duplicateEmails
    )
    let projectID = projectID
    let now = now()
    do {
      return try await signingIn { [self] database, decisions in
        try Self.checkIsEnabled(provider: assertion.provider.providerId, in: database)
        let outcome: ProviderSignIn.Outcome
        if let token {
          let owner = try Self.owner(of: token, projectID: projectID, in: database)
          outcome = .signedIn(try request.link(owner, in: database), isNew: false)
        } else {
          outcome = try request.resolve(newUserID: decisions.newUserID, now: now, in: database)
        }
        var answer = assertion.wire
        answer["tenantId"] = tenantID.map(JSON.string)
        switch outcome {
        case .needsConfirmation(let account):
          answer["localId"] = .string(account.localId)
          answer["needConfirmation"] = true
          answer["verifiedProvider"] = .array(account.providers.map { .string($0.providerId) })
          return .object(answer)
        case .signedIn(let account, let isNew):
          guard !account.disabled else { throw Self.refusal("USER_DISABLED") }
          if account.email != nil, account.email == assertion.email {
            answer["emailVerified"] = .bool(account.emailVerified)
          }
          answer["localId"] = .string(account.localId)
          if token == nil { answer["isNewUser"] = .bool(isNew) }
          let provider = assertion.provider.providerId
          let signIn = BlockedSignIn(
            provider: provider, method: provider, isNew: isNew, assertion: assertion, locale: call.locale)
          let begun =
            try token.map { try resume(account, signIn, decisions, of: $0, now: now, in: database) }
            ?? begin(account, signIn, decisions, now: now, in: database)
          return .object(answer.merging(begun) { $1 })
        }
      }
    } catch let refusal as Refusal
      where call.body["returnIdpCredential"]?.bool == true && Self.conflicts.contains(refusal.message)
    {
      // The client receives the credential with the error, so that it can sign in with it instead.
      return .object(assertion.wire.merging(["errorMessage": .string(refusal.message)]) { $1 })
    }
  }

  /// The errors that are returned with the credential if `returnIdpCredential` is set.
  private static let conflicts: Set<String> = ["FEDERATED_USER_ID_ALREADY_LINKED", "EMAIL_EXISTS"]
}

/// Determines the account for the assertion of an identity provider.
struct ProviderSignIn: Sendable {
  /// The identity that the provider asserts.
  let assertion: ProviderAssertion
  /// Whether to create a user if no account has the identity.
  let mayCreate: Bool
  /// Whether several users can have the same address. In that case, only the ID at the provider determines
  /// the account.
  let sharesEmails: Bool

  /// The account for an assertion.
  enum Outcome {
    /// The user is signed in. The account isn't saved yet.
    case signedIn(Account, isNew: Bool)
    /// The address belongs to this account, but the provider hasn't verified it. The user must first sign in
    /// with another method.
    case needsConfirmation(Account)
  }

  /// Returns the account that has the identity or its verified address, or a new one.
  ///
  /// - Parameters:
  ///   - newUserID: the ID of a new user.
  ///   - now: the current time.
  ///   - database: the database, inside a transaction.
  /// - Throws: ``Refusal`` with `USER_NOT_FOUND` if there is none and ``mayCreate`` is `false`.
  func resolve(
    newUserID: String, now: Timestamp, in database: isolated EmbeddedDatabase
  ) throws -> Outcome {
    let provider = assertion.provider
    if var known = try database.account(provider: provider.providerId, rawID: provider.rawId) {
      known.add(provider)
      if known.email == provider.email, assertion.isEmailVerified { known.emailVerified = true }
      return .signedIn(known, isNew: false)
    }
    if !sharesEmails, let email = provider.email, var owner = try database.account(email: email) {
      guard assertion.isEmailVerified else { return .needsConfirmation(owner) }
      // Someone who signed up with the address without verifying it must not keep access to the account.
      if !owner.emailVerified { owner.removeUnverifiedSignIns(now: now) }
      owner.emailVerified = true
      // The provider's profile replaces that of the account, even where it has no name or picture.
      owner.setProfile(of: provider)
      owner.add(provider)
      return .signedIn(owner, isNew: false)
    }
    guard mayCreate else { throw AccountService.refusal("USER_NOT_FOUND") }
    var account = Account(id: newUserID, now: now)
    account.setProfile(of: provider)
    if !sharesEmails {
      account.email = provider.email
      account.emailVerified = provider.email != nil && assertion.isEmailVerified
    }
    account.add(provider)
    return .signedIn(account, isNew: true)
  }

  /// Returns an account with the identity added to it.
  ///
  /// - Parameters:
  ///   - owner: the account of the user who is signed in.
  ///   - database: the database, inside a transaction.
  /// - Throws: ``Refusal`` with `FEDERATED_USER_ID_ALREADY_LINKED` or `EMAIL_EXISTS`.
  func link(_ owner: Account, in database: isolated EmbeddedDatabase) throws -> Account {
    let provider = assertion.provider
    guard try database.account(provider: provider.providerId, rawID: provider.rawId) == nil else {
      throw AccountService.refusal("FEDERATED_USER_ID_ALREADY_LINKED")
    }
    var account = owner
    if !sharesEmails, let email = provider.email {
      try AccountService.checkIsAvailable(email, for: owner.localId, in: database)
      if account.email == nil { account.email = email }
      if account.email == email, assertion.isEmailVerified { account.emailVerified = true }
    }
    account.add(provider)
    return account
  }
}

extension Account {
  /// Replaces the name, the picture and the screen name by those of an identity.
  mutating func setProfile(of provider: AccountProvider) {
    displayName = provider.displayName
    photoUrl = provider.photoUrl
    screenName = provider.screenName
  }

  /// Adds an identity, which replaces another one at the same provider.
  mutating func add(_ provider: AccountProvider) {
    federated.removeAll { $0.providerId == provider.providerId }
    federated.append(provider)
  }
}
