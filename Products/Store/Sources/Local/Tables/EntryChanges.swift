import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// The index entries that a transaction inserts and deletes, buffered until they are written.
///
/// The entries of consecutively written documents are scattered over the index. Writing them in index order changes each index
/// page once, however many documents the transaction changes.
struct EntryChanges {
  /// A document whose entries change.
  struct Document {
    /// The number of its collection.
    let collection: Int64
    let key: Data
    let id: Int64
  }

  /// The insertion or deletion of an entry. `value` and `key` are ranges of the byte buffer.
  fileprivate struct Change {
    let collection: Int64
    let field: Int64
    let value: Range<Int>
    let key: Range<Int>
    /// The row ID of the document for an insertion; `nil` for a deletion.
    let document: Int64?
    let isDouble: Bool
  }

  private var changes: [Change] = []
  /// The changed entries in the order of the index: collection, field, full value and full key.
  private var entries = ByteStrings()

  /// Whether there are so many changes (10,000 changes or 4 MiB) that they should be written before more are added.
  var areMany: Bool { changes.count >= 10_000 || entries.bytes.count >= 1 << 22 }

  // MARK: - Adding

  /// Assigns numbers to fields within a transaction.
  private struct Numbering {
    let fields: FieldTable
    let transaction: WriteTransaction
    func number(of field: FieldPath) throws -> Int64 { try fields.number(of: field, in: transaction) }
  }

  /// Adds the entries to delete and to insert when a document changes. An unchanged field costs one comparison.
  mutating func add(
    _ document: Document, from old: Fields?, to new: Fields?, _ fields: FieldTable,
    in transaction: WriteTransaction
  ) throws {
    let numbering = Numbering(fields: fields, transaction: transaction)
    try compare(old ?? Fields(), new ?? Fields(), of: document, below: [], numbering)
  }

  /// Compares two maps, and adds the changes of the fields that differ.
  private mutating func compare(
    _ old: Fields, _ new: Fields, of document: Document, below names: [String], _ fields: Numbering
  ) throws {
    var (left, right) = (old.entries.startIndex, new.entries.startIndex)
    while left < old.entries.endIndex || right < new.entries.endIndex {
      // Both are sorted by field name.
      let order =
        if left == old.entries.endIndex { 1 } else if right == new.entries.endIndex { -1 } else {
          ByteOrder.compare(old.entries[left].name, new.entries[right].name)
        }
      if order != 0 || old.entries[left].value != new.entries[right].value {
        let name = order <= 0 ? old.entries[left].name : new.entries[right].name
        try replace(
          order <= 0 ? old.entries[left].value : nil, order >= 0 ? new.entries[right].value : nil,
          of: document, at: names + [name], fields)
      }
      if order <= 0 { left += 1 }
      if order >= 0 { right += 1 }
    }
  }

  /// Adds the entry changes of one field: its value, its array elements, and the fields of its map.
  private mutating func replace(
    _ old: Value?, _ new: Value?, of document: Document, at names: [String], _ fields: Numbering
  ) throws {
    let field = try fields.number(of: FieldPath(names))
    if let old { add(old, field, of: document, inserts: false) }
    if let new { add(new, field, of: document, inserts: true) }
    let (before, after) = (Self.elements(of: old), Self.elements(of: new))
    for element in before.subtracting(after) { add(element, field, of: document, inserts: false) }
    for element in after.subtracting(before) { add(element, field, of: document, inserts: true) }
    if old?.mapValue != nil || new?.mapValue != nil {
      try compare(old?.mapValue ?? Fields(), new?.mapValue ?? Fields(), of: document, below: names, fields)
    }
  }

  /// Returns the distinct encoded elements of an array; none for other values.
  private static func elements(of value: Value?) -> Set<Data> {
    Set((value?.arrayValue ?? []).map { IndexEncoding.encode($0) })
  }

  private mutating func add(_ value: Value, _ field: Int64, of document: Document, inserts: Bool) {
    var isDouble = false
    if case .double = value { isDouble = true }
    add(EntryTable.field(field, .value), of: document, inserts: inserts, isDouble: isDouble) {
      IndexEncoding.append(value, to: &$0)
    }
  }

  private mutating func add(_ element: Data, _ field: Int64, of document: Document, inserts: Bool) {
    add(EntryTable.field(field, .element), of: document, inserts: inserts) { $0.append(contentsOf: element) }
  }

  private mutating func add(
    _ field: Int64, of document: Document, inserts: Bool, isDouble: Bool = false,
    value append: (inout [UInt8]) -> Void
  ) {
    var (value, key) = (0..<0, 0..<0)
    entries.append { bytes in
      withUnsafeBytes(of: document.collection.bigEndian) { bytes.append(contentsOf: $0) }
      withUnsafeBytes(of: field.bigEndian) { bytes.append(contentsOf: $0) }
      let start = bytes.count
      append(&bytes)
      value = start..<bytes.count
      document.key.withUnsafeBytes { bytes.append(contentsOf: $0) }
      key = value.upperBound..<bytes.count
    }
    changes.append(
      Change(
        collection: document.collection, field: field, value: EntryTable.shortened(value, of: entries.bytes),
        key: EntryTable.shortened(key, of: entries.bytes), document: inserts ? document.id : nil,
        isDouble: isDouble))
  }

  // MARK: - Writing

  /// Writes the changes. If an entry was changed several times, the last change wins.
  mutating func write(in transaction: WriteTransaction) throws {
    guard !changes.isEmpty else { return }
    try replay(in: transaction)
    removeAll()
  }

  private func replay(in transaction: WriteTransaction) throws {
    let bytes = entries.bytes.span
    // Gathered before the loop: between SQLite's calls, each change would be a cache miss.
    let sorted = entries.sorted().map { changes[$0] }
    let insertion =
      "INSERT INTO entries (collection, field, value, key, document, is_double) VALUES (?, ?, ?, ?, ?, ?)"
    let removal = "DELETE FROM entries WHERE collection = ? AND field = ? AND value = ? AND key = ?"
    try transaction.repeating(insertion, of: bytes) { insertion in
      try transaction.repeating(removal, of: bytes) { removal in
        for change in sorted {
          if let document = change.document {
            try insertion.bind(change)
            try insertion.bind(document, at: 5)
            try insertion.bind(change.isDouble ? 1 : 0, at: 6)
            try insertion.run()
          } else {
            try removal.bind(change)
            try removal.run()
          }
        }
      }
    }
  }

  /// Discards the changes.
  mutating func removeAll() {
    // The memory of a large transaction is not kept for small ones.
    if entries.bytes.count > 1 << 19 { (changes, entries) = ([], ByteStrings()) }
    changes.removeAll(keepingCapacity: true)
    entries.removeAll()
  }
}

extension RepeatedStatement {
  /// Binds the primary key of an entry.
  fileprivate func bind(_ change: EntryChanges.Change) throws {
    try bind(change.collection, at: 1)
    try bind(change.field, at: 2)
    try bind(change.value, at: 3)
    try bind(change.key, at: 4)
  }
}
