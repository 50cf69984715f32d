import TenonStore

/// A query that begins at a document.
func cursorAtDocument() throws {
  let db = try Store.store()
  db.collection("harbours").document("GOT").addSnapshotListener { (document, error) in
    guard let document = document else {
      print(error.debugDescription)
      return
    }
    let sameOrMore = db.collection("harbours").order(by: "berths").start(atDocument: document)
    _ = sameOrMore.end(atDocument: document)
    _ = sameOrMore.end(beforeDocument: document)
  }
}
