import TenonStore

/// Reads one document.
func getDocument() async throws {
  let docRef = try Store.store().collection("harbours").document("GOT")
  do {
    let document = try await docRef.getDocument()
    if document.exists {
      let description = document.data().map(String.init(describing:)) ?? "nil"
      print("data: \(description)")
      let name = document.data()?["name"] as? String
      let berths = document.get("berths") as? Int
      let opened = document["opened"] as? Timestamp
      print(name ?? "", berths ?? 0, opened?.dateValue() as Any, document.documentID)
    } else {
      print("it does not exist")
    }
  } catch {
    print("not read: \(error)")
  }
}
