import TenonStore

/// A listener on one document.
func listenToDocument() throws -> ListenerRegistration {
  try Store.store().collection("harbours").document("GOT")
    // expect: 'addSnapshotListener(includeMetadataChanges:_:)' is unavailable: A listener receives a Result: addSnapshotListener { result in switch result { case .success(let document): … case .failure(let error): … } }.
    .addSnapshotListener { documentSnapshot, error in
      guard let document = documentSnapshot else {
        print("failed: \(error!)")
        return
      }
      guard let data = document.data() else {
        print("the document is empty")
        return
      }
      print("data: \(data)")
    }
}
