import TenonDocuments
import TenonStoreInterop

/// The content of a write: its plain values, the fields that a merge writes, the transforms and the deletions.
struct ParsedData {
  private(set) var fields = Fields()
  /// The paths of the values that are not maps. An empty map counts as a value: merging it replaces the field.
  private(set) var leaves: [FieldPath] = []
  private(set) var transforms: [FieldTransform] = []
  private(set) var deletions: [FieldPath] = []

  init(_ data: DocumentData) {
    add(data.entries, below: [])
    transforms += data.serverTimestamps.map { FieldTransform($0, .serverTimestamp) }
    // Dictionaries have no order.
    if transforms.count > 1 { transforms.sort { $0.field.compare($1.field) < 0 } }
  }

  /// The content of one field of an update.
  init(_ value: FieldValue, at field: FieldPath) { add(value, at: field) }

  private mutating func add(_ entries: [(name: String, value: FieldValue)], below names: [String]) {
    for entry in entries { add(entry.value, at: FieldPath(names + [entry.name])) }
  }

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
    // Thrown when the field value was made from the document value.
    case .invalid: break
    }
  }
}

extension Value {
  fileprivate func leaves(at field: FieldPath) -> [FieldPath] {
    guard case .map(let inner) = self, !inner.isEmpty else { return [field] }
    return inner.entries.flatMap { $0.value.leaves(at: FieldPath(field.segments + [$0.name])) }
  }
}
