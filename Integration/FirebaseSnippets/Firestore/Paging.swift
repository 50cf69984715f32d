import TenonStore

/// Pages of 25 documents.
func pages() async throws {
  let first = try Store.store().collection("harbours").order(by: "berths").limit(to: 25)
  let snapshot = try await first.getDocuments()
  guard let last = snapshot.documents.last else {
    return
  }
  let next = try Store.store().collection("harbours").order(by: "berths").start(afterDocument: last)
  print(try await next.getDocuments().documents.count)
}

/// Pages that listeners follow.
func pagesWithListener() throws {
  let first = try Store.store().collection("harbours").order(by: "berths").limit(to: 25)
  first.addSnapshotListener { (snapshot, error) in
    guard let snapshot = snapshot else {
      print(error.debugDescription)
      return
    }
    guard let lastSnapshot = snapshot.documents.last else {
      return
    }
    _ = first.start(afterDocument: lastSnapshot)
  }
}

/// Cursors.
func cursors() throws {
  let harbours = try Store.store().collection("harbours").order(by: "berths")
  _ = harbours.start(at: [100])
  _ = harbours.start(after: [100])
  _ = harbours.end(at: [1000])
  _ = harbours.end(before: [1000])
}
