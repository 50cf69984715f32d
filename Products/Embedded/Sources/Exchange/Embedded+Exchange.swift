import TenonDocuments
import TenonFoundation
package import TenonJSON
import TenonStoreInterop

/// Everything that a project consists of, for programs that export and import it. They have an administrator's
/// access.
extension Embedded {
  /// The IDs of the databases, in their order.
  ///
  /// - Throws: `StoreRemoteError`.
  package var databaseNames: [String] {
    get async throws { try await documentDatabase.databaseNames() }
  }

  /// Calls a closure with each document of one state of a database, in the order of their collections and IDs.
  ///
  /// - Parameters:
  ///   - database: the ID of the database.
  ///   - body: receives the documents on the thread of the database, where it may block.
  /// - Throws: `StoreRemoteError`; the errors of `body`.
  package func forEachDocument(
    in database: String, _ body: @escaping @Sendable (ResourcePath, Fields) throws -> Void
  ) async throws {
    try await documentDatabase.forEachDocument(in: database, body)
  }

  /// Writes documents in one commit.
  ///
  /// - Throws: `StoreRemoteError`; nothing was written then.
  package func write(_ documents: [(ResourcePath, Fields)], in database: String) async throws {
    for (path, fields) in documents {
      do throws(DocumentError) {
        try path.checkDocument()
        try fields.checkDocument(at: path)
      } catch {
        throw StoreRemoteError.wrapping(error)
      }
    }
    let writes = documents.map { DocumentWrite($0.0, .set($0.1), precondition: nil) }
    _ = try await documentDatabase.commit(RemoteBatch(writes: writes), database, .administrator)
  }

  /// Returns a page of users in the form of `accounts:batchGet`, with the hashes of their passwords and the
  /// secrets of their authenticator apps.
  ///
  /// - Parameter after: the ID after which the page begins; `nil` for the first one.
  package func users(after: String?, limit: Int) async throws -> [JSON] {
    try await accounts.exported(after: after, limit: limit)
  }

  /// Adds users in that form, or in that of the Auth emulator.
  ///
  /// - Returns: for each user that can't be added, its place and a sentence.
  package func add(_ users: [JSON]) async throws -> [(place: Int, problem: String)] {
    try await accounts.add(users)
  }
}

extension DocumentDatabase {
  fileprivate func forEachDocument(
    in database: String, _ body: (ResourcePath, Fields) throws -> Void
  ) throws {
    try read(database) { try $0.forEachDocument(body) }
  }
}

extension AccountService {
  fileprivate func exported(after: String?, limit: Int) async throws -> [JSON] {
    try await database.read { try $0.accounts(after: after, limit: limit) }.map { account in
      var members = account.wire.object ?? [:]
      members["passwordHash"] = account.passwordHash.map(JSON.string)
      members["mfaInfo"] = account.mfaInfo.map { .array($0.map(\.exported)) }
      return .object(members)
    }
  }

  fileprivate func add(_ users: [JSON]) async throws -> [(place: Int, problem: String)] {
    var problems: [(place: Int, problem: String)] = []
    for (index, entry) in try await entries(of: users).enumerated() {
      do { try await save(entry.get(), overwrites: false) } catch let problem as AccountImport.Problem {
        problems.append((index, problem.message))
      }
    }
    return problems
  }
}
