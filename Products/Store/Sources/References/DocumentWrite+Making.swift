import TenonDocuments
import TenonStoreInterop

extension DocumentWrite {
  static func setting(_ path: ResourcePath, _ fields: Fields, merge: Bool) -> DocumentWrite {
    merge
      ? DocumentWrite(path, .update(fields, mask: fields.leaves)) : DocumentWrite(path, .set(fields))
  }

  static func updating(_ path: ResourcePath, _ changes: [FieldPath: Value]) throws -> DocumentWrite {
    let mask = changes.keys.sorted { $0.compare($1) < 0 }
    try checkMask(mask)
    var fields = Fields()
    for field in mask { fields[field] = changes[field] }
    return DocumentWrite(path, .update(fields, mask: mask), precondition: .exists(true))
  }

  static func removing(_ fields: [FieldPath], from path: ResourcePath) throws -> DocumentWrite {
    let mask = fields.sorted { $0.compare($1) < 0 }
    try checkMask(mask)
    return DocumentWrite(path, .update(Fields(), mask: mask), precondition: .exists(true))
  }

  /// Sorted paths: one that leads to another stands right before it or before its other followers.
  private static func checkMask(_ mask: [FieldPath]) throws {
    for field in mask { try checked { () throws(DocumentError) in try field.check() } }
    for (left, right) in zip(mask, mask.dropFirst()) where left.isPrefix(of: right) {
      throw StoreError(
        .invalidArgument,
        "The fields \"\(left.text)\" and \"\(right.text)\" can't be changed at once: one contains the other."
      )
    }
  }
}

extension Fields {
  /// The paths at which values stand that aren't maps. An empty map counts as a value: merging it replaces what was
  /// there.
  var leaves: [FieldPath] {
    entries.flatMap { entry -> [FieldPath] in
      guard case .map(let inner) = entry.value, !inner.isEmpty else {
        return [FieldPath(segments: [entry.name])]
      }
      return inner.leaves.map { FieldPath(segments: [entry.name] + $0.segments) }
    }
  }
}
