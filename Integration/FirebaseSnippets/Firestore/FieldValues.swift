import TenonStore

/// The values that the server computes.
func fieldValues() async throws {
  let harbour = try Store.store().collection("harbours").document("GOT")
  try await harbour.updateData([
    "lastUpdated": FieldValue.serverTimestamp(),
    "visits": FieldValue.increment(Int64(50)),
    "depth": FieldValue.increment(0.5),
    "lines": FieldValue.arrayUnion(["stena"]),
    "closed": FieldValue.delete(),
  ])
  try await harbour.updateData(["lines": FieldValue.arrayRemove(["stena"])])
  try await harbour.updateData(["embedding": FieldValue.vector([1.0, 2.0, 3.0])])
}
