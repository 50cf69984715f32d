import TenonDocuments
public import TenonStoreInterop
import TenonValues

/// A document and the distance of its vector from the query vector.
public struct NearestDocument: Sendable {
  /// The document.
  public let document: DocumentSnapshot
  /// The distance, by the measure of the search.
  public let distance: Double
}

extension Queryable {
  /// Returns the documents of the query whose vectors are nearest to a given one, nearest first.
  ///
  /// ```swift
  /// let similar = try await notes.findNearest(
  ///   vectorField: "embedding", queryVector: embedding, limit: 10, distanceMeasure: .cosine)
  /// ```
  ///
  /// Documents without a vector of the same number of dimensions are ignored, and so are those whose distance isn't a
  /// number. The documents of this device are searched; the remote isn't asked. Every vector of the query is compared,
  /// so conditions make the search faster.
  ///
  /// - Parameters:
  ///   - field: the field that contains the vectors.
  ///   - vector: the vector to compare with, of 1 to 2,048 dimensions.
  ///   - limit: the maximum number of documents, 1 to 1,000.
  ///   - distance: the distance measure.
  ///   - threshold: the maximum distance, for dot products the minimum; none by default.
  /// - Returns: the documents; those at the same distance are in the order of their paths.
  /// - Throws: ``StoreError``, with ``StoreError/Code/invalidArgument`` if the limit or the number of dimensions is out
  ///   of range, or the query breaks a rule.
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
    return try await query.store.engine.read { try $0.nearest(search, among: run) }.map {
      NearestDocument(
        document: $0.document.snapshot(in: query.store, isFromCache: isFromCache),
        distance: $0.distance)
    }
  }
}

/// The parameters of a vector search.
struct VectorSearch: Sendable {
  let vector: [Double]
  let field: FieldPath
  let limit: Int
  let distance: DistanceMeasure
  let threshold: Double?

  /// A document and the distance of its vector from the query vector.
  struct Hit: Sendable {
    let document: StoredDocument
    let distance: Double
  }

  /// The nearest documents found so far, nearest first; documents at the same distance are in the order of their paths.
  struct Hits {
    private let search: VectorSearch
    private(set) var hits: [Hit] = []

    init(_ search: VectorSearch) { self.search = search }

    /// Adds a document if it is among the nearest. Documents without a vector of the same number of dimensions, and those beyond
    /// the threshold, are ignored.
    ///
    /// - Complexity: O(d + k) for d dimensions and a limit of k.
    mutating func add(_ document: StoredDocument) {
      guard case .vector(let vector) = document.fields[search.field], vector.count == search.vector.count
      else {
        return
      }
      let hit = Hit(document: document, distance: search.distance(vector, search.vector))
      guard !hit.distance.isNaN, search.threshold.map({ search.distance.isWithin($0, hit.distance) }) ?? true
      else {
        return
      }
      if hits.count == search.limit, let last = hits.last, !precedes(hit, last) { return }
      let index = hits.firstIndex { precedes(hit, $0) } ?? hits.endIndex
      hits.insert(hit, at: index)
      if hits.count > search.limit { hits.removeLast() }
    }

    /// Returns whether the left hit comes before the right one.
    private func precedes(_ left: Hit, _ right: Hit) -> Bool {
      if left.distance != right.distance {
        return search.distance.isNearer(left.distance, than: right.distance)
      }
      return Value.reference(left.document.path).compare(.reference(right.document.path)) < 0
    }
  }
}
