import TenonDocuments
import TenonValues

/// The data of a write, separated into plain values, the fields that a merge writes, transforms and
/// deletions.
///
/// Firestore's protocol separates them in the same way: a write consists of plain fields, a mask of the
/// fields to change, and transforms, which are applied last.
struct ParsedData {
  /// The plain values.
  private(set) var fields = Fields()
  /// The paths of the values that aren't maps. An empty map counts as a value: merging it replaces the field.
  private(set) var leaves: [FieldPath] = []
  /// The transforms; those of a whole document are in ascending order of their fields.
  private(set) var transforms: [FieldTransform] = []
  /// The fields to delete.
  private(set) var deletions: [FieldPath] = []

  /// Separates the data of a document.
  ///
  /// - Complexity: O(n) in the number of fields at all depths, and O(t log t) for t transforms.
  init(_ data: DocumentData) {
    add(data.entries, below: [])
    transforms += data.serverTimestamps.map { FieldTransform($0, .serverTimestamp) }
    // Dictionaries are unordered, so sorting makes the order deterministic.
    if transforms.count > 1 { transforms.sort { $0.field.compare($1.field) < 0 } }
  }

  /// Creates the parts of one field of an update.
  init(_ value: FieldValue, at field: FieldPath) { add(value, at: field) }

  /// Adds the fields of a map.
  ///
  /// - Parameters:
  ///   - entries: the names and values.
  ///   - names: the names that lead to the map; empty for the document.
  private mutating func add(_ entries: [(name: String, value: FieldValue)], below names: [String]) {
    for entry in entries { add(entry.value, at: FieldPath(names + [entry.name])) }
  }

  /// Adds the parts of a value at a field.
  private mutating func add(_ value: FieldValue, at field: FieldPath) {
    switch value.content {
    case .value(let value):
      fields[field] = value
      leaves += value.leaves(at: field)
    case .map(let entries):
      // The map exists even if all of its fields are computed.
      fields[field] = .map(Fields())
      if entries.isEmpty { leaves.append(field) }
      add(entries, below: field.segments)
    case .transform(let kind): transforms.append(FieldTransform(field, kind))
    case .delete: deletions.append(field)
    // This error was thrown when the field value was created from the document value.
    case .invalid: break
    }
  }
}

extension Value {
  /// Returns the paths of the values below a field that aren't maps; an empty map counts as a value.
  fileprivate func leaves(at field: FieldPath) -> [FieldPath] {
    guard case .map(let inner) = self, !inner.isEmpty else { return [field] }
    return inner.entries.flatMap { $0.value.leaves(at: FieldPath(field.segments + [$0.name])) }
  }
}
