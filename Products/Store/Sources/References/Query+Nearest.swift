import TenonDocuments
import TenonStoreEngine
public import TenonStoreInterop
import TenonValues

/// A document and the distance of its vector from the query vector.
public struct NearestDocument: Sendable {
  /// The document.
  public let document: QueryDocumentSnapshot
  /// The distance, by the measure of the search.
  public let distance: Double
}

extension QuerySource {
  /// Returns the documents of the query whose vectors are nearest to a given one, nearest first.
  ///
  /// ```swift
  /// let similar = try await notes.findNearest(
  ///   vectorField: "embedding", queryVector: embedding, limit: 10, distanceMeasure: .cosine)
  /// ```
  ///
  /// Documents without a vector of the same number of dimensions are ignored, and so are those whose distance
  /// isn't a number. The documents of this device are searched; the remote isn't asked. Every vector of the
  /// query is compared, so conditions make the search faster.
  ///
  /// - Parameters:
  ///   - field: the field that contains the vectors.
  ///   - vector: the vector to compare with, of 1 to 2,048 dimensions.
  ///   - limit: the maximum number of documents, 1 to 1,000.
  ///   - distance: the distance measure.
  ///   - threshold: the maximum distance, for dot products the minimum; none by default.
  /// - Returns: the documents; those at the same distance are in the order of their paths.
  /// - Throws: ``StoreError``, with ``StoreError/Code/invalidArgument`` if the limit or the number of
  ///   dimensions is out of range, or the query breaks a rule.
  /// - Complexity: O(n · (d + k)) for n documents, d dimensions and a limit of k.
  public func findNearest(
    vectorField field: some FieldPathConvertible, queryVector vector: [Double], limit: Int,
    distanceMeasure distance: DistanceMeasure, distanceThreshold threshold: Double? = nil
  ) async throws -> [NearestDocument] {
    guard (1...1000).contains(limit) else {
      throw StoreError(
        .invalidArgument, "The limit of a vector search is between 1 and 1,000 documents, not \(limit).")
    }
    guard (1...2048).contains(vector.count) else {
      throw StoreError(
        .invalidArgument, "A query vector has 1 to 2,048 dimensions, not \(vector.count).")
    }
    let query = query
    let search = VectorSearch(
      vector: vector, field: field.fieldPath, limit: limit, distance: distance, threshold: threshold)
    let run = try query.runnable().run
    let isLocal = try await query.store.engine.isLocal(query.structure.collectionID)
    let isFromCache = !query.store.isLocalOnly && !isLocal
    return try await query.store.engine.nearest(search, among: run).map {
      NearestDocument(
        document: $0.document.snapshot(in: query.store, isFromCache: isFromCache),
        distance: $0.distance)
    }
  }
}
