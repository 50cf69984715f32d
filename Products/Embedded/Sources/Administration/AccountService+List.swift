import TenonTransport
import TenonValues

extension AccountService {
  /// Handles `accounts:batchGet`: returns a page of the users in the order of their IDs.
  ///
  /// - Parameter call: the request, with `maxResults` (20 by default, at most 1,000) and `nextPageToken`.
  /// - Returns: `users`, and `nextPageToken` if the page is full. The next page may be empty.
  /// - Throws: ``Refusal`` if `maxResults` is negative.
  func list(_ call: AccountCall) async throws -> JSON {
    let asked = try call.integer("maxResults", in: 0...Int64.max) ?? 0
    let limit = Int(clamping: min(asked == 0 ? 20 : asked, 1_000))
    let token = call.text("nextPageToken")
    let users = try await database.read { try $0.accounts(after: token, limit: limit) }
    return .members([
      "kind": "identitytoolkit#DownloadAccountResponse",
      "users": users.isEmpty ? nil : .array(users.map(\.wire)),
      "nextPageToken": users.count == limit ? users.last.map { .string($0.localId) } : nil,
    ])
  }

  /// Handles `accounts:query`: returns all users and their number, or only the number. Expressions aren't
  /// supported.
  ///
  /// - Parameter call: the request, with `returnUserInfo`, `offset` and `limit` (at most 500, the default).
  /// - Throws: ``Refusal`` with status 501 for expressions and for orders other than that of the IDs.
  func query(_ call: AccountCall) async throws -> JSON {
    guard call.body["expression"]?.array?.isEmpty ?? true else {
      throw Refusal.unimplemented("accounts:query with expressions")
    }
    for (name, served) in [("sortBy", Self.sortKeys), ("order", Self.orders)] {
      guard let value = call.text(name), !served.contains(value) else { continue }
      throw Refusal.unimplemented("accounts:query with \(name) \(value)")
    }
    let offset = try call.integer("offset", in: 0...Int64.max) ?? 0
    let asked = try call.integer("limit", in: 0...Int64.max) ?? 0
    let limit = Int(clamping: min(asked == 0 ? 500 : asked, 500))
    let listsUsers = call.body["returnUserInfo"]?.bool ?? true
    return try await database.read { database in
      let count = JSON.string(String(try database.countAccounts()))
      guard listsUsers else { return ["recordsCount": count] }
      let users = try database.accounts(after: nil, skipping: offset, limit: limit)
      return ["recordsCount": count, "userInfo": .array(users.map(\.wire))]
    }
  }

  /// The values of `sortBy` that mean the order of the IDs, which is also the default: the names of the
  /// enumeration, and their numbers.
  private static let sortKeys: Set<String> = ["SORT_BY_FIELD_UNSPECIFIED", "USER_ID", "0", "1"]
  /// The values of `order` that mean the ascending order, which is also the default.
  private static let orders: Set<String> = ["ORDER_UNSPECIFIED", "ASC", "0", "1"]

  /// Handles `accounts:batchDelete`: deletes users by their IDs. Without `force`, deletes only disabled
  /// users.
  ///
  /// - Parameter call: the request, with 1 to 1,000 `localIds`. IDs without a user are ignored.
  /// - Returns: `errors` with the users that aren't disabled.
  /// - Throws: ``Refusal`` with `LOCAL_ID_LIST_EXCEEDS_LIMIT`.
  func deleteAccounts(_ call: AccountCall) async throws -> JSON {
    let ids = call.texts("localIds")
    guard !ids.isEmpty, ids.count <= 1_000 else { throw Self.refusal("LOCAL_ID_LIST_EXCEEDS_LIMIT") }
    let isForced = call.body["force"]?.bool ?? false
    let errors: [JSON] = try await database.transaction { database in
      var errors: [JSON] = []
      for (index, id) in ids.enumerated() {
        guard let account = try database.account(id: id) else { continue }
        guard isForced || account.disabled else {
          errors.append([
            "index": .int(Int64(clamping: index)), "localId": .string(id),
            "message": "NOT_DISABLED : Disable the account before batch deletion.",
          ])
          continue
        }
        try database.deleteAccount(id: id, isInBatch: true)
      }
      return errors
    }
    return .members(["errors": errors.isEmpty ? nil : .array(errors)])
  }

  /// Handles `projects/{project}:createSessionCookie`: returns an unsigned session cookie with the claims of
  /// an ID token (https://firebase.google.com/docs/auth/admin/manage-cookies).
  ///
  /// - Parameter call: the request, with `idToken` and `validDuration`: 300 to 1,209,600 seconds, two weeks
  ///   by default.
  /// - Throws: ``Refusal`` with `INVALID_DURATION` or an error of the ID token.
  func sessionCookie(_ call: AccountCall) async throws -> JSON {
    guard let text = call.text("idToken"), !text.isEmpty else { throw Self.refusal("MISSING_ID_TOKEN") }
    let duration = call.text("validDuration").map { Int64(decimal: $0) ?? 0 } ?? 1_209_600
    guard (300...1_209_600).contains(duration) else { throw Self.refusal("INVALID_DURATION") }
    let token = try idToken(text)
    let projectID = projectID
    _ = try await database.read { try Self.owner(of: token, projectID: projectID, in: $0) }
    var claims = token.claims
    claims["iss"] = .string("https://session.firebase.google.com/\(projectID)")
    claims["iat"] = .int(now().seconds)
    // Checked: at most two weeks.
    claims["exp"] = .int(now().seconds + duration)
    return ["sessionCookie": .string(try IDToken(claims: claims).text)]
  }
}
