import TenonStore

/// Writes a document and hears of it in a closure.
func setDocumentWithCompletion() throws {
  let db = try Store.store()
  // expect: 'setData(_:merge:completion:)' is unavailable: The call is asynchronous: try await document.setData(data), in a Task { … } if need be.
  db.collection("harbours").document("GOT").setData([
    "name": "Gothenburg",
    "berths": 420,
  ]) { error in
    if let error = error {
      print("not written: \(error)")
    } else {
      print("written")
    }
  }
}
