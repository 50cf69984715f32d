import TenonStore

/// Reads one document in a closure.
func getDocumentWithCompletion() throws {
  let docRef = try Store.store().collection("harbours").document("GOT")
  // expect: 'getDocument(source:completion:)' is unavailable: The call is asynchronous: try await document.getDocument(), in a Task { … } if need be.
  docRef.getDocument { (document, error) in
    if let document = document, document.exists {
      print(document.documentID)
    } else {
      print("it does not exist")
    }
  }
  // expect: 'getDocument(source:completion:)' is unavailable: The call is asynchronous: try await document.getDocument(), in a Task { … } if need be.
  docRef.getDocument(source: .cache) { document, error in
    if let document {
      print(document.documentID)
    }
  }
}
