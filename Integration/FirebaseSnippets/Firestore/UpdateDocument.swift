import TenonStore

/// Changes fields, one of them nested.
func updateDocument() async throws {
  let harbour = try Store.store().collection("harbours").document("GOT")
  do {
    try await harbour.updateData([
      "berths": 421,
      "master.name": "Kim",
      FieldPath(["master", "phone"]): "555",
    ])
  } catch {
    print("not updated: \(error)")
  }
}

/// Changes a field and hears of it in a closure.
func updateDocumentWithCompletion() throws {
  // expect: 'updateData(_:completion:)' is unavailable: The call is asynchronous: try await document.updateData(fields), in a Task { … } if need be.
  try Store.store().document("harbours/GOT").updateData(["isOpen": false]) { err in
    if let err = err {
      print("not updated: \(err)")
    }
  }
}
