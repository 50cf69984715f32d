import TenonStore

/// Reads the documents of a query in a closure.
func getDocumentsWithCompletion() throws {
  try Store.store().collection("harbours").whereField("isOpen", isEqualTo: true)
    // expect: 'getDocuments(source:completion:)' is unavailable: The call is asynchronous: try await query.getDocuments(), in a Task { … } if need be.
    .getDocuments() { (querySnapshot, err) in
      if let err = err {
        print("not read: \(err)")
      } else {
        for document in querySnapshot!.documents {
          print("\(document.documentID) => \(document.data())")
        }
      }
    }
}
