import TenonDocuments
import TenonStoreInterop

extension DocumentWrite {
  /// The document becomes this content.
  static func setting(
    _ path: ResourcePath, _ data: DocumentData, precondition: WritePrecondition? = nil
  ) throws -> DocumentWrite {
    if let fields = data.plain { return DocumentWrite(path, .set(fields), precondition: precondition) }
    let parsed = ParsedData(data)
    if let field = parsed.deletions.first {
      throw StoreError(
        .invalidArgument,
        "The field \"\(field.text)\" can't be deleted from a document that is replaced; leave it out, or merge."
      )
    }
    return DocumentWrite(
      path, .set(parsed.fields), transforms: parsed.transforms, precondition: precondition)
  }

  static func setting(_ path: ResourcePath, _ data: DocumentData, merge: Bool) throws -> DocumentWrite {
    merge ? try merging(path, data) : try setting(path, data)
  }

  /// The document keeps the fields that the content doesn't name.
  static func merging(_ path: ResourcePath, _ data: DocumentData) throws -> DocumentWrite {
    let parsed = ParsedData(data)
    let mask = (parsed.leaves + parsed.deletions).sorted { $0.compare($1) < 0 }
    try checkMask(mask)
    return DocumentWrite(path, .update(parsed.fields, mask: mask), transforms: parsed.transforms)
  }

  /// The document keeps everything but some fields, which become what the content says.
  static func merging(
    _ path: ResourcePath, _ data: DocumentData, fields: [FieldPath]
  ) throws -> DocumentWrite {
    let parsed = ParsedData(data)
    let wanted = Array(Set(fields)).sorted { $0.compare($1) < 0 }
    try checkMask(wanted)
    let transforms = parsed.transforms.filter { transform in
      wanted.contains { $0.isPrefix(of: transform.field) }
    }
    var mask: [FieldPath] = []
    for field in wanted {
      if transforms.contains(where: { $0.field == field }) { continue }
      guard parsed.fields[field] != nil || parsed.deletions.contains(field) else {
        throw StoreError(
          .invalidArgument, "The field \"\(field.text)\" is to be merged, but the content doesn't name it.")
      }
      mask.append(field)
    }
    return DocumentWrite(path, .update(parsed.fields, mask: mask), transforms: transforms)
  }

  /// Fields of a document that exists change.
  static func updating(
    _ path: ResourcePath, _ changes: [FieldPath: FieldValue], precondition: WritePrecondition = .exists(true)
  ) throws -> DocumentWrite {
    let changed = changes.keys.sorted { $0.compare($1) < 0 }
    try checkMask(changed)
    var fields = Fields()
    var mask: [FieldPath] = []
    var transforms: [FieldTransform] = []
    for field in changed {
      guard let value = changes[field] else { continue }
      let parsed = ParsedData(value, at: field)
      if let inner = parsed.deletions.first, inner != field {
        throw StoreError(
          .invalidArgument,
          "The field \"\(inner.text)\" lies in a map that is replaced; update it by its path to delete it."
        )
      }
      transforms += parsed.transforms
      guard parsed.transforms.first?.field != field else { continue }
      mask.append(field)
      fields[field] = parsed.fields[field]
    }
    return DocumentWrite(
      path, .update(fields, mask: mask), transforms: transforms, precondition: precondition)
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
