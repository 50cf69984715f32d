import TenonDocuments
import TenonStoreInterop

/// Content taken apart: the plain values, which of them a merge writes, and what is computed or removed.
struct ParsedData {
  private(set) var fields = Fields()
  /// The paths at which values stand that aren't maps. An empty map counts as a value: merging it replaces what was
  /// there.
  private(set) var leaves: [FieldPath] = []
  private(set) var transforms: [FieldTransform] = []
  private(set) var deletions: [FieldPath] = []

  init(_ data: DocumentData) { add(data, below: []) }

  /// One field of an update.
  init(_ value: FieldValue, at field: FieldPath) { add(value, at: field) }

  private mutating func add(_ data: DocumentData, below names: [String]) {
    for entry in data.entries { add(entry.value, at: FieldPath(segments: names + [entry.name])) }
  }

  private mutating func add(_ value: FieldValue, at field: FieldPath) {
    switch value.content {
    case .value(let value):
      fields[field] = value
      leaves += value.leaves(at: field)
    case .map(let data):
      // There even if everything in it is computed.
      fields[field] = .map(Fields())
      if data.entries.isEmpty { leaves.append(field) }
      add(data, below: field.segments)
    case .transform(let kind): transforms.append(FieldTransform(field, kind))
    case .delete: deletions.append(field)
    }
  }
}

extension Value {
  fileprivate func leaves(at field: FieldPath) -> [FieldPath] {
    guard case .map(let inner) = self, !inner.isEmpty else { return [field] }
    return inner.entries.flatMap { $0.value.leaves(at: FieldPath(segments: field.segments + [$0.name])) }
  }
}
