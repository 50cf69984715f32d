import TenonTransport

extension AccountService {
  /// `accounts:batchCreate`: users with their ids, as an export has them. Those that can't be kept are named in the
  /// answer, the others are kept.
  func importAccounts(_ call: AccountCall) async throws -> JSON {
    let users = call.body["users"]?.array ?? []
    guard !users.isEmpty else { throw Self.refusal("MISSING_USER_ACCOUNT") }
    let overwrites = call.body["allowOverwrite"]?.bool ?? false
    if call.body["sanityCheck"]?.bool == true { try checkIdentities(of: users) }
    if !overwrites, let id = Self.repeated(users.compactMap { $0["localId"]?.text }) {
      throw Self.refusal("DUPLICATE_LOCAL_ID", id)
    }
    var errors: [JSON] = []
    for (index, user) in users.enumerated() {
      do {
        try await keep(AccountImport(user, now: now()), overwrites: overwrites)
      } catch let problem as AccountImport.Problem {
        errors.append(["index": .int(Int64(index)), "message": .string(problem.message)])
      }
    }
    return .members([
      "kind": "identitytoolkit#UploadAccountResponse", "error": errors.isEmpty ? nil : .array(errors),
    ])
  }

  private func keep(_ entry: AccountImport, overwrites: Bool) async throws {
    var account = entry.account
    if let password = entry.password {
      account.setPassword(hash: try await hasher.hash(password), now: now())
    }
    let imported = account
    try await database.transaction { database in
      if let present = try database.account(id: imported.localId) {
        guard overwrites else {
          throw AccountImport.Problem(
            message: "localId belongs to an existing account, allowOverwrite is off.")
        }
        var replaced = imported
        // Tokens of the account that was there end.
        replaced.epoch = present.epoch + 1
        try Self.checkIdentities(of: replaced, in: database)
        try database.save(replaced)
      } else {
        try Self.checkIdentities(of: imported, in: database)
        try database.save(imported)
      }
    }
  }

  private static func checkIdentities(of account: Account, in database: isolated EmbeddedDatabase) throws {
    if let email = account.email, let other = try database.account(email: email),
      other.localId != account.localId
    {
      throw AccountImport.Problem(message: "email belongs to another account.")
    }
    for provider in account.federated {
      let other = try database.account(provider: provider.providerId, rawID: provider.rawId)
      if let other, other.localId != account.localId {
        throw AccountImport.Problem(message: "\(provider.providerId) is linked to another account.")
      }
    }
  }

  /// Refuses a whole import in which an address or an identity stands twice.
  private func checkIdentities(of users: [JSON]) throws {
    if !settings().duplicateEmails,
      let email = Self.repeated(users.compactMap { $0["email"]?.text?.lowercased() })
    {
      throw Self.refusal("DUPLICATE_EMAIL", email)
    }
    let identities = users.flatMap { $0["providerUserInfo"]?.array ?? [] }.compactMap(
      AccountProvider.init(wire:))
    if let identity = Self.repeated(identities.map { "Provider id(\($0.providerId)), Raw id(\($0.rawId))" }) {
      throw Self.refusal("DUPLICATE_RAW_ID", identity)
    }
  }

  private static func repeated(_ values: [String]) -> String? {
    var seen: Set<String> = []
    return values.first { !seen.insert($0).inserted }
  }
}
