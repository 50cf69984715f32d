import TenonDocuments
package import TenonFoundation
import TenonSQLite
import TenonStoreInterop
package import TenonValues

/// The table `collections`: the numbers by which other tables refer to collections. Numbers and paths are
/// cached in memory.
///
/// A collection receives its number when another table first refers to a document in it. Its row remains when
/// the last document is deleted, so a cached number is valid until the transaction that assigned it is rolled
/// back, or the collection is dropped, which changes the generation of ``IndexTable``. Numbers start at 1; 0
/// represents all collections of an index over a collection group.
///
/// A dropped collection has a row in `dropped_collections` instead, until its documents and index entries have
/// been deleted; see ``DroppedRows``. Nothing finds them, because everything begins with the number of a
/// collection, except for the indexes over collection groups, which ``IndexStatement`` filters, and text indexes,
/// whose results are. If documents are then written to the same path, their collection receives another number.
///
/// The caches grow with the number of distinct collections that the process uses.
package final class CollectionTable {
  private let reader: DatabaseReader
  private var numbers: [ResourcePath: Int64] = [:]
  private var paths: [Int64: ResourcePath] = [:]
  /// The collection of the most recently located document.
  private var last: (path: ResourcePath, number: Int64)?

  init(_ reader: DatabaseReader) { self.reader = reader }

  /// Returns the key of a document within its collection: the ordered encoding of its ID. Numeric IDs
  /// (`__id7__`) precede others, as in Firestore.
  package static func key(_ document: ResourcePath) -> Data {
    OrderedEncoding.encode(id: document.id)
  }

  /// Returns the number of a collection; `nil` if it has none. That a collection has none isn't cached,
  /// because another process may assign one.
  ///
  /// - Throws: `SQLiteError`.
  package func number(of collection: ResourcePath) throws -> Int64? {
    if let number = numbers[collection] { return number }
    let number = try reader.first("SELECT id FROM collections WHERE path = ?", [.text(collection.text)]) {
      $0.integer(0)
    }
    numbers[collection] = number
    return number
  }

  /// Returns the number of a document's collection; `nil` if it has none, which means that no document of it
  /// was ever written.
  ///
  /// - Throws: `SQLiteError`.
  func number(containing document: ResourcePath) throws -> Int64? {
    // Consecutive documents often belong to the same collection.
    if let last, last.path.isParent(of: document) { return last.number }
    guard let parent = document.parent else { return nil }
    return try number(of: parent)
  }

  /// Returns the number of a document's collection, assigning one if necessary.
  ///
  /// - Parameters:
  ///   - document: the path of a document.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`.
  func number(containing document: ResourcePath, in transaction: WriteTransaction) throws -> Int64 {
    if let last, last.path.isParent(of: document) { return last.number }
    let path = ResourcePath(segments: Array(document.segments.dropLast()))
    let number = try number(of: path) ?? insert(path, in: transaction)
    last = (path, number)
    return number
  }

  private func insert(_ collection: ResourcePath, in transaction: WriteTransaction) throws -> Int64 {
    // The numbers of dropped collections are in use until their rows have been deleted.
    try transaction.run(
      """
      INSERT INTO collections (id, path, collection_id) SELECT 1 + max(coalesce(max(id), 0), \
      coalesce((SELECT max(id) FROM dropped_collections), 0)), ?, ? FROM collections
      """,
      [.text(collection.text), .text(collection.id)])
    numbers[collection] = transaction.lastInsertedRowID
    return transaction.lastInsertedRowID
  }

  /// Returns the path of a collection.
  ///
  /// - Parameter number: a number from another table. The path is empty if the collection was dropped, or if
  ///   the file is damaged.
  /// - Throws: `SQLiteError`.
  package func path(of number: Int64) throws -> ResourcePath {
    if let path = paths[number] { return path }
    let text = try reader.first("SELECT path FROM collections WHERE id = ?", [.integer(number)]) {
      $0.text(0)
    }
    guard let text else { return ResourcePath(segments: []) }
    let path = Self.path(text)
    paths[number] = path
    return path
  }

  /// Returns the smallest number of a collection with an ID that is greater than `number`; `nil` if there is
  /// none. Starting with 0, the calls enumerate the collections in the order in which they were first written
  /// to.
  ///
  /// - Throws: `SQLiteError`.
  func next(after number: Int64, id: String) throws -> Int64? {
    try reader.first(
      "SELECT min(id) FROM collections WHERE collection_id = ? AND id > ?", [.text(id), .integer(number)]
    ) { $0.optionalInteger(0) } ?? nil
  }

  /// Returns the smallest number of a collection that is greater than `number`; `nil` if there is none.
  ///
  /// - Throws: `SQLiteError`.
  func next(after number: Int64) throws -> Int64? {
    try reader.first("SELECT min(id) FROM collections WHERE id > ?", [.integer(number)]) {
      $0.optionalInteger(0)
    } ?? nil
  }

  /// Returns the numbers of the collections in a query's range.
  ///
  /// - Parameter query: a query over a collection, which has at most one number, or over a collection group.
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(1) for a collection; O(n) in the number of collections with the ID for a collection
  ///   group, even if its parent restricts it to some of them.
  func numbers(in query: ResolvedQuery) throws -> [Int64] {
    guard query.query.allDescendants else { return try number(of: query.collection).map { [$0] } ?? [] }
    let numbers = try reader.rows(
      "SELECT id FROM collections WHERE collection_id = ?", [.text(query.query.collectionID)]
    ) { $0.integer(0) }
    return try numbers.filter { query.isInScope(try path(of: $0).appending("any")) }
  }
}

