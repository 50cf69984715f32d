import TenonJSON

/// The outcome of ``Admin/importUsers(_:hash:)``.
public struct UserImportResult: Sendable, Hashable {
  /// The number of users that were imported.
  public let successCount: Int
  /// Why the others weren't imported, in the order of the users.
  public let errors: [UserBatchError]
  /// The number of users that weren't imported.
  public var failureCount: Int { errors.count }
}

/// Importing users of other systems.
extension Admin {
  private static let mostImported = 1_000

  /// Imports users with their IDs and, if their function is known, with the hashes of their passwords, so
  /// that they sign in with the passwords that they have.
  ///
  /// A user with an ID that exists is replaced in production. Each user is imported independently of the
  /// others.
  ///
  /// ```swift
  /// var ada = UserImportRecord(uid: "ada", email: "ada@example.com", passwordHash: hash, passwordSalt: salt)
  /// try ada.setCustomClaims(["role": "editor"])
  /// let result = try await admin.importUsers([ada], hash: .pbkdf2SHA256(rounds: 100_000))
  /// for error in result.errors { print(error) }
  /// ```
  ///
  /// The server hashes a password in its own way once the user has signed in with it. The embedded backend does,
  /// too; where its limits are lower than production's, it refuses the function with
  /// ``AdminError/Code/invalidHashAlgorithm``.
  ///
  /// - Parameters:
  ///   - users: at most 1,000 users.
  ///   - hash: the function of their passwords' hashes; `nil` if no user has one.
  /// - Returns: how many users were imported, and why others weren't.
  /// - Throws: ``AdminError``; with ``AdminError/Code/missingHashAlgorithm``,
  ///   ``AdminError/Code/invalidHashAlgorithm`` or ``AdminError/Code/maximumUserCountExceeded``, and with
  ///   ``AdminError/Code/invalidEmail`` and the like for what isn't allowed. No user is imported then.
  @discardableResult
  public func importUsers(
    _ users: [UserImportRecord], hash: UserImportHash? = nil
  ) async throws -> UserImportResult {
    guard users.count <= Self.mostImported else {
      throw AdminError(
        .maximumUserCountExceeded,
        "At most \(Self.mostImported) users can be imported at once. Import them in several calls.")
    }
    guard !users.isEmpty else { return UserImportResult(successCount: 0, errors: []) }
    let items = try users.map { try $0.wire() }
    guard hash != nil || items.allSatisfy({ $0["passwordHash"] == nil }) else {
      throw AdminError(
        .missingHashAlgorithm, "Users with hashes of passwords need a UserImportHash. Pass it as hash.")
    }
    var members = try hash?.wire() ?? [:]
    let secrets =
      items.compactMap { $0["passwordHash"]?.string } + (members["signerKey"]?.string.map { [$0] } ?? [])
    members["users"] = .array(items)
    let answer = try await send(
      ServerRequest(suffix: "/accounts:batchCreate", body: .object(members), secrets: secrets))
    let errors = try UserBatchError.all(in: answer["error"], count: users.count)
    return UserImportResult(successCount: users.count - errors.count, errors: errors)
  }
}
