import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// What a transaction takes out of the index and puts into it, until it is written down.
///
/// Documents that are written one after the other have their entries all over the index. In the index's own order each of
/// its pages is changed once, however many documents a transaction has.
struct EntryChanges {
  /// A document whose entries change.
  struct Document {
    /// The number of its collection.
    let collection: Int64
    let key: Data
    let id: Int64
  }

  /// What happens to an entry. Its bytes are those of its place in the index.
  fileprivate struct Change {
    let collection: Int64
    let field: Int64
    let value: Range<Int>
    let key: Range<Int>
    /// The document of a new entry; `nil` for one that goes.
    let document: Int64?
    let isDouble: Bool
  }

  private var changes: [Change] = []
  /// The changed entries as they stand in the index: collection, field, whole value and whole key.
  private var entries = ByteStrings()

  /// Whether there is so much that it should be written down before more is noted.
  var areMany: Bool { changes.count >= 10_000 || entries.bytes.count >= 1 << 22 }

  // MARK: - Noting

  /// Notes what has to be taken out of the index and put into it when a document changes. Fields that stay as they are cost a
  /// comparison.
  mutating func note(
    _ document: Document, from old: Fields?, to new: Fields?, _ fields: FieldNumbers
  ) throws {
    try compare(old ?? Fields(), new ?? Fields(), of: document, below: [], fields)
  }

  private mutating func compare(
    _ old: Fields, _ new: Fields, of document: Document, below names: [String], _ fields: FieldNumbers
  ) throws {
    var (left, right) = (old.entries.startIndex, new.entries.startIndex)
    while left < old.entries.endIndex || right < new.entries.endIndex {
      // Both are sorted by their names.
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

  private mutating func replace(
    _ old: Value?, _ new: Value?, of document: Document, at names: [String], _ fields: FieldNumbers
  ) throws {
    let field = try fields.number(of: FieldPath(names))
    if let old { note(old, field, of: document, comes: false) }
    if let new { note(new, field, of: document, comes: true) }
    let (before, after) = (Self.elements(of: old), Self.elements(of: new))
    for element in before.subtracting(after) { note(element, field, of: document, comes: false) }
    for element in after.subtracting(before) { note(element, field, of: document, comes: true) }
    if old?.mapValue != nil || new?.mapValue != nil {
      try compare(old?.mapValue ?? Fields(), new?.mapValue ?? Fields(), of: document, below: names, fields)
    }
  }

  /// The encoded elements of an array, each once.
  private static func elements(of value: Value?) -> Set<Data> {
    Set((value?.arrayValue ?? []).map { IndexEncoding.encode($0) })
  }

  private mutating func note(_ value: Value, _ field: Int64, of document: Document, comes: Bool) {
    var isDouble = false
    if case .double = value { isDouble = true }
    note(EntryTable.field(field, .value), of: document, comes: comes, isDouble: isDouble) {
      IndexEncoding.append(value, to: &$0)
    }
  }

  private mutating func note(_ element: Data, _ field: Int64, of document: Document, comes: Bool) {
    note(EntryTable.field(field, .element), of: document, comes: comes) { $0.append(contentsOf: element) }
  }

  private mutating func note(
    _ field: Int64, of document: Document, comes: Bool, isDouble: Bool = false,
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
        key: EntryTable.shortened(key, of: entries.bytes), document: comes ? document.id : nil,
        isDouble: isDouble))
  }

  // MARK: - Writing

  /// Writes down what was noted. An entry that comes and goes several times ends as it was noted last.
  mutating func write(to database: Connection) throws {
    guard !changes.isEmpty else { return }
    try replay(to: database)
    removeAll()
  }

  private func replay(to database: Connection) throws {
    let bytes = entries.bytes.span
    // Gathered at once: between SQLite's calls, each would be fetched from memory anew.
    let sorted = entries.sorted().map { changes[$0] }
    let insertion =
      "INSERT INTO entries (collection, field, value, key, document, is_double) VALUES (?, ?, ?, ?, ?, ?)"
    let removal = "DELETE FROM entries WHERE collection = ? AND field = ? AND value = ? AND key = ?"
    try database.repeating(insertion, of: bytes) { insertion in
      try database.repeating(removal, of: bytes) { removal in
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

  mutating func removeAll() {
    // What a large transaction took isn't kept for small ones.
    if entries.bytes.count > 1 << 19 { (changes, entries) = ([], ByteStrings()) }
    changes.removeAll(keepingCapacity: true)
    entries.removeAll()
  }
}

extension RepeatedStatement {
  /// Says which entry is meant.
  fileprivate func bind(_ change: EntryChanges.Change) throws {
    try bind(change.collection, at: 1)
    try bind(change.field, at: 2)
    try bind(change.value, at: 3)
    try bind(change.key, at: 4)
  }
}
