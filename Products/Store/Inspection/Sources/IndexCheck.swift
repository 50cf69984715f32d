import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonStoreEngine
import TenonValues

/// Compares the entries of the complete indexes with the documents.
///
/// Each document must have its entries, which are looked up; and each index must have as many entries as were
/// looked up. Indexes that are being built or dropped aren't compared.
final class IndexCheck {
  /// The entries that the documents of a collection must have.
  struct Expectation {
    /// The indexes of single fields by the value of ``EntryGroup/column``.
    fileprivate let columns: [Int64: FieldIndex]
    /// Whether all other fields have an index, too.
    fileprivate let everyField: Bool
    fileprivate let composite: [DeclaredIndex]
    fileprivate let text: StoredTextIndex?

    /// Whether a group of entries must be complete.
    fileprivate func contains(_ column: Int64) -> Bool { columns[column]?.isComplete ?? everyField }
  }

  private let connection: Connection
  private let tables: LocalTables
  /// The number of entries that were looked up.
  private(set) var entries: Int64 = 0
  /// The number of entries that each group, composite index and text index must have.
  private var (groups, composite, texts): ([EntryGroup: Int64], [Int64: Int64], [Int64: Int64]) = (
    [:], [:], [:]
  )
  private var expectations: [Int64: Expectation] = [:]

  init(_ inspector: StoreInspector) { (connection, tables) = (inspector.connection, inspector.tables) }

  /// Returns which entries the documents of a collection must have.
  ///
  /// - Throws: `SQLiteError`.
  func expectation(_ number: Int64, _ collection: ResourcePath) throws -> Expectation {
    let indexes = tables.indexes
    let id = ResourcePath(segments: collection.segments.suffix(1))
    let rows = indexes.fieldIndexes.all.filter { $0.key.collection == id }
    let text = indexes.textIndexes[id]
    let expectation = Expectation(
      columns: Dictionary(rows.map { ($0.column, $0) }) { first, _ in first },
      everyField: indexes.fieldIndexes.everyField?.state == .complete,
      composite: indexes.complete.filter { $0.definition.concerns(collection) },
      text: text?.state == .complete ? text : nil)
    expectations[number] = expectation
    return expectation
  }

  // MARK: - One document

  /// Looks up the entries that a document must have.
  ///
  /// - Parameters:
  ///   - document: the document.
  ///   - place: the number of its collection, its key and its row ID.
  ///   - expectation: what the documents of its collection must have.
  ///   - found: called with each defect.
  func check(
    _ document: StoredDocument, _ place: EntryChanges.Document, _ expectation: Expectation,
    _ found: (StoreDefect) throws -> Void
  ) throws {
    if expectation.everyField {
      try checkFields(document.fields, below: [], of: document, place, expectation, found)
    } else {
      for index in expectation.columns.values where index.isComplete {
        guard let value = document.fields[index.key.field] else { continue }
        try checkValue(value, index.key.kind, index.column, of: document, place, found)
      }
    }
    for index in expectation.composite {
      let key = index.key(of: document.path)
      for value in index.values(of: document.fields) {
        count(&composite, index.number)
        let row = try connection.first(
          "SELECT document FROM index_entries WHERE idx = ? AND collection = ? AND value = ? AND key = ?",
          [.integer(index.number), .integer(index.collection(place.collection)), .blob(value), .blob(key)]
        ) { $0.integer(0) }
        if row != place.id { try missing(index.definition.name, document, found) }
      }
    }
    try checkText(of: document, place, expectation.text, found)
  }

  /// Looks up the entries of all fields, at any depth.
  private func checkFields(
    _ fields: Fields, below names: [String], of document: StoredDocument, _ place: EntryChanges.Document,
    _ expectation: Expectation, _ found: (StoreDefect) throws -> Void
  ) throws {
    for entry in fields.entries {
      let path = FieldPath(names + [entry.name])
      let number = try tables.fields.number(of: path)
      for kind in [EntryTable.Kind.value, .element] {
        guard let number else {
          try missing(FieldIndexKey("", path, .value).name, document, found)
          break
        }
        let column = EntryTable.field(number, kind)
        guard expectation.contains(column) else { continue }
        try checkValue(entry.value, kind, column, of: document, place, found)
      }
      if let inner = entry.value.mapValue {
        try checkFields(inner, below: names + [entry.name], of: document, place, expectation, found)
      }
    }
  }

