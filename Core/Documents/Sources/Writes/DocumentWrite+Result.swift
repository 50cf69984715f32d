package import TenonValues

extension DocumentWrite {
  /// Returns the document's fields after this write; `nil` if the document doesn't exist then.
  ///
  /// The operation is applied first, then the transforms in their order, each to the result of those before
  /// it. `set` discards the old fields. `update` sets the fields of its mask, deletes those of the mask
  /// without a value, and ignores values outside the mask; if the document doesn't exist, it is created.
  /// `delete` ignores the transforms. The precondition isn't checked.
  ///
  /// - Parameters:
  ///   - old: the fields before the write; `nil` if the document doesn't exist.
  ///   - commitTime: the commit time, from which server timestamps are taken.
  /// - Returns: the fields, with timestamps truncated to microseconds.
  /// - Throws: ``DocumentError`` if a transform is invalid, or if the result breaks a rule for documents,
  ///   such as their size; see `Fields.checkDocument(at:)`. The old fields are checked as part of the result.
  package func result(on old: Fields?, at commitTime: Timestamp) throws(DocumentError) -> Fields? {
    try outcome(on: old, at: commitTime).fields
  }

  /// Returns the document's fields after the operation, without the transforms and without checking the
  /// result; `nil` if the document doesn't exist then.
  func contents(on old: Fields?) -> Fields? {
    switch operation {
    case .delete: return nil
    case .set(let fields): return fields
    case .update(let fields, let mask):
      var result = old ?? Fields()
      for field in mask { result[field] = fields[field] }
      return result
    }
  }

  /// Returns the document's fields after this write, and the results of its transforms in their order.
  ///
  /// The result of an array transform is null, as in Firestore
  /// (`google.firestore.v1.WriteResult.transform_results`). See ``result(on:at:)`` for the parameters and
  /// errors.
  package func outcome(
    on old: Fields?, at commitTime: Timestamp
  ) throws(DocumentError) -> (fields: Fields?, transformResults: [Value]) {
    guard var result = contents(on: old) else { return (nil, []) }
    var transformResults: [Value] = []
    for transform in transforms {
      try transform.check()
      let value = transform.result(on: result[transform.field], at: commitTime)
      result[transform.field] = value
      transformResults.append(transform.answers ? value : .null)
    }
    try result.checkDocument(at: document)
    return (result.kept, transformResults)
  }
}

extension FieldTransform {
  /// Whether the new value is reported in the write's transform results.
  package var answers: Bool {
    switch kind {
    case .serverTimestamp, .increment, .minimum, .maximum: true
    case .union, .remove: false
    }
  }
}
