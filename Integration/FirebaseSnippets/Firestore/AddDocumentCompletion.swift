import TenonStore

/// Adds a document and reads its id in the closure.
func addDocumentWithCompletion() throws {
  var ref: DocumentReference? = nil
  // expect: 'addDocument(data:completion:)' is unavailable: The call is asynchronous: let document = try await collection.addDocument(data: data), in a Task { … } if need be.
  ref = try Store.store().collection("harbours").addDocument(data: [
    "name": "Visby",
    "country": "Sweden",
  ]) { err in
    if let err = err {
      print("not added: \(err)")
    } else {
      print("added with \(ref!.documentID)")
    }
  }
}