extension CollectionTable {
  /// A dropped collection whose rows haven't all been deleted.
  struct Dropped {
    let number: Int64
    /// The path; `nil` if it was dropped by a version of the library that recorded none.
    let path: ResourcePath?
  }

  /// Drops a collection. Its documents and index entries are deleted later.
  ///
  /// - Parameters:
  ///   - number: the number of the collection.
  ///   - path: its path.
  ///   - transaction: the transaction, which must also change the generation of ``IndexTable``.
  /// - Throws: `SQLiteError`.
  func drop(_ number: Int64, at path: ResourcePath, in transaction: WriteTransaction) throws {
    try transaction.run("DELETE FROM collections WHERE id = ?", [.integer(number)])
    try transaction.run(
      "INSERT INTO dropped_collections (id, path) VALUES (?, ?)", [.integer(number), .text(path.text)])
    forget()
  }

  /// Returns a dropped collection whose rows haven't all been deleted; `nil` if there is none.
  ///
  /// - Throws: `SQLiteError`.
  func dropped() throws -> Dropped? {
    try reader.first("SELECT id, path FROM dropped_collections LIMIT 1") { row in
      Dropped(number: row.integer(0), path: row.isNull(1) ? nil : Self.path(row.text(1)))
    }
  }

  /// Returns the IDs of the dropped collections whose rows haven't all been deleted.
  ///
  /// - Throws: `SQLiteError`.
  func droppedIDs() throws -> Set<ResourcePath> {
    Set(
      try reader.rows("SELECT path FROM dropped_collections WHERE path IS NOT NULL") { row in
        ResourcePath(segments: Self.path(row.text(0)).segments.suffix(1))
      })
  }

  /// Removes a dropped collection all of whose rows have been deleted. Its number may be used again.
  ///
  /// - Throws: `SQLiteError`.
  func removeDropped(_ number: Int64, in transaction: WriteTransaction) throws {
    try transaction.run("DELETE FROM dropped_collections WHERE id = ?", [.integer(number)])
  }

  /// Returns the path with a text from a table.
  private static func path(_ text: String) -> ResourcePath {
    ResourcePath(segments: text.unicodeScalars.split(separator: "/").map(String.init))
  }
}

extension CollectionTable: TransactionParticipant {
  func transactionRolledBack() { forget() }

  /// Empties the caches, because numbers may have changed.
  func forget() {
    numbers = [:]
    paths = [:]
    last = nil
  }
}
