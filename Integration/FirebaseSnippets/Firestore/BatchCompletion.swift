import TenonStore

/// Several writes that happen together.
func writeBatchWithCompletion() throws {
  let db = try Store.store()
  let batch = db.batch()
  // expect: call can throw but is not marked with 'try'
  batch.deleteDocument(db.collection("harbours").document("VBY"))
  // expect: 'commit(completion:)' is unavailable: The call is asynchronous: try await batch.commit(), in a Task { … } if need be.
  batch.commit() { err in
    if let err = err {
      print("not written: \(err)")
    } else {
      print("written")
    }
  }
  // expect: 'async' call in a function that does not support concurrency
  // expect: call can throw but is not marked with 'try'
  batch.commit()
}
