import TenonDocuments
package import TenonFoundation
import TenonSQLite
import TenonValues

/// The index entries that a transaction inserts and deletes, buffered until they are written.
///
/// The entries of consecutively written documents are scattered over the index. Writing them in index order
/// changes each index page once, however many documents the transaction changes.
///
/// An indexed field of a document has one entry for its value, whatever its type. An array has one more for
/// each distinct element. If every field is indexed, so are those that a map contains, at any depth. What is
/// inside an array's elements has no entries.
package struct EntryChanges {
  /// A document whose entries change.
  package struct Document {
    /// The number of its collection.
    package let collection: Int64
    package let key: Data
    package let id: Int64

    package init(collection: Int64, key: Data, id: Int64) {
      (self.collection, self.key, self.id) = (collection, key, id)
    }
  }

  /// The insertion or deletion of an entry. `value` and `key` are ranges of the byte buffer, with the content
  /// of these columns.
  fileprivate struct Change {
    let value: Range<Int>
    let key: Range<Int>
    /// The row ID of the document for an insertion; `nil` for a deletion.
    let document: Int64?
    let isDouble: Bool
    let number: Number
  }

  /// The content of the column `number`.
  fileprivate enum Number {
    case integer(Int64)
    case double(Double)
    case none
  }

  private var changes: [Change] = []
  /// The changed entries in the order of the index: group, full value and full key.
  private var entries = ByteStrings()

  /// Whether insertions replace equal entries, which exist if a write has inserted them since building began.
  var replaces = false

  /// Whether there are so many changes (10,000 changes or 4 MiB) that they should be written before more are
  /// added.
  var areMany: Bool { changes.count >= 10_000 || entries.bytes.count >= 1 << 22 }

  // MARK: - Adding

  /// The numbers of fields within a transaction, which assigns missing ones.
  private struct Numbering {
    let fields: FieldTable
    let transaction: WriteTransaction
    /// The values of ``EntryGroup/column`` whose entries aren't maintained.
    let exceptions: Set<Int64>

    /// Returns the values of ``EntryGroup/column`` for the entries of a field.
    func field(_ path: FieldPath) throws -> FieldPolicy.Field {
      let number = try fields.number(of: path, in: transaction)
      let (value, element) = (EntryTable.field(number, .value), EntryTable.field(number, .element))
      return FieldPolicy.Field(
        path: path, value: exceptions.contains(value) ? nil : value,
        element: exceptions.contains(element) ? nil : element)
    }
  }

  /// Adds the entries to delete and to insert when a document changes. Only fields that the policy contains
  /// cost anything; an unchanged one costs one comparison.
  ///
  /// - Parameters:
  ///   - document: the document.
  ///   - old: its fields before the change; `nil` if it is inserted.
  ///   - new: its fields after the change; `nil` if it is deleted.
  ///   - policy: which fields have entries.
  ///   - fields: the numbers of field paths.
  ///   - transaction: the transaction, in which new field paths receive their numbers.
  /// - Throws: `SQLiteError`.
  mutating func add(
    _ document: Document, from old: Fields?, to new: Fields?, _ policy: FieldPolicy, _ fields: FieldTable,
    in transaction: WriteTransaction
  ) throws {
    switch policy {
    case .everyField(let exceptions):
      let numbering = Numbering(fields: fields, transaction: transaction, exceptions: exceptions)
      try compare(old ?? Fields(), new ?? Fields(), of: document, below: [], numbering)
    case .fields(let indexed, _):
      for field in indexed {
        let (before, after) = (old?[field.path], new?[field.path])
        if before != after { replace(before, after, of: document, field) }
      }
    }
  }

  /// Adds the entries of one field of a document.
  mutating func insert(_ value: Value, of document: Document, _ field: FieldPolicy.Field) {
    replace(nil, value, of: document, field)
  }

  /// Compares two maps, and adds the changes of the fields that differ. Both are sorted by name, so they are
  /// merged in one pass.
  ///
  /// - Parameters:
  ///   - old: the map before the change; empty if there was none.
  ///   - new: the map after the change; empty if there is none.
  ///   - document: the document.
  ///   - names: the names of the fields that lead to the maps.
  ///   - fields: the numbers of fields.
  /// - Throws: `SQLiteError`.
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

  /// Adds the entry changes of one field: its value and its array elements. Elements that both arrays contain
  /// keep their entries.
  private mutating func replace(
    _ old: Value?, _ new: Value?, of document: Document, _ field: FieldPolicy.Field
  ) {
    if let column = field.value {
      if let old { add(old, column, of: document, inserts: false) }
      if let new { add(new, column, of: document, inserts: true) }
    }
    if let column = field.element {
      let (before, after) = (Self.elements(of: old), Self.elements(of: new))
      for element in before.subtracting(after) { add(element, column, of: document, inserts: false) }
      for element in after.subtracting(before) { add(element, column, of: document, inserts: true) }
    }
  }

  /// Adds the entry changes of one field, and of the fields of its map.
  private mutating func replace(
    _ old: Value?, _ new: Value?, of document: Document, at names: [String], _ fields: Numbering
  ) throws {
    replace(old, new, of: document, try fields.field(FieldPath(names)))
    if old?.mapValue != nil || new?.mapValue != nil {
      try compare(old?.mapValue ?? Fields(), new?.mapValue ?? Fields(), of: document, below: names, fields)
    }
  }

  /// Returns the distinct encoded elements of an array; none for other values.
  private static func elements(of value: Value?) -> Set<Data> {
    Set((value?.arrayValue ?? []).map { IndexEncoding.encode($0) })
  }

  /// Adds the insertion or deletion of the entry of a value.
  private mutating func add(_ value: Value, _ field: Int64, of document: Document, inserts: Bool) {
    var (isDouble, number) = (false, Number.none)
    switch value {
    case .integer(let integer): number = .integer(integer)
    case .double(let double):
      isDouble = true
      // SQLite stores NaN as `NULL`.
      if !double.isNaN { number = .double(double) }
    default: break
    }
    add(field, of: document, inserts: inserts, isDouble: isDouble, number) {
      IndexEncoding.append(value, to: &$0)
    }
  }

  /// Adds the insertion or deletion of the entry of an array element, given its encoding.
  private mutating func add(_ element: Data, _ field: Int64, of document: Document, inserts: Bool) {
    add(field, of: document, inserts: inserts) { $0.append(contentsOf: element) }
  }

  /// Adds a change, and appends its sort key to the buffer: the bytes of its group, then the value and the
  /// key. None of these is a prefix of another, so the sort keys have the order of the rows in the table.
  ///
  /// - Parameters:
  ///   - field: the value of ``EntryGroup/column``.
  ///   - document: the document.
  ///   - inserts: whether the entry is inserted; otherwise it is deleted.
  ///   - isDouble: whether the value is a double.
  ///   - number: the content of the column `number`.
  ///   - append: appends the encoded value.
  private mutating func add(
    _ field: Int64, of document: Document, inserts: Bool, isDouble: Bool = false, _ number: Number = .none,
    value append: (inout [UInt8]) -> Void
  ) {
    var (value, key) = (0..<0, 0..<0)
    entries.append { bytes in
      let start = bytes.count
      EntryGroup(collection: document.collection, column: field).append(to: &bytes)
      append(&bytes)
      // Checked: bytes were appended since.
      value = start..<bytes.count
      document.key.withUnsafeBytes { bytes.append(contentsOf: $0) }
      // Checked: bytes were appended since.
      key = value.upperBound..<bytes.count
    }
    changes.append(
      Change(
        // An encoded value begins with a type, which isn't 0, so that its group keeps all bytes.
        value: EntryTable.shortened(value, of: entries.bytes),
        key: EntryTable.shortened(key, of: entries.bytes), document: inserts ? document.id : nil,
        isDouble: isDouble, number: number))
  }

  // MARK: - Writing

  /// Writes the changes, one statement per change, in index order. If an entry was changed several times, the
  /// changes are written in the order in which they were added, so that the last one wins.
  ///
  /// - Throws: `SQLiteError`; the changes are kept then, and a rollback discards them.
  /// - Complexity: O(n log n) in the number of changes, which are sorted first.
  mutating func write(in transaction: WriteTransaction) throws {
    guard !changes.isEmpty else { return }
    try replay(in: transaction)
    removeAll()
  }

  /// Runs the statements of ``write(in:)``. Both statements stay prepared for the whole loop, and bind ranges
  /// of the buffer without copying them.
  private func replay(in transaction: WriteTransaction) throws {
    let bytes = entries.bytes.span
    // Gathered before the loop: between SQLite's calls, each change would be a cache miss.
    let sorted = entries.sorted().map { changes[$0] }
    let insertion =
      "INSERT \(replaces ? "OR REPLACE " : "")INTO entries (value, key, document, is_double, number) "
      + "VALUES (?, ?, ?, ?, ?)"
    let removal = "DELETE FROM entries WHERE value = ? AND key = ?"
    try transaction.repeating(insertion, of: bytes) { insertion in
      try transaction.repeating(removal, of: bytes) { removal in
        for change in sorted {
          if let document = change.document {
            try insertion.bind(change)
            try insertion.bind(document, at: 3)
            try insertion.bind(change.isDouble ? 1 : 0, at: 4)
            switch change.number {
            case .integer(let number): try insertion.bind(number, at: 5)
            case .double(let number): try insertion.bind(real: number, at: 5)
            case .none: try insertion.bindNull(at: 5)
            }
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
    // The memory of a large transaction isn't kept for small ones.
    if entries.bytes.count > 1 << 19 { (changes, entries) = ([], ByteStrings()) }
    changes.removeAll(keepingCapacity: true)
    entries.removeAll()
  }
}

extension RepeatedStatement {
  /// Binds the primary key of an entry.
  fileprivate func bind(_ change: EntryChanges.Change) throws {
    try bind(change.value, at: 1)
    try bind(change.key, at: 2)
  }
}
