public import TenonStoreInterop

extension DocumentWrite {
  /// What the document is after this write; `nil` when there is none.
  ///
  /// - Parameters:
  ///   - old: the document before; `nil` when there is none.
  ///   - moment: the moment of the commit.
  /// - Throws: ``DocumentError`` when the result can't be a document, or a transform breaks a rule.
  public func result(on old: Fields?, at moment: Timestamp) throws(DocumentError) -> Fields? {
    try outcome(on: old, at: moment).fields
  }

  /// What the document is after this write, and what the transforms led to, in their order: null for those of arrays,
  /// as Firestore answers.
  package func outcome(
    on old: Fields?, at moment: Timestamp
  ) throws(DocumentError) -> (fields: Fields?, transformResults: [Value]) {
    var result: Fields
    switch operation {
    case .delete: return (nil, [])
    case .set(let fields): result = fields
    case .update(let fields, let mask):
      result = old ?? Fields()
      for field in mask { result[field] = fields[field] }
    }
    var transformResults: [Value] = []
    for transform in transforms {
      try transform.check()
      let value = transform.result(on: result[transform.field], at: moment)
      result[transform.field] = value
      transformResults.append(transform.answers ? value : .null)
    }
    try result.checkDocument(at: document)
    return (result.kept, transformResults)
  }
}

extension FieldTransform {
  fileprivate var answers: Bool {
    switch kind {
    case .serverTimestamp, .increment, .minimum, .maximum: true
    case .union, .remove: false
    }
  }
}
