import TenonStore

/// Several writes that happen together.
func writeBatch() async throws {
  let db = try Store.store()
  let batch = db.batch()
  let got = db.collection("harbours").document("GOT")
  // expect: call can throw but is not marked with 'try'
  batch.setData(["name": "Gothenburg"], forDocument: got)
  // expect: call can throw but is not marked with 'try'
  batch.setData(["name": "Gothenburg"], forDocument: got, merge: true)
  // expect: call can throw but is not marked with 'try'
  batch.updateData(["berths": 1_000], forDocument: got)
  // expect: call can throw but is not marked with 'try'
  batch.deleteDocument(db.collection("harbours").document("VBY"))
  do {
    try await batch.commit()
  } catch {
    print("not written: \(error)")
  }
}
