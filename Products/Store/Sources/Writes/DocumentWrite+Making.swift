import TenonDocuments
import TenonStoreEngine
import TenonValues

extension DocumentWrite {
  /// Returns a write that replaces the document.
  ///
  /// - Parameters:
  ///   - path: the document.
  ///   - data: the data, whose transforms are applied after the fields were replaced.
  ///   - precondition: the condition on the document; none by default.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the data contains a deletion.
  static func setting(
    _ path: ResourcePath, _ data: DocumentData, precondition: WritePrecondition? = nil
  ) throws -> DocumentWrite {
    if let field = data.deletions.first {
      throw StoreError(
        .invalidArgument,
        "The field \"\(field.text)\" can't be deleted from a document that is replaced; omit it, or merge."
      )
    }
    return DocumentWrite(path, .set(data.fields), transforms: data.transforms, precondition: precondition)
  }

  /// Returns a write that sets the document; if `merge` is true, it keeps the fields that the data doesn't
  /// contain.
  static func setting(_ path: ResourcePath, _ data: DocumentData, merge: Bool) throws -> DocumentWrite {
    merge ? try merging(path, data) : try setting(path, data)
  }

  /// Returns a write that keeps the fields that the data doesn't contain. Maps are merged: the mask contains
  /// the innermost fields of the data, so that the other fields of a map are kept. An empty map replaces the
  /// field.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if a field path is invalid.
  static func merging(_ path: ResourcePath, _ data: DocumentData) throws -> DocumentWrite {
    let mask = (data.leaves + data.deletions).sorted { $0.compare($1) < 0 }
    try checkMask(mask)
    return DocumentWrite(path, .update(data.fields, mask: mask), transforms: data.transforms)
  }

  /// Returns a write of the given fields of the data; the other fields of the data are ignored. A field that
  /// contains a map is replaced by it, because the mask contains the field itself.
  ///
  /// - Parameters:
  ///   - path: the document.
  ///   - data: the data.
  ///   - fields: the fields; duplicates have no effect.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the data lacks one of the fields,
  ///   or a field contains another.
  static func merging(
    _ path: ResourcePath, _ data: DocumentData, fields: [FieldPath]
  ) throws -> DocumentWrite {
    let wanted = Array(Set(fields)).sorted { $0.compare($1) < 0 }
    try checkMask(wanted)
    let transforms = data.transforms.filter { transform in
      wanted.contains { $0.isPrefix(of: transform.field) }
    }
    var mask: [FieldPath] = []
    for field in wanted {
      if transforms.contains(where: { $0.field == field }) { continue }
      guard data.fields[field] != nil || data.deletions.contains(field) else {
        throw StoreError(
          .invalidArgument, "The field \"\(field.text)\" is to be merged, but the data doesn't contain it.")
      }
      mask.append(field)
    }
    return DocumentWrite(path, .update(data.fields, mask: mask), transforms: transforms)
  }

  /// Returns a write that changes fields of an existing document. A field that contains a map is replaced by
  /// it.
  ///
  /// - Parameters:
  ///   - path: the document.
  ///   - data: the new values and transforms, by field.
  ///   - precondition: the condition on the document.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if a value can't be stored, a field
  ///   path is invalid, a field contains another, or a deletion is inside a map that is replaced.
  static func updating<Field: FieldPathConvertible & Hashable>(
    _ path: ResourcePath, _ data: [Field: any DocumentValue], precondition: WritePrecondition
  ) throws -> DocumentWrite {
    var changes: [FieldPath: FieldValue] = [:]
    for (field, value) in data {
      let field = field.fieldPath
      do { changes[field] = try FieldValue(value) } catch {
        throw DocumentValueError(converting: error).below(field.text).storeError()
      }
    }
    let changed = changes.keys.sorted { $0.compare($1) < 0 }
    try checkMask(changed)
    var parts = DocumentData()
    for field in changed { if let value = changes[field] { parts.set(value, at: field) } }
    if let inner = parts.deletions.first(where: { changes[$0] == nil }) {
      throw StoreError(
        .invalidArgument,
        "The field \"\(inner.text)\" is in a map that is replaced; to delete it, update it by its path."
      )
    }
    let computed = Set(parts.transforms.map(\.field))
    return DocumentWrite(
      path, .update(parts.fields, mask: changed.filter { !computed.contains($0) }),
      transforms: parts.transforms, precondition: precondition)
  }

  /// Checks the field paths of a mask, none of which may contain another. The paths are sorted, so that a
  /// path directly precedes those that it contains.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument``.
  private static func checkMask(_ mask: [FieldPath]) throws {
    for field in mask { try checked { () throws(DocumentError) in try field.check() } }
    for (left, right) in zip(mask, mask.dropFirst()) where left.isPrefix(of: right) {
      throw StoreError(
        .invalidArgument,
        "The fields \"\(left.text)\" and \"\(right.text)\" can't both be changed: one contains the other."
      )
    }
  }
}
