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
  }

  /// What tells most changes apart, and is cheap to move about: where a change is, and the first bytes of its value.
  private struct SortKey {
    let collection: Int64
    let field: Int64
    let rank: UInt64
    let index: Int
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
        key: EntryTable.shortened(key), document: document))
  }

  mutating func removeAll() { changes.removeAll(keepingCapacity: true) }

  /// Writes down what was noted.
  mutating func write(to database: Connection) throws {
    guard !changes.isEmpty else { return }
    for key in sorted {
      let change = changes[key.index]
      if let document = change.document {
        try database.run(
          "INSERT INTO entries (collection, field, value, key, document) VALUES (?, ?, ?, ?, ?)",
          [
            .integer(change.collection), .integer(change.field), .blob(change.value), .blob(change.key),
            .integer(document),
          ])
      } else {
        try database.run(
          "DELETE FROM entries WHERE collection = ? AND field = ? AND value = ? AND key = ?",
          [.integer(change.collection), .integer(change.field), .blob(change.value), .blob(change.key)])
      }
    }
    removeAll()
  }

  /// The index's order. An entry that comes and goes several times ends as it was noted last.
  private var sorted: [SortKey] {
    changes.indices.map { index in
      let change = changes[index]
      return SortKey(
        collection: change.collection, field: change.field, rank: change.value.rank, index: index)
    }.sorted { left, right in
      if left.collection != right.collection { return left.collection < right.collection }
      if left.field != right.field { return left.field < right.field }
      if left.rank != right.rank { return left.rank < right.rank }
      let (before, after) = (changes[left.index], changes[right.index])
      let values = ByteOrder.compare(before.value, after.value)
      guard values == 0 else { return values < 0 }
      let keys = ByteOrder.compare(before.key, after.key)
      return keys == 0 ? left.index < right.index : keys < 0
    }
  }
}

extension Data {
  /// The first eight bytes as a number of the same order; shorter ones as if zeros followed.
  fileprivate var rank: UInt64 {
    withUnsafeBytes { bytes in
      var rank: UInt64 = 0
      for position in 0..<8 { rank = rank << 8 | (position < bytes.count ? UInt64(bytes[position]) : 0) }
      return rank
    }
  }
}
