import TenonStore

/// Merges fields into a document that may exist.
func mergeFields() async throws {
  let db = try Store.store()
  let harbour = db.collection("harbours").document("GOT")
  try await harbour.setData(["isOpen": true], merge: true)
  try await harbour.setData(["isOpen": true, "berths": 4], mergeFields: ["isOpen"])
  // expect: call can throw but is not marked with 'try'
  // expect: expression is 'async' but is not marked with 'await'
  harbour.setData(["isOpen": true], merge: true)
}