  /// Looks up the entries of a value: one for the value itself, or one for each distinct element of an array.
  private func checkValue(
    _ value: Value, _ kind: EntryTable.Kind, _ column: Int64, of document: StoredDocument,
    _ place: EntryChanges.Document, _ found: (StoreDefect) throws -> Void
  ) throws {
    let group = EntryGroup(collection: place.collection, column: column)
    let encodings: Set<Data> =
      kind == .value
      ? [IndexEncoding.encode(value)] : Set((value.arrayValue ?? []).map { IndexEncoding.encode($0) })
    for encoding in encodings {
      groups[group, default: 0] += 1
      entries += 1
      let row = try connection.first(
        "SELECT document, is_double, number FROM entries WHERE value = ? AND key = ?",
        // Checked: bytes.
        [.blob(EntryTable.shortened(group.prefix + encoding)), .blob(EntryTable.shortened(place.key))]
      ) { (document: $0.integer(0), isDouble: $0.optionalInteger(1), number: $0.value(2)) }
      let isRight =
        row.map {
          $0.document == place.id
            && Self.agrees(kind == .value ? value : .null, isDouble: $0.isDouble, number: $0.number)
        } ?? false
      if !isRight { try missing(try name(of: group), document, found) }
    }
  }

  /// Returns whether the columns of an entry that its encoded value doesn't determine are those of a value.
  /// Older entries lack them.
  private static func agrees(_ value: Value, isDouble: Int64?, number: SQLValue) -> Bool {
    switch (value, number) {
    case (.integer(let value), .integer(let number)): value == number && isDouble == 0
    case (.double(let value), .real(let number)): value == number && isDouble == 1
    case (.double, .null): isDouble != 0
    case (_, .null): isDouble != 1
    default: false
    }
  }

  private func checkText(
    of document: StoredDocument, _ place: EntryChanges.Document, _ index: StoredTextIndex?,
    _ found: (StoreDefect) throws -> Void
  ) throws {
    guard let index, index.texts({ document.fields[$0] }) != nil else { return }
    count(&texts, index.number)
    let isPresent =
      try connection.first("SELECT 1 FROM \(index.table)_docsize WHERE id = ?", [.integer(place.id)]) { _ in
        true
      }
    if isPresent == nil { try missing("text of \(index.definition.collectionID)", document, found) }
  }

  private func count(_ counts: inout [Int64: Int64], _ number: Int64) {
    counts[number, default: 0] += 1
    entries += 1
  }

  private func missing(
    _ index: String, _ document: StoredDocument, _ found: (StoreDefect) throws -> Void
  ) throws {
    try found(
      StoreDefect(.index, "The index \"\(index)\" lacks an entry of the document \(document.path.text)."))
  }

  // MARK: - All entries

  /// Compares the number of entries of each index with the number of those that were looked up.
  func checkCounts(_ found: (StoreDefect) throws -> Void) throws {
    var group: EntryGroup?
    while let next = try tables.indexes.entryGroup(after: group) {
      group = next
      guard expectations[next.collection]?.contains(next.column) == true else { continue }
      let count = try connection.first(
        "SELECT count(*) FROM entries WHERE value >= ? AND value < ?",
        [.blob(next.prefix), .blob(next.prefix.successor)]
      ) { $0.integer(0) }
      try compare(
        // Checked: a dictionary.
        count, groups[next], found,
        "\(try name(of: next))\" of the collection \"\(try tables.collections.path(of: next.collection).text)"
      )
    }
    for index in tables.indexes.complete {
      let count = try connection.first(
        """
        SELECT count(*) FROM index_entries e WHERE idx = ? \
        AND collection NOT IN (SELECT id FROM dropped_collections) AND NOT EXISTS (SELECT 1 FROM documents \
        WHERE id = e.document AND collection IN (SELECT id FROM dropped_collections))
        """, [.integer(index.number)]
      ) { $0.integer(0) }
      try compare(count, composite[index.number], found, index.definition.name)
    }
    for index in tables.indexes.textIndexes.values where index.state == .complete {
      let count = try connection.first(
        """
        SELECT count(*) FROM \(index.table)_docsize WHERE id NOT IN (SELECT id FROM documents \
        WHERE collection IN (SELECT id FROM dropped_collections))
        """
      ) { $0.integer(0) }
      try compare(count, texts[index.number], found, "text of \(index.definition.collectionID)")
    }
  }

  /// Reports an index with more entries than documents account for. Missing ones were reported.
  private func compare(
    _ count: Int64?, _ expected: Int64?, _ found: (StoreDefect) throws -> Void, _ index: String
  ) throws {
    let surplus = (count ?? 0).subtractingReportingOverflow(expected ?? 0).partialValue
    guard surplus > 0 else { return }
    try found(
      StoreDefect(
        .index, "The index \"\(index)\" has \(surplus) more entries than the documents account for."))
  }

  /// The name of the index of a group.
  private func name(of group: EntryGroup) throws -> String {
    let field = try tables.fields.path(of: group.column / 2)
    return FieldIndexKey("", field ?? FieldPath([""]), group.column % 2 == 0 ? .value : .element).name
  }
}
