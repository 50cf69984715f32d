import TenonTransport

extension AccountService {
  /// `accounts:batchCreate`: users with their ids, as an export has them. Those that can't be kept are named in the
  /// answer, the others are kept.
  func importAccounts(_ call: AccountCall) async throws -> JSON {
    let users = call.body["users"]?.array ?? []
    guard !users.isEmpty else { throw Self.refusal("MISSING_USER_ACCOUNT") }
    let overwrites = call.body["allowOverwrite"]?.bool ?? false
    if call.body["sanityCheck"]?.bool == true { try checkIdentities(of: users) }
    if !overwrites, let id = Self.repeated(users.compactMap { $0["localId"]?.text }, by: \.self) {
      throw Self.refusal("DUPLICATE_LOCAL_ID", id)
    }
    var errors: [JSON] = []
    for (index, entry) in try await entries(of: users).enumerated() {
      do {
        try await keep(entry.get(), overwrites: overwrites)
      } catch let problem as AccountImport.Problem {
        errors.append(["index": .int(Int64(index)), "message": .string(problem.message)])
      }
    }
    return ["kind": "identitytoolkit#UploadAccountResponse", "error": .array(errors)]
  }

  /// Reads all users. Their passwords are hashed side by side.
  private func entries(of users: [JSON]) async throws -> [Result<Account, AccountImport.Problem>] {
    let now = now()
    var results: [Result<Account, AccountImport.Problem>] = []
    var passwords: [(index: Int, password: String)] = []
    for (index, user) in users.enumerated() {
      do {
        let entry = try AccountImport(user, now: now)
        results.append(.success(entry.account))
        if let password = entry.password { passwords.append((index, password)) }
      } catch let problem as AccountImport.Problem {
        results.append(.failure(problem))
      }
    }
    let hashes = try await hasher.hashes(of: passwords.map(\.password))
    for ((index, _), hash) in zip(passwords, hashes) {
      results[index] = results[index].map { account in
        var account = account
        account.setPassword(hash: hash, now: now)
        return account
      }
    }
    return results
  }

  private func keep(_ imported: Account, overwrites: Bool) async throws {
    try await database.transaction { database in
      try Self.checkIdentities(of: imported, in: database)
      var account = imported
      if let present = try database.account(id: imported.localId) {
        guard overwrites else { throw AccountImport.Problem.presentID }
        // Tokens of the account that was there end.
        account.epoch = present.epoch + 1
      }
      try database.save(account)
    }
  }

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

  /// Refuses a whole import in which an address or an identity occurs twice.
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

  /// The first value whose key occurred before.
  private static func repeated(_ values: [String], by key: (String) -> String) -> String? {
    var seen: Set<String> = []
    return values.first { !seen.insert(key($0)).inserted }
  }
}
