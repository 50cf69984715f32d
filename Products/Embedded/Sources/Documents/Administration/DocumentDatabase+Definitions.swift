import TenonFoundation
import TenonJSON
import TenonSQLite
import TenonStoreInterop

/// The kinds of definitions of a database.
enum DefinitionKind: String, Sendable {
  case index, field, operation
}

/// The indexes, the settings of fields and the operations of a database, which are kept with it.
extension DocumentDatabase {
  /// The greatest number of indexes, and of fields with settings. As many operations are kept.
  static let mostDefinitions = 1_000

  /// Returns the IDs of the project's databases, in their order.
  ///
  /// - Throws: `StoreRemoteError`.
  func databaseNames() throws -> [String] {
    try mappingErrors {
      // Creates the default one.
      try read(Self.defaultName) { table in
        try table.connection.rows(
          "SELECT name FROM databases WHERE project = ? ORDER BY name", [.text(projectID)]
        ) { $0.text(0) }
      }
    }
  }

  /// Returns a definition; `nil` if there is none.
  ///
  /// - Throws: `StoreRemoteError`.
  func definition(_ kind: DefinitionKind, _ name: String, _ database: String) throws -> JSON? {
    try mappingErrors {
      try read(database) { table in
        try table.connection.first(
          "SELECT record FROM definitions WHERE database = ? AND kind = ? AND name = ?",
          [.integer(table.id), .text(kind.rawValue), .text(name)]
        ) { try JSON(parsing: $0.blob(0)) }
      }
    }
  }

  /// Returns definitions whose names begin with a prefix, in the order of their names.
  ///
  /// - Throws: `StoreRemoteError`.
  func definitions(
    _ kind: DefinitionKind, below prefix: String, after: String?, limit: Int, _ database: String
  ) throws -> [(name: String, value: JSON)] {
    try mappingErrors {
      try read(database) { table in
        try table.connection.rows(
          """
          SELECT name, record FROM definitions
          WHERE database = ? AND kind = ? AND name > ? AND substr(name, 1, length(?4)) = ?4
          ORDER BY name LIMIT ?
          """,
          [
            .integer(table.id), .text(kind.rawValue), .text(after ?? ""), .text(prefix),
            .integer(Int64(clamping: limit)),
          ]
        ) { (name: $0.text(0), value: try JSON(parsing: $0.blob(1))) }
      }
    }
  }

  /// Saves a definition, together with the operation that has made it.
  ///
  /// - Parameters:
  ///   - value: the definition; `nil` to delete it.
  ///   - identity: what it may not share with another one below the same name; `nil` if that doesn't matter.
  /// - Throws: `StoreRemoteError` with `alreadyExists` or `resourceExhausted`.
  func define(
    _ kind: DefinitionKind, _ name: String, _ value: JSON?, in database: String, with operation: Operation,
    differing identity: (@Sendable (JSON) -> JSON)?
  ) throws {
    try mappingErrors {
      try write(database) { table in
        try table.createIfMissing()
        if let value {
          let parent = name.lastIndex(of: "/").map { String(name[...$0]) } ?? name
          let others = try table.definitions(kind).filter { $0.name != name }
          if let identity,
            others.contains(where: {
              $0.name.hasPrefix(parent) && identity($0.value) == identity(value)
            })
          {
            throw StoreRemoteError(.alreadyExists, "\(kind.rawValue) already exists")
          }
          guard others.count < Self.mostDefinitions else {
            throw StoreRemoteError(
              .resourceExhausted,
              "The embedded backend keeps at most \(Self.mostDefinitions) definitions (\(kind.rawValue)). Delete some."
            )
          }
          try table.saveDefinition(kind, name, value)
        } else {
          try table.deleteDefinition(kind, name)
        }
        try table.saveDefinition(.operation, operation.name, operation.json)
        try table.pruneOperations(keeping: Self.mostDefinitions)
      }
    }
  }

  /// Deletes a definition.
  ///
  /// - Returns: whether there was one.
  /// - Throws: `StoreRemoteError`.
  func deleteDefinition(_ kind: DefinitionKind, _ name: String, in database: String) throws -> Bool {
    guard try definition(kind, name, database) != nil else { return false }
    try mappingErrors { try write(database) { try $0.deleteDefinition(kind, name) } }
    return true
  }
}

extension PresentDocuments {
  fileprivate func definitions(_ kind: DefinitionKind) throws -> [(name: String, value: JSON)] {
    try connection.rows(
      "SELECT name, record FROM definitions WHERE database = ? AND kind = ?",
      [.integer(id), .text(kind.rawValue)]
    ) { (name: $0.text(0), value: try JSON(parsing: $0.blob(1))) }
  }

  fileprivate func saveDefinition(_ kind: DefinitionKind, _ name: String, _ value: JSON) throws {
    try connection.run(
      "INSERT OR REPLACE INTO definitions (database, kind, name, record) VALUES (?, ?, ?, ?)",
      [.integer(id), .text(kind.rawValue), .text(name), .blob(try value.serialized)])
  }

  fileprivate func deleteDefinition(_ kind: DefinitionKind, _ name: String) throws {
    try connection.run(
      "DELETE FROM definitions WHERE database = ? AND kind = ? AND name = ?",
      [.integer(id), .text(kind.rawValue), .text(name)])
  }

  /// Deletes the oldest operations.
  fileprivate func pruneOperations(keeping count: Int) throws {
    try connection.run(
      """
      DELETE FROM definitions WHERE number IN (
        SELECT number FROM definitions WHERE database = ? AND kind = 'operation'
        ORDER BY number DESC LIMIT -1 OFFSET ?)
      """, [.integer(id), .integer(Int64(clamping: count))])
  }
}
