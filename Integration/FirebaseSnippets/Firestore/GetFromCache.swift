import TenonStore

/// Reads a document of the cache.
func getFromCache() async throws {
  let document = try await Store.store().document("harbours/GOT").getDocument(source: .cache)
  print(document.metadata.isFromCache, document.metadata.hasPendingWrites)
  let snapshot = try await Store.store().collection("harbours").getDocuments(source: .server)
  print(snapshot.count, snapshot.isEmpty)
}
