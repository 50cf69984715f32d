import TenonStore

/// Removes a document.
func deleteDocument() async throws {
  let db = try Store.store()
  do {
    try await db.collection("harbours").document("GOT").delete()
  } catch {
    print("not removed: \(error)")
  }
}

/// Removes a document and hears of it in a closure.
func deleteDocumentWithCompletion() throws {
  // expect: 'delete(completion:)' is unavailable: The call is asynchronous: try await document.delete(), in a Task { … } if need be.
  try Store.store().collection("harbours").document("GOT").delete() { err in
    if let err = err {
      print("not removed: \(err)")
    } else {
      print("removed")
    }
  }
}
