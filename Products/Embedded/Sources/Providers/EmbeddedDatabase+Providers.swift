import TenonFoundation
import TenonJSON
import TenonSQLite
import TenonTransport

/// Configurations of identity providers of the project or of the tenant that the transaction is about.
extension EmbeddedDatabase {
  /// Returns a configuration; `nil` if there is none with the ID.
  func provider(_ kind: ProviderConfiguration.Kind, _ id: String) throws -> ProviderConfiguration? {
    try opened().first(
      "SELECT record FROM providers WHERE project = ? AND kind = ? AND id = ?",
      [.text(space), .text(kind.rawValue), .text(id)]
    ) { row in try JSON.decode(ProviderConfiguration.self, from: row.blob(0)) }
  }

  /// Inserts a configuration, or replaces the one with the same ID.
  func save(_ configuration: ProviderConfiguration) throws {
    try opened().run(
      """
      INSERT INTO providers (project, kind, id, record) VALUES (?, ?, ?, ?)
      ON CONFLICT (project, kind, id) DO UPDATE SET record = excluded.record
      """,
      [
        .text(space), .text(configuration.kind.rawValue), .text(configuration.id),
        .blob(JSONEncoder().encode(configuration)),
      ])
  }

  /// Returns configurations of a kind in the order of their IDs.
  ///
  /// - Parameters:
  ///   - kind: the kind.
  ///   - id: the ID after which to begin; `nil` to begin with the first one.
  ///   - limit: the greatest number of configurations to return.
  func providers(
    _ kind: ProviderConfiguration.Kind, after id: String?, limit: Int
  ) throws -> [ProviderConfiguration] {
    try opened().rows(
      "SELECT record FROM providers WHERE project = ? AND kind = ? AND id > ? ORDER BY id LIMIT ?",
      [.text(space), .text(kind.rawValue), .text(id ?? ""), .integer(limit)]
    ) { row in try JSON.decode(ProviderConfiguration.self, from: row.blob(0)) }
  }

  /// Returns the number of configurations of all kinds.
  func countProviders() throws -> Int64 {
    try opened().first("SELECT count(*) FROM providers WHERE project = ?", [.text(space)]) { $0.integer(0) }
      ?? 0
  }

  /// Deletes a configuration. Does nothing if there is none.
  func deleteProvider(_ kind: ProviderConfiguration.Kind, _ id: String) throws {
    try opened().run(
      "DELETE FROM providers WHERE project = ? AND kind = ? AND id = ?",
      [.text(space), .text(kind.rawValue), .text(id)])
  }
}
