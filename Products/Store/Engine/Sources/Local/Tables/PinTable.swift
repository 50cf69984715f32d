import TenonDocuments
import TenonFoundation
import TenonSQLite
package import TenonStoreInterop

/// The table `pins`: the documents and queries that garbage collection keeps; see ``QuerySource/pin()``.
///
/// A pin is identified by the canonical form of its target, and by whether its limit counts from the end.
/// `path` is the pinned document, or the document that contains the collection of a pinned query; `query` is
/// the query as JSON in the form of `google.firestore.v1`, and `NULL` for a document.
///
/// The pins are cached, and read again when this or another process has changed them.
package final class PinTable {
  /// The maximum number of pins.
  static let limit = 1_000

  /// A pin and its row.
  package struct Pin {
    /// What is pinned.
    package let subject: PinSubject
    /// The canonical form of the target, as it is stored.
    let target: Data
  }

  /// The name of the database in stored queries, which isn't that of the database itself.
  private static let database = DatabaseName(project: "pins")

  private let reader: DatabaseReader
  /// The pins, with the newest ID and the number of the rows from which they were read; `nil` if they weren't
  /// read.
  private var known: (newest: Int64, count: Int64, pins: [Pin])?

  init(_ reader: DatabaseReader) { self.reader = reader }

  /// Returns all pins, in the order in which they were made.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if one can't be decoded; `SQLiteError`.
  /// - Complexity: O(n) in the number of pins, which are only counted if they haven't changed.
  package func pins() throws -> [Pin] {
    let (newest, count) =
      try reader.first("SELECT max(id), count(*) FROM pins") { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
    if let known, known.newest == newest, known.count == count { return known.pins }
    let pins = try reader.rows("SELECT target, is_reversed, path, query FROM pins ORDER BY id") { row in
      Pin(
        subject: try subject(row.text(2), row.optionalBlob(3), isReversed: row.integer(1) != 0),
        target: row.blob(0))
    }
    known = (newest, count, pins)
    return pins
  }

  /// Returns whether a target is that of a pin.
  ///
  /// - Throws: `SQLiteError`.
  func contains(_ target: SyncTarget) throws -> Bool {
    try reader.hasRow("SELECT 1 FROM pins WHERE target = ?", [.blob(target.canonical)])
  }

  /// Decodes what is pinned.
  private func subject(_ path: String, _ query: Data?, isReversed: Bool) throws -> PinSubject {
    let path = ResourcePath(segments: path.unicodeScalars.split(separator: "/").map(String.init))
    guard let query else { return .document(path) }
    do {
      var structure = try FirestoreJSON(query).query(below: nil)
      structure.parent = path
      return .query(try RunnableQuery(structure, isLimitedToLast: isReversed))
    } catch {
      throw StoreError.damaged(reader.path, "a pinned query can't be read", underlying: error)
    }
  }

  /// Adds a pin; no effect if there is an equal one.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/resourceExhausted`` if there are ``limit`` pins already;
  ///   `DocumentError` if a value of a query can't be stored; `SQLiteError`.
  func insert(_ subject: PinSubject, in transaction: WriteTransaction) throws {
    let known = try pins()
    let target = subject.view.target.canonical
    let isReversed = subject.view.isLimitedToLast
    guard !known.contains(where: { $0.target == target && $0.subject.view.isLimitedToLast == isReversed })
    else { return }
    guard known.count < Self.limit else {
      throw StoreError(
        .resourceExhausted,
        "\(subject.description) can't be pinned: there are \(Self.limit) pins already. "
          + "Remove those that Store.pins() lists and that are no longer needed with unpin().")
    }
    try transaction.run(
      "INSERT INTO pins (target, is_reversed, path, query) VALUES (?, ?, ?, ?)",
      [
        .blob(target), .integer(isReversed ? 1 : 0), .text(subject.path.text),
        .blob(try subject.structure?.encoded(in: Self.database)),
      ])
  }

  /// Removes a pin.
  ///
  /// - Returns: whether it existed.
  /// - Throws: `SQLiteError`.
  func remove(_ subject: PinSubject, in transaction: WriteTransaction) throws -> Bool {
    try transaction.run(
      "DELETE FROM pins WHERE target = ? AND is_reversed = ?",
      [.blob(subject.view.target.canonical), .integer(subject.view.isLimitedToLast ? 1 : 0)])
    return transaction.changedRows > 0
  }
}

extension PinTable: TransactionParticipant {
  // The IDs that the transaction has assigned may be assigned again.
  func transactionRolledBack() { known = nil }
}

/// What is pinned: a document or a query.
package enum PinSubject: Sendable {
  case document(ResourcePath)
  case query(RunnableQuery)

  /// The same subject as that of a listener.
  var view: ListenQuery {
    switch self {
    case .document(let path): ListenQuery(path)
    case .query(let query): ListenQuery(query)
    }
  }

  /// The document, or the document that contains the query's collection.
  var path: ResourcePath {
    switch self {
    case .document(let path): path
    case .query(let query): query.order.query.parent
    }
  }

  /// The query as the app has made it; `nil` for a document.
  var structure: StructuredQuery? { if case .query(let query) = self { query.order.query } else { nil } }

  /// The beginning of a sentence.
  package var description: String {
    switch self {
    case .document(let path): "The document \(path.text)"
    case .query(let query): "The query \(query.order.query.description)"
    }
  }
}
