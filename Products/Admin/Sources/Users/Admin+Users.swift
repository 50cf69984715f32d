import TenonFoundation
import TenonJSON

/// Users of the project.
extension Admin {
  /// The greatest number of identifiers of ``getUsers(_:)``.
  private static let mostIdentifiers = 100
  /// The greatest number of users of ``deleteUsers(withUIDs:)``.
  private static let mostDeleted = 1_000

  /// Creates a user.
  ///
  /// - Parameter request: the properties of the user; none for a user without any.
  /// - Returns: the user, as the server has it.
  /// - Throws: ``AdminError``; with ``AdminError/Code/uidAlreadyExists``,
  ///   ``AdminError/Code/emailAlreadyExists`` or ``AdminError/Code/phoneNumberAlreadyExists`` if another user
  ///   has it, and with ``AdminError/Code/invalidEmail`` and the like for what isn't allowed.
  @discardableResult
  public func createUser(_ request: UserRequest = UserRequest()) async throws -> UserRecord {
    let answer = try await send(
      ServerRequest(
        suffix: "/accounts", body: try request.wire(), secrets: request.password.map { [$0] } ?? []))
    return try await getUser(withUID: try Self.uid(in: answer))
  }

  /// Returns the user with an ID.
  ///
  /// - Throws: ``AdminError``; with ``AdminError/Code/userNotFound`` if there is none.
  public func getUser(withUID uid: String) async throws -> UserRecord { try await user(.uid(uid)) }

  /// Returns the user with an email address, in any case.
  ///
  /// - Throws: ``AdminError``; with ``AdminError/Code/userNotFound`` if there is none.
  public func getUser(withEmail email: String) async throws -> UserRecord { try await user(.email(email)) }

  /// Returns the user with a phone number, for example `+15550100`.
  ///
  /// - Throws: ``AdminError``; with ``AdminError/Code/userNotFound`` if there is none.
  public func getUser(withPhoneNumber phoneNumber: String) async throws -> UserRecord {
    try await user(.phoneNumber(phoneNumber))
  }

  /// Returns the user with an identity at a provider.
  ///
  /// - Parameters:
  ///   - providerID: the provider's ID, for example `google.com`.
  ///   - uid: the user's ID at the provider.
  /// - Throws: ``AdminError``; with ``AdminError/Code/userNotFound`` if there is none.
  public func getUser(withProviderID providerID: String, uid: String) async throws -> UserRecord {
    try await user(.provider(providerID, uid: uid))
  }

  /// Returns the users with some identifiers.
  ///
  /// - Parameter identifiers: at most 100 identifiers, of any kinds.
  /// - Returns: the users, and the identifiers that no user has.
  /// - Throws: ``AdminError``; with ``AdminError/Code/maximumUserCountExceeded`` for more identifiers.
  public func getUsers(_ identifiers: [UserIdentifier]) async throws -> GetUsersResult {
    guard identifiers.count <= Self.mostIdentifiers else {
      throw AdminError(
        .maximumUserCountExceeded,
        "At most \(Self.mostIdentifiers) users can be looked up at once. Look them up in several calls.")
    }
    guard !identifiers.isEmpty else { return GetUsersResult(users: [], notFound: []) }
    var members: [String: [JSON]] = [:]
    for identifier in identifiers { members[identifier.member, default: []].append(try identifier.wire()) }
    let users = try await lookup(.object(members.mapValues(JSON.array)))
    return GetUsersResult(
      users: users,
      notFound: identifiers.filter { identifier in !users.contains(where: identifier.identifies) })
  }

  /// Changes a user.
  ///
  /// A new password, and a new email address, end the user's sessions.
  ///
  /// - Parameters:
  ///   - uid: the user's ID.
  ///   - update: the changes.
  /// - Returns: the user, as the server has it now.
  /// - Throws: ``AdminError``; with ``AdminError/Code/userNotFound``, with
  ///   ``AdminError/Code/emailAlreadyExists``, ``AdminError/Code/phoneNumberAlreadyExists`` or
  ///   ``AdminError/Code/credentialAlreadyInUse`` if another user has it, and with
  ///   ``AdminError/Code/invalidEmail`` and the like for what isn't allowed.
  @discardableResult
  public func updateUser(withUID uid: String, _ update: UserUpdate) async throws -> UserRecord {
    let members = try update.wire()
    try await change(uid, members, secrets: update.password.map { [$0] } ?? [])
    return try await getUser(withUID: uid)
  }

