import TenonTransport

extension AccountService {
  /// `accounts:signInWithIdp`: signs in whom an identity provider names, or gives that identity to the user of
  /// `idToken`.
  func signInWithProvider(_ call: AccountCall) async throws -> JSON {
    let assertion = try ProviderAssertion(call)
    let token = try call.text("idToken").map(Self.idToken)
    let request = ProviderSignIn(
      assertion: assertion,
      mayCreate: call.body["autoCreate"]?.bool ?? true,
      sharesEmails: settings().duplicateEmails
    )
    let projectID = projectID
    let now = now()
    do {
      return try await database.transaction { database in
        let outcome: ProviderSignIn.Outcome
        if let token {
          let owner = try Self.owner(of: token, projectID: projectID, in: database)
          outcome = .signedIn(try request.link(owner, in: database), isNew: false)
        } else {
          outcome = try request.resolve(now: now, in: database)
        }
        var answer = assertion.wire
        switch outcome {
        case .needsConfirmation(let account):
          answer["localId"] = .string(account.localId)
          answer["needConfirmation"] = true
          answer["verifiedProvider"] = .array(account.providers.map { .string($0.providerId) })
          return .object(answer)
        case .signedIn(var account, let isNew):
          guard !account.disabled else { throw Self.refusal("USER_DISABLED") }
          account.lastLoginAt = now.milliseconds
          if account.email != nil, account.email == assertion.email {
            answer["emailVerified"] = .bool(account.emailVerified)
          }
          answer["localId"] = .string(account.localId)
          if token == nil { answer["isNewUser"] = .bool(isNew) }
          let tokens = try Self.tokens(
            for: account,
            provider: assertion.provider.providerId,
            projectID: projectID,
            now: now,
            in: database
          )
          return .object(answer.merging(tokens) { $1 })
        }
      }
    } catch let refusal as Refusal
      where call.body["returnIdpCredential"]?.bool == true && Self.conflicts.contains(refusal.message)
    {
      // The client gets the credential with the reason, to sign in with it instead.
      return .object(assertion.wire.merging(["errorMessage": .string(refusal.message)]) { $1 })
    }
  }

  private static let conflicts: Set<String> = ["FEDERATED_USER_ID_ALREADY_LINKED", "EMAIL_EXISTS"]
}

/// Finds the user whom a provider's assertion means.
struct ProviderSignIn: Sendable {
  let assertion: ProviderAssertion
  /// Whether a user is created when there is none.
  let mayCreate: Bool
  /// Whether users may have the same address: then only the provider's id counts.
  let sharesEmails: Bool

  enum Outcome {
    case signedIn(Account, isNew: Bool)
    /// The address belongs to this user, which the provider can't prove.
    case needsConfirmation(Account)
  }

  func resolve(now: Timestamp, in database: isolated EmbeddedDatabase) throws -> Outcome {
    let provider = assertion.provider
    if var known = try database.account(provider: provider.providerId, rawID: provider.rawId) {
      known.add(provider)
      if known.email == provider.email, assertion.isEmailVerified { known.emailVerified = true }
      return .signedIn(known, isNew: false)
    }
    if !sharesEmails, let email = provider.email, var owner = try database.account(email: email) {
      guard assertion.isEmailVerified else { return .needsConfirmation(owner) }
      // Whoever set up an account with an address that nobody verified must not get into the owner's.
      if !owner.emailVerified { owner.dropUnprovenSignIns(now: now) }
      owner.emailVerified = true
      // The provider's profile takes the place of the account's, also where it has no name or picture.
      owner.setProfile(of: provider)
      owner.add(provider)
      return .signedIn(owner, isNew: false)
    }
    guard mayCreate else { throw AccountService.refusal("USER_NOT_FOUND") }
    var account = Account(now: now)
    account.setProfile(of: provider)
    if !sharesEmails {
      account.email = provider.email
      account.emailVerified = provider.email != nil && assertion.isEmailVerified
    }
    account.add(provider)
    return .signedIn(account, isNew: true)
  }

  func link(_ owner: Account, in database: isolated EmbeddedDatabase) throws -> Account {
    let provider = assertion.provider
    guard try database.account(provider: provider.providerId, rawID: provider.rawId) == nil else {
      throw AccountService.refusal("FEDERATED_USER_ID_ALREADY_LINKED")
    }
    var account = owner
    if !sharesEmails, let email = provider.email {
      try AccountService.checkIsFree(email, for: owner.localId, in: database)
      if account.email == nil { account.email = email }
      if account.email == email, assertion.isEmailVerified { account.emailVerified = true }
    }
    account.add(provider)
    return account
  }
}

extension Account {
  /// Takes over name, picture and screen name.
  mutating func setProfile(of provider: AccountProvider) {
    displayName = provider.displayName
    photoUrl = provider.photoUrl
    screenName = provider.screenName
  }

  /// Adds a way to sign in, in the place of an earlier one of the same provider.
  mutating func add(_ provider: AccountProvider) {
    federated.removeAll { $0.providerId == provider.providerId }
    federated.append(provider)
  }
}
