import TenonFoundation
import TenonJSON
import TenonSQLite
import TenonTransport

/// Tenants, and whose accounts, sessions and codes a transaction reads and writes.
extension EmbeddedDatabase {
  /// Returns the key of the accounts, sessions and codes of a tenant, which is the project's ID for those of the
  /// project itself. The ID of a project has no slash.
  func space(of tenantID: String?) -> String {
    tenantID.map { "\(tenants)\($0)" } ?? accountProject
  }

  /// The beginning of the keys of all tenants.
  private var tenants: String { "\(accountProject)/tenants/" }

  /// The key of the accounts, sessions and codes that the transaction reads and writes.
  var space: String { space(of: tenantID) }

  /// Returns a tenant; `nil` if there is none with the ID.
  func tenant(_ id: String) throws -> Tenant? {
    try opened().first(
      "SELECT record FROM tenants WHERE project = ? AND id = ?", [.text(accountProject), .text(id)]
    ) { row in try JSON.decode(Tenant.self, from: row.blob(0)) }
  }

  /// Inserts a tenant, or replaces the one with the same ID.
  func save(_ tenant: Tenant) throws {
    try opened().run(
      """
      INSERT INTO tenants (project, id, record) VALUES (?, ?, ?)
      ON CONFLICT (project, id) DO UPDATE SET record = excluded.record
      """,
      [.text(accountProject), .text(tenant.tenantId), .blob(JSONEncoder().encode(tenant))])
  }

  /// Returns tenants in the order of their IDs.
  ///
  /// - Parameters:
  ///   - id: the ID after which to begin; `nil` to begin with the first tenant.
  ///   - limit: the greatest number of tenants to return.
  func tenants(after id: String?, limit: Int) throws -> [Tenant] {
    try opened().rows(
      "SELECT record FROM tenants WHERE project = ? AND id > ? ORDER BY id LIMIT ?",
      [.text(accountProject), .text(id ?? ""), .integer(limit)]
    ) { row in try JSON.decode(Tenant.self, from: row.blob(0)) }
  }

  /// Returns the number of tenants.
  func countTenants() throws -> Int64 {
    try opened().first("SELECT count(*) FROM tenants WHERE project = ?", [.text(accountProject)]) {
      $0.integer(0)
    } ?? 0
  }

  /// Deletes a tenant with its users, their sessions and codes, and its providers. Does nothing if there is none.
  ///
  /// - Complexity: O(*n*) in the number of users, sessions and codes of the tenant.
  func deleteTenant(_ id: String) throws {
    try opened().run("DELETE FROM tenants WHERE project = ? AND id = ?", [.text(accountProject), .text(id)])
    for table in ["accounts", "identities", "passkeys", "sessions", "codes", "providers"] {
      try opened().run("DELETE FROM \(table) WHERE project = ?", [.text(space(of: id))])
    }
  }

  /// Returns the codes of the project and of all tenants that haven't been used, in the order of their creation.
  func codesOfAllTenants() throws -> [AccountCode] {
    // The zero follows the slash.
    try opened().rows(
      """
      SELECT record FROM codes WHERE project = ?1 OR (project >= ?1 || '/tenants/' AND project < ?1 || '/tenants0')
      ORDER BY number
      """, [.text(projectID)]
    ) { row in try JSON.decode(AccountCode.self, from: row.blob(0)) }
  }
}

/// The accounts, sessions and codes of the project itself, or of one of its tenants. A transaction reads and
/// writes no others, and fails if the tenant no longer exists or is disabled.
struct AccountDatabase: Sendable {
  /// The database of all projects and tenants.
  let shared: EmbeddedDatabase
  /// The project.
  let projectID: String
  /// The tenant; `nil` for the project itself.
  let tenantID: String?

  /// The accounts of the project itself, whose tenants can be read and written.
  var ofProject: AccountDatabase { AccountDatabase(shared: shared, projectID: projectID, tenantID: nil) }

  /// Runs a closure in a transaction, as ``EmbeddedDatabase/transaction(_:)``.
  func transaction<Result: Sendable>(
    _ body: @Sendable (isolated EmbeddedDatabase) throws -> Result
  ) async throws -> Result {
    let (tenantID, projectID) = (tenantID, projectID)
    return try await shared.transaction { database in
      try database.enter(tenantID, of: projectID)
      defer { database.leave() }
      return try body(database)
    }
  }

  /// Runs a closure on one state of the database, as ``EmbeddedDatabase/read(_:)``.
  func read<Result: Sendable>(
    _ body: @Sendable (isolated EmbeddedDatabase) throws -> Result
  ) async throws -> Result {
    let (tenantID, projectID) = (tenantID, projectID)
    return try await shared.read { database in
      try database.enter(tenantID, of: projectID)
      defer { database.leave() }
      return try body(database)
    }
  }

  /// Returns the account with an address in its canonical form; `nil` if there is none.
  func account(email: String) async throws -> Account? { try await read { try $0.account(email: email) } }
}
