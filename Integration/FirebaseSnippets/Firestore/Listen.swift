import TenonStore

/// A listener on one document.
func listenToDocument() throws -> ListenerRegistration {
  try Store.store().collection("harbours").document("GOT")
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
