package import TenonDocuments
import TenonFoundation
package import TenonStoreInterop

/// What is read from the documents of this device, with the pending writes of the current user applied. All
/// of it throws as ``read(_:)`` and the methods of ``LocalReader``.
extension StoreEngine {
  /// Returns a document; `nil` if it doesn't exist.
  @concurrent package nonisolated func document(_ path: ResourcePath) async throws -> StoredDocument? {
    try await read { try $0.document(path) }
  }

  /// Returns a document, and whether it is known that it exists or doesn't exist.
  @concurrent package nonisolated func knownDocument(
    _ path: ResourcePath
  ) async throws -> (document: StoredDocument?, isKnown: Bool) {
    try await read { local in
      let document = try local.document(path)
      return (document, try document != nil || local.base(of: path) != nil)
    }
  }

  /// Returns the documents of a query, in its order.
  @concurrent package nonisolated func documents(of query: ResolvedQuery) async throws -> [StoredDocument] {
    try await read { try $0.documents(of: query) }
  }

  /// Returns the documents of a query, in its order, without decoding them if possible.
  @concurrent package nonisolated func encodedDocuments(
    of query: ResolvedQuery
  ) async throws -> EncodedDocuments {
    try await read { try $0.encodedDocuments(of: query) }
  }

  /// Returns the paths of the documents of a query, in any order.
  @concurrent package nonisolated func paths(of query: ResolvedQuery) async throws -> [ResourcePath] {
    try await read { try $0.paths(of: query) }
  }

  /// Returns aggregations over the documents of a query, in their order. Counting alone doesn't read the
  /// documents.
  @concurrent package nonisolated func aggregate(
    _ aggregations: [QueryAggregation], over query: ResolvedQuery
  ) async throws -> [Value] {
    try await read { local in
      if case [.count] = aggregations { return [Value(try local.count(of: query))] }
      return try local.aggregate(aggregations, over: query)
    }
  }

  /// Returns the documents of a query whose vectors are nearest to the query vector, nearest first.
  @concurrent package nonisolated func nearest(
    _ search: VectorSearch, among query: ResolvedQuery
  ) async throws -> [VectorSearch.Hit] {
    try await read { try $0.nearest(search, among: query) }
  }

  /// Returns how a query is answered, and what it costs now.
  @concurrent package nonisolated func explain(_ query: ResolvedQuery) async throws -> QueryExplanation {
    try await read { try $0.explain(query) }
  }

  /// Returns the sizes of all collections, largest first.
  @concurrent package nonisolated func collectionSizes() async throws -> [CollectionSize] {
    try await read { try $0.collectionSizes() }
  }

  /// Returns a query of a loaded bundle by its name; `nil` if there is none.
  package func namedQuery(_ name: String) async throws -> BundledQuery? {
    try await useAsUser { try $0.local.namedQuery(name) }
  }

  // MARK: - Pins

  /// Returns what is pinned, in the order in which it was.
  package func pins() async throws -> [PinSubject] { try await useAsUser { try $0.local.pins() } }

  /// Pins a document or a query; no effect if it is pinned.
  package func pin(_ subject: PinSubject) async throws { try await useAsUser { try $0.local.pin(subject) } }

  /// Removes a pin; no effect if there is none.
  package func unpin(_ subject: PinSubject) async throws {
    try await useAsUser { try $0.local.unpin(subject) }
  }
}
