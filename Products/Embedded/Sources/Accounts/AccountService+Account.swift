import Foundation
import TenonTransport

extension AccountService {
  /// `accounts:lookup`: the user of `idToken`; for administrators, users by id or address.
  func lookup(_ call: AccountCall) async throws -> JSON {
    let projectID = projectID
    let users: [Account]
    if call.isPrivileged, call.body["idToken"] == nil {
      let ids = call.texts("localId")
      let emails = call.texts("email").map(EmailAddress.canonical)
      let identities = (call.body["federatedUserId"]?.array ?? []).compactMap { identity in
        identity["providerId"]?.text.flatMap { id in identity["rawId"]?.text.map { (provider: id, rawID: $0) }
        }
      }
      users = try await database.read { database in
        let found =
          try ids.compactMap { try database.account(id: $0) }
          + emails.compactMap { try database.account(email: $0) }
          + identities.compactMap { try database.account(provider: $0.provider, rawID: $0.rawID) }
        var seen: Set<String> = []
        return found.filter { seen.insert($0.localId).inserted }
      }
    } else {
      guard let text = call.text("idToken") else { throw Self.refusal("MISSING_ID_TOKEN") }
      let token = try Self.idToken(text)
      users = try await database.read { [try Self.owner(of: token, projectID: projectID, in: $0)] }
    }
    return .members([
      "kind": "identitytoolkit#GetAccountInfoResponse",
      "users": users.isEmpty ? nil : .array(users.map(\.wire)),
    ])
  }

  /// `accounts:delete`: removes the user of `idToken`; for administrators, the user of `localId`.
  func delete(_ call: AccountCall) async throws -> JSON {
    let projectID = projectID
    if call.isPrivileged {
      let id = try Self.requiredID(call)
      try await database.transaction { database in
        guard try database.account(id: id) != nil else { throw Self.refusal("USER_NOT_FOUND") }
        try database.deleteAccount(id: id)
      }
    } else {
      guard let token = try call.text("idToken").map(Self.idToken) else {
        throw Self.refusal("MISSING_ID_TOKEN")
      }
      try await database.transaction { database in
        try database.deleteAccount(id: Self.owner(of: token, projectID: projectID, in: database).localId)
      }
    }
    return ["kind": "identitytoolkit#DeleteAccountResponse"]
  }

  /// The user whom an administrator names.
  private static func requiredID(_ call: AccountCall) throws -> String {
    guard let id = call.text("localId"), !id.isEmpty else { throw refusal("MISSING_LOCAL_ID") }
    return id
  }

  /// `accounts:update`: profile, address and password of the user of `idToken`; for administrators, of `localId`.
  func update(_ call: AccountCall) async throws -> JSON {
    let id = call.isPrivileged ? try Self.requiredID(call) : nil
    if let code = call.text("oobCode") { return try await apply(code) }
    let token = try call.text("idToken").map(Self.idToken)
    guard token != nil || call.isPrivileged else {
      throw Self.refusal("INVALID_REQ_TYPE", "Unsupported request parameters.")
    }
    if call.body["customAttributes"] != nil, !call.isPrivileged {
      throw Self.refusal("INSUFFICIENT_PERMISSION")
    }
    if call.body["disableUser"] != nil, token != nil { throw Self.refusal("OPERATION_NOT_ALLOWED") }
    var change = try AccountChange(call)
    let projectID = projectID
    let find = { @Sendable (database: isolated EmbeddedDatabase) throws -> Account in
      if let token { return try Self.owner(of: token, projectID: projectID, in: database) }
      guard let id else { throw Self.refusal("MISSING_LOCAL_ID") }
      guard let account = try database.account(id: id) else { throw Self.refusal("USER_NOT_FOUND") }
      return account
    }
    if let password = change.password {
      let email = change.email
      try await database.read { database in
        let account = try find(database)
        if let email { try Self.checkIsFree(email, for: account.localId, in: database) }
      }
      try Self.check(password: password)
      change.passwordHash = try await hasher.hash(password)
    }
    let decided = change
    let now = now()
    return try await database.transaction { database in
      var account = try find(database)
      if let email = decided.email { try Self.checkIsFree(email, for: account.localId, in: database) }
      if let provider = decided.linkedProvider,
        let other = try database.account(provider: provider.providerId, rawID: provider.rawId),
        other.localId != account.localId
      {
        throw Self.refusal("FEDERATED_USER_ID_ALREADY_LINKED")
      }
      let epoch = account.epoch
      let oldEmail = account.email
      decided.apply(to: &account, now: now)
      try database.save(account)
      if let token, token.provider != "anonymous", let oldEmail, account.email != nil,
        account.email != oldEmail
      {
        try database.insert(
          AccountCode(
            .recoverEmail, email: oldEmail, newEmail: account.email, userID: account.localId,
            origin: call.origin, now: now)
        )
      }
      var answer = decided.answer(for: account)
      let provider = decided.passwordHash != nil ? "password" : token?.provider
      if account.epoch != epoch, token != nil, let provider {
        let tokens = try Self.tokens(
          for: account,
          provider: provider,
          projectID: projectID,
          now: now,
          in: database
        )
        answer.merge(tokens) { $1 }
      }
      return .object(answer)
    }
  }
}
