import TenonStore

/// Reads the collections of one name below every document.
func collectionGroup() async {
  do {
    let snapshot = try await Store.store().collectionGroup("berths")
      .whereField("type", isEqualTo: "guest").getDocuments()
    for document in snapshot.documents {
      print(document.reference.parent.parent?.documentID ?? "", document.data())
    }
  } catch {
    print(error)
  }
}
