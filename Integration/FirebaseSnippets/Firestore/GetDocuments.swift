import TenonStore

/// Reads the documents of a query.
func getDocuments() async {
  do {
    let querySnapshot = try await Store.store().collection("harbours")
      .whereField("isOpen", isEqualTo: true)
      .getDocuments()
    for document in querySnapshot.documents {
      print("\(document.documentID) => \(document.data())")
    }
  } catch {
    print("not read: \(error)")
  }
}
