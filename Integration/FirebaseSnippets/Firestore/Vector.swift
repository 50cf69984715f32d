import TenonStore

/// Writes a vector.
func vector() async throws {
  let recipe = try Store.store().collection("recipes").document("1")
  try await recipe.setData(["embedding": VectorValue([1.0, 2.0])])
  let read = try await recipe.getDocument()
  let vector = read.get("embedding") as? VectorValue
  print(vector?.array ?? [])
}
