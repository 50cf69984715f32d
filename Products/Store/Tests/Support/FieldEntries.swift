import Foundation
import TenonSQLite
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The content of the table `entries`.
enum FieldEntries {
  /// Returns whether the entries are those of the documents, and of exactly the fields that have an index.
  static func areRight(in store: Store) async throws -> Bool {
    let (found, indexes, documents) = try await store.engine.use { running in
      let tables = running.local.tables
      try running.local.transactions.read {}
      var documents: [(ResourcePath, Fields)] = []
      try tables.documents.forEachPage { documents += $0.map { ($0.path, $0.fields) } }
      return (try entries(running.connection), tables.indexes.fieldIndexes, documents)
    }
    let copy = makeStore(settings: StoreSettings(fieldIndexing: .everyField))
    for (path, fields) in documents { try await copy.document(path.text).setData(fields) }
    let all = try await copy.engine.use { try entries($0.connection) }
    let expected = all.filter { entry in
      guard let field = FieldTable.decoded(entry.field) else { return false }
      let collection = ResourcePath(
        segments: entry.collection.split(separator: "/").suffix(1).map(String.init))
      let key = FieldIndexKey(
        collection.id, field, EntryTable.Kind(rawValue: entry.kind) ?? .value)
      return indexes.isComplete(key)
    }
    return found == expected
  }

  struct Entry: Hashable {
    let collection: String
    let field: Data
    let kind: Int64
    let value: Data
    let key: Data
    let document: String
  }

  static func entries(_ connection: Connection) throws -> Set<Entry> {
    let collections = try connection.rows("SELECT id, path FROM collections") { ($0.integer(0), $0.text(1)) }
    let fields = try connection.rows("SELECT id, path FROM fields") { ($0.integer(0), $0.blob(1)) }
    let paths = Dictionary(uniqueKeysWithValues: collections)
    let names = Dictionary(uniqueKeysWithValues: fields)
    let rows = "SELECT e.value, e.key, d.name FROM entries e LEFT JOIN documents d ON d.id = e.document"
    return Set(
      try connection.rows(rows) { row in
        let group = try #require(EntryGroup(of: row.blob(0)))
        return Entry(
          collection: try #require(paths[group.collection]), field: try #require(names[group.column / 2]),
          kind: group.column % 2, value: row.blob(0).dropFirst(group.prefix.count), key: row.blob(1),
          document: row.text(2))
      })
  }
}
