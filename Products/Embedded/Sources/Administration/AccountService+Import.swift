import TenonTransport

extension AccountService {
  /// Handles `accounts:batchCreate`: imports users with their IDs, as an export contains them
  /// (https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchCreate).
  ///
  /// Each user is imported in a separate transaction. The users that can't be imported are listed in
  /// `error` of the response; the others are imported.
  ///
  /// - Parameter call: the request, with the members `users`, `allowOverwrite` and `sanityCheck`, and those of
  ///   ``ForeignHashFunction`` if users have hashes of another system.
  /// - Throws: ``Refusal`` with `MISSING_USER_ACCOUNT` or `DUPLICATE_LOCAL_ID`, with `sanityCheck` also
  ///   `DUPLICATE_EMAIL` or `DUPLICATE_RAW_ID`, and the errors of ``ForeignHashFunction``. No user is imported in
  ///   these cases.
  func importAccounts(_ call: AccountCall) async throws -> JSON {
    let users = call.body["users"]?.array ?? []
    guard !users.isEmpty else { throw Self.refusal("MISSING_USER_ACCOUNT") }
    let overwrites = call.body["allowOverwrite"]?.bool ?? false
    if call.body["sanityCheck"]?.bool == true { try checkIdentities(of: users) }
    if !overwrites, let id = Self.repeated(users.compactMap { $0["localId"]?.text }, by: \.self) {
      throw Self.refusal("DUPLICATE_LOCAL_ID", id)
    }
    let hasHashes = users.contains { $0["passwordHash"]?.text?.isEmpty == false }
    let function = hasHashes ? try ForeignHashFunction(call.body) : nil
    try function?.checkIsAvailable()
    var errors: [JSON] = []
    for (index, entry) in try await entries(of: users, hashedBy: function).enumerated() {
      do {
        try await save(entry.get(), overwrites: overwrites)
      } catch let problem as AccountImport.Problem {
        errors.append(["index": .int(Int64(clamping: index)), "message": .string(problem.message)])
      }
    }
    return ["kind": "identitytoolkit#UploadAccountResponse", "error": .array(errors)]
  }

  /// Reads all users and hashes their passwords in parallel.
  ///
  /// - Parameters:
  ///   - users: the users.
  ///   - function: the function of hashes of another system; none by default.
  /// - Returns: an account or a problem for each user, in the order of the users.
  func entries(
    of users: [JSON], hashedBy function: ForeignHashFunction? = nil
  ) async throws -> [Result<Account, AccountImport.Problem>] {
    let now = now()
    var results: [Result<Account, AccountImport.Problem>] = []
    var passwords: [(index: Int, password: String)] = []
    for (index, user) in users.enumerated() {
      do {
        let entry = try AccountImport(user, tenantID: tenantID, hashedBy: function, now: now)
        results.append(.success(entry.account))
        if let password = entry.password { passwords.append((index, password)) }
      } catch let problem as AccountImport.Problem {
        results.append(.failure(problem))
      }
    }
    let hashes = try await hasher.hashes(of: passwords.map(\.password), work: passwordWork)
    for ((index, _), hash) in zip(passwords, hashes) {
      results[index] = results[index].map { account in
        var account = account
        account.setPassword(hash: hash, now: now)
        return account
      }
    }
    return results
  }

  /// Saves an imported account.
  ///
  /// - Throws: ``AccountImport/Problem`` if its ID, address or identity belongs to another account, or its ID
  ///   to any account without `overwrites`.
  func save(_ imported: Account, overwrites: Bool) async throws {
    try await database.transaction { database in
      try Self.checkIdentities(of: imported, in: database)
      var account = imported
      if let present = try database.account(id: imported.localId) {
        guard overwrites else { throw AccountImport.Problem.presentID }
        // Ends the sessions of the account that is overwritten.
        account.epoch = present.epoch &+ 1
      }
      try database.save(account, isImported: true)
    }
  }

  /// Checks that the address and the identities of an account belong to no other account.
  ///
  /// - Throws: ``AccountImport/Problem``.
  private static func checkIdentities(of account: Account, in database: isolated EmbeddedDatabase) throws {
    for provider in account.federated {
      let other = try database.account(provider: provider.providerId, rawID: provider.rawId)
      if let other, other.localId != account.localId { throw AccountImport.Problem.takenIdentity }
    }
    if let email = account.email, let other = try database.account(email: email),
      other.localId != account.localId
    {
      throw AccountImport.Problem.takenEmail
    }
  }

  /// Rejects an import in which an address or an identity occurs twice.
  ///
  /// - Throws: ``Refusal`` with `DUPLICATE_EMAIL` or `DUPLICATE_RAW_ID`.
  private func checkIdentities(of users: [JSON]) throws {
    if !settings().duplicateEmails,
      let email = Self.repeated(users.compactMap { $0["email"]?.text }, by: { EmailAddress.canonical($0) })
    {
      throw Self.refusal("DUPLICATE_EMAIL", email)
    }
    let identities = users.flatMap { $0["providerUserInfo"]?.array ?? [] }.compactMap(
      AccountProvider.init(wire:))
    let names = identities.map { "Provider id(\($0.providerId)), Raw id(\($0.rawId))" }
    if let identity = Self.repeated(names, by: \.self) { throw Self.refusal("DUPLICATE_RAW_ID", identity) }
  }

  /// Returns the first value whose key has occurred before; `nil` if all keys are different.
  private static func repeated(_ values: [String], by key: (String) -> String) -> String? {
    var seen: Set<String> = []
    return values.first { !seen.insert(key($0)).inserted }
  }
}
