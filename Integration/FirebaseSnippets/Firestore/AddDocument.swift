import TenonStore

/// Writes documents under ids that the SDK makes.
func addDocuments() async throws {
  let db = try Store.store()
  do {
    let ref = try await db.collection("harbours").addDocument(data: [
      "name": "Visby",
      "country": "Sweden",
    ])
    print("added with \(ref.documentID)")
  } catch {
    print("not added: \(error)")
  }
  let newRef = db.collection("harbours").document()
  // expect: result of 'try?' is unused [#no-usage]
  try? await newRef.setData(["name": "Ystad"])
}
