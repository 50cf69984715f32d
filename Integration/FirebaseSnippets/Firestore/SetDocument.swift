import TenonStore

/// Writes a document under an id that the program chooses.
func setDocument() async throws {
  let db = try Store.store()
  do {
    try await db.collection("harbours").document("GOT").setData([
      "name": "Gothenburg",
      "berths": 420,
      "country": "Sweden",
    ])
    print("written")
  } catch {
    print("not written: \(error)")
  }
}