  /// Sets the claims that the user's ID tokens have from the next one on, in place of earlier ones.
  ///
  /// - Parameters:
  ///   - claims: the claims, which must encode as an object of at most 1,000 bytes as JSON. An empty one, for
  ///     example `[String: String]()`, removes them.
  ///   - uid: the user's ID.
  /// - Throws: ``AdminError``; with ``AdminError/Code/forbiddenClaim`` and the ``AdminError/claim`` for a name
  ///   that is reserved, ``AdminError/Code/claimsTooLarge``, ``AdminError/Code/invalidClaims`` or
  ///   ``AdminError/Code/userNotFound``.
  public func setCustomUserClaims(_ claims: some Encodable, forUID uid: String) async throws {
    try await change(uid, ["customAttributes": .string(try UserRules.text(ofClaims: claims))])
  }

  /// Ends all sessions of a user: refresh tokens are no longer accepted. ID tokens and session cookies that
  /// were issued before are refused by verifications with `checkRevoked`, and by others until they expire.
  ///
  /// - Parameter uid: the user's ID.
  /// - Throws: ``AdminError``; with ``AdminError/Code/userNotFound`` if there is no such user.
  public func revokeRefreshTokens(forUID uid: String) async throws {
    try await change(uid, ["validSince": .string(String(time.seconds))])
  }

  /// Deletes a user.
  ///
  /// - Parameter uid: the user's ID.
  /// - Throws: ``AdminError``; with ``AdminError/Code/userNotFound`` if there is no such user.
  public func deleteUser(withUID uid: String) async throws {
    try UserRules.check(uid: uid)
    _ = try await send(ServerRequest(suffix: "/accounts:delete", body: ["localId": .string(uid)]))
  }

  /// Deletes users. Those that don't exist count as deleted.
  ///
  /// - Parameter uids: the IDs of at most 1,000 users.
  /// - Returns: how many users were deleted, and why others weren't.
  /// - Throws: ``AdminError``; with ``AdminError/Code/maximumUserCountExceeded`` for more users. None is
  ///   deleted then.
  @discardableResult
  public func deleteUsers(withUIDs uids: [String]) async throws -> DeleteUsersResult {
    guard uids.count <= Self.mostDeleted else {
      throw AdminError(
        .maximumUserCountExceeded,
        "At most \(Self.mostDeleted) users can be deleted at once. Delete them in several calls.")
    }
    for uid in uids { try UserRules.check(uid: uid) }
    guard !uids.isEmpty else { return DeleteUsersResult(successCount: 0, errors: []) }
    let answer = try await send(
      ServerRequest(
        suffix: "/accounts:batchDelete",
        body: ["localIds": .array(uids.map(JSON.string)), "force": true], isRepeatable: true))
    let errors = try UserBatchError.all(in: answer["errors"], count: uids.count)
    return DeleteUsersResult(successCount: uids.count - errors.count, errors: errors)
  }

  /// Returns the users with the identifiers of a lookup.
  func lookup(_ identifiers: JSON) async throws -> [UserRecord] {
    let answer = try await send(
      ServerRequest(suffix: "/accounts:lookup", body: identifiers, isRepeatable: true))
    return try (answer["users"]?.array ?? []).map { try UserRecord($0) }
  }

  private func user(_ identifier: UserIdentifier) async throws -> UserRecord {
    let users = try await lookup([identifier.member: [try identifier.wire()]])
    guard let user = users.first(where: identifier.identifies) else {
      throw AdminError(.userNotFound, "No user has \(identifier). Check the identifier.")
    }
    return user
  }

  private func change(_ uid: String, _ members: [String: JSON], secrets: [String] = []) async throws {
    try UserRules.check(uid: uid)
    let body = JSON.object(members.merging(["localId": .string(uid)]) { $1 })
    _ = try await send(
      ServerRequest(suffix: "/accounts:update", body: body, secrets: secrets, isRepeatable: true))
  }

  private static func uid(in answer: JSON) throws(AdminError) -> String {
    guard let uid = answer["localId"]?.string else {
      throw AdminError(.internalError, "The server for accounts created a user and didn't say which one.")
    }
    return uid
  }
}
