import TenonStore

/// Raises a number; the last line of the body is a write.
func raiseShortly(harbour: DocumentReference) async throws {
  let db = try Store.store()
  try await db.runTransaction { transaction in
    try transaction.updateData(["berths": FieldValue.increment(1 as Int64)], forDocument: harbour)
  }
  // expect: 'runTransaction' is unavailable: A body without a result returns nothing: remove return nil.
  let outcome = try await db.runTransaction { transaction in
    let document = try await transaction.getDocument(harbour)
    try transaction.updateData(["seen": true], forDocument: document.reference)
    return nil
  }
  print(outcome as Any)
}
