import TenonDocuments
package import TenonValues

/// What the index of a field contains: the values or the array elements of the field, in all collections with
/// an ID.
package struct FieldIndexKey: Hashable {
  /// The ID of the collections as the only segment, because paths are compared as UTF-8 bytes.
  package let collection: ResourcePath
  /// The field.
  package let field: FieldPath
  /// What an entry contains.
  package let kind: EntryTable.Kind

  /// - Parameters:
  ///   - collectionID: the ID of the collections.
  ///   - field: the field.
  ///   - kind: what an entry contains.
  package init(_ collectionID: String, _ field: FieldPath, _ kind: EntryTable.Kind) {
    collection = ResourcePath(segments: [collectionID])
    self.field = field
    self.kind = kind
  }

  /// The index as it is stored and reported.
  var definition: CompositeIndex {
    CompositeIndex(collection.id, kind == .value ? .ascending(field) : .contains(field))
  }

  /// The name in ``QueryExplanation``.
  package var name: String { kind == .value ? "values of \(field.text)" : "elements of \(field.text)" }
}

/// The index of a field, as a row of the table `indexes` describes it. Its entries are rows of the table
/// `entries`.
package struct FieldIndex {
  /// Why there is a row, as stored in the column `kind`. 0 is a composite index.
  enum Origin: Int64 {
    /// A query needed the index. It is dropped when no query has used it for a long time.
    case automatic = 1
    /// The settings declare the index.
    case declared = 2
    /// The row that represents the indexes of all fields that have no separate row.
    case everyField = 3
    /// The settings exempt the field: it has no index, and the row is complete once its entries are deleted.
    case exempt = 4
  }

  /// The number of the row, which isn't reused.
  let number: Int64
  /// What the index contains.
  package let key: FieldIndexKey
  /// The value of ``EntryGroup/column`` of its entries.
  package let column: Int64
  let origin: Origin
  package let state: DeclaredIndex.State
  /// The time of the last use that was recorded, in microseconds since 1970.
  var used: Int64

  /// Whether writes maintain the index.
  var isMaintained: Bool { origin != .exempt && (state == .building || state == .complete) }
  /// Whether the index contains every document.
  package var isComplete: Bool { origin != .exempt && state == .complete }
}

/// Which fields of the documents of a collection have entries, which writes must maintain.
enum FieldPolicy {
  /// A field with its entries.
  struct Field {
    let path: FieldPath
    /// The value of ``EntryGroup/column`` of the entries for its value; `nil` if it has none.
    var value: Int64?
    /// The value of ``EntryGroup/column`` of the entries for its array elements; `nil` if it has none.
    var element: Int64?
  }

  /// These fields only; the selection contains all of them.
  case fields([Field], FieldSelection)
  /// All fields, except for the entries with these values of ``EntryGroup/column``.
  case everyField(except: Set<Int64>)

  /// Returns whether entries with a value of ``EntryGroup/column`` are maintained.
  func maintains(_ column: Int64) -> Bool {
    switch self {
    case .fields(let fields, _): fields.contains { $0.value == column || $0.element == column }
    case .everyField(let exceptions): !exceptions.contains(column)
    }
  }
}

/// The indexes of fields, as read from the table `indexes`.
package struct FieldIndexes {
  /// The state of the row for every field; `nil` if there is none.
  package private(set) var everyField: (number: Int64, state: DeclaredIndex.State)?
  /// The rows of single fields, which take precedence over the row for every field.
  private(set) var byKey: [FieldIndexKey: FieldIndex] = [:]

  /// Whether documents are maintained in the index of every field.
  var maintainsEveryField: Bool { everyField?.state == .building || everyField?.state == .complete }

  /// The rows of single fields, in the order in which they were registered.
  package var all: [FieldIndex] { byKey.values.sorted { $0.number < $1.number } }

  mutating func setEveryField(_ number: Int64, _ state: DeclaredIndex.State) { everyField = (number, state) }
  mutating func add(_ index: FieldIndex) { byKey[index.key] = index }
  mutating func setUsed(_ key: FieldIndexKey, _ time: Int64) { byKey[key]?.used = time }

  /// Returns whether queries may use the index: whether it contains every document.
  func isComplete(_ key: FieldIndexKey) -> Bool {
    if let index = byKey[key] { return index.isComplete }
    return everyField?.state == .complete
  }

  /// Returns the number of indexes of single fields that a collection ID has, without those being dropped.
  func count(_ collection: ResourcePath) -> Int {
    byKey.values.count { $0.key.collection == collection && $0.origin != .exempt && $0.state != .dropped }
  }

  /// Returns which entries writes maintain in the collections with an ID.
  func policy(_ collection: ResourcePath) -> FieldPolicy {
    let rows = byKey.values.filter { $0.key.collection == collection }
    guard !maintainsEveryField else {
      return .everyField(except: Set(rows.lazy.filter { !$0.isMaintained }.map(\.column)))
    }
    var fields: [FieldPath: FieldPolicy.Field] = [:]
    for index in rows where index.isMaintained {
      var field = fields[index.key.field] ?? FieldPolicy.Field(path: index.key.field)
      if index.key.kind == .value { field.value = index.column } else { field.element = index.column }
      fields[index.key.field] = field
    }
    return .fields(Array(fields.values), FieldSelection(Array(fields.keys)))
  }
}
