public import TenonStoreInterop

extension DocumentWrite {
  /// What the document is after this write; `nil` when there is none.
  ///
  /// - Parameters:
  ///   - old: the document before; `nil` when there is none.
  ///   - moment: the moment of the commit.
  /// - Throws: ``DocumentError`` when the result can't be a document, or a transform breaks a rule.
  public func result(on old: Fields?, at moment: Timestamp) throws(DocumentError) -> Fields? {
    var result: Fields
    switch operation {
    case .delete: return nil
    case .set(let fields): result = fields
    case .update(let fields, let mask):
      result = old ?? Fields()
      for field in mask { result[field] = fields[field] }
    }
    for transform in transforms {
      try transform.check()
      result[transform.field] = transform.result(on: result[transform.field], at: moment)
    }
    try result.checkDocument(at: document)
    return result.kept
  }
}
