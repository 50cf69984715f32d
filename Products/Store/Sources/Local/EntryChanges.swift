import Foundation
import TenonDocuments
import TenonSQLite

/// What a transaction takes out of the index and puts into it, until it is written down.
///
/// Documents that are written one after the other have their entries all over the index. In the index's own order each of
/// its pages is changed once, however many documents a transaction has.
struct EntryChanges {
  private struct Change {
    let collection: Int64
    let field: Int64
    let value: Data
    let key: Data
    /// The document of a new entry; `nil` for one that goes.
    let document: Int64?
    /// The first bytes of the value, which tell most of them apart.
    let rank: UInt64

    func precedes(_ other: Change) -> Bool {
      if collection != other.collection { return collection < other.collection }
      if field != other.field { return field < other.field }
      if rank != other.rank { return rank < other.rank }
      let order = ByteOrder.compare(value, other.value)
      return order == 0 ? ByteOrder.compare(key, other.key) < 0 : order < 0
    }
  }

  private var changes: [Change] = []

  var count: Int { changes.count }

  /// Notes that a document's entry comes, or goes where there is no document.
  ///
  /// - Parameters:
  ///   - field: the number of the entry's field.
  ///   - key: the document's key.
  mutating func note(
    _ entry: IndexEntry, field: Int64, collection: Int64, key: Data, document: Int64?
  ) {
    let value = EntryTable.shortened(entry.value)
    changes.append(
      Change(
        collection: collection, field: EntryTable.field(field, entry.kind), value: value,
        key: EntryTable.shortened(key), document: document, rank: value.rank))
  }

  mutating func removeAll() { changes.removeAll(keepingCapacity: true) }

  /// Writes down what was noted.
  mutating func write(to database: Connection) throws {
    guard !changes.isEmpty else { return }
    // An entry that comes and goes several times ends as it was noted last: sorting keeps equal ones in their order.
    changes.sort { $0.precedes($1) }
    for change in changes {
      let place: [SQLValue] = [
        .integer(change.collection), .integer(change.field), .blob(change.value), .blob(change.key),
      ]
      if let document = change.document {
        try database.run(
          "INSERT INTO entries (collection, field, value, key, document) VALUES (?, ?, ?, ?, ?)",
          place + [.integer(document)])
      } else {
        try database.run(
          "DELETE FROM entries WHERE collection = ? AND field = ? AND value = ? AND key = ?", place)
      }
    }
    removeAll()
  }
}

extension Data {
  /// The first eight bytes as a number of the same order; shorter ones as if zeros followed.
  fileprivate var rank: UInt64 {
    var rank: UInt64 = 0
    for byte in prefix(8) { rank = rank << 8 | UInt64(byte) }
    return rank << (8 * UInt64(8 - Swift.min(count, 8)))
  }
}
