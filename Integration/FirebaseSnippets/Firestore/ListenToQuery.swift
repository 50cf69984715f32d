import TenonStore

/// Listens to a query and looks at what has changed.
func listenToQuery() throws {
  let listener = try Store.store().collection("harbours").whereField("country", isEqualTo: "Sweden")
    .addSnapshotListener(includeMetadataChanges: true) { querySnapshot, error in
      guard let snapshot = querySnapshot else {
        print("failed: \(error!)")
        return
      }
      snapshot.documentChanges.forEach { diff in
        if diff.type == .added {
          print("new: \(diff.document.data())")
        }
        if diff.type == .modified {
          // expect: string interpolation produces a debug description for an optional value; did you mean to make this explicit?
          print("changed: \(diff.document.data()), \(diff.oldIndex), \(diff.newIndex)")
        }
        if diff.type == .removed {
          print("gone: \(diff.document.data())")
        }
      }
      let source = snapshot.metadata.isFromCache ? "cache" : "server"
      print(source)
    }
  listener.remove()
}
