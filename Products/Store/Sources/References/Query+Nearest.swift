public import TenonDocuments
public import TenonStoreInterop

/// A document and how far its vector is from the one that was asked for.
public struct NearestDocument: Sendable {
  /// The document.
  public let document: DocumentSnapshot
  /// The distance, by the measure that was asked for.
  public let distance: Double
}

extension Queryable {
  /// The documents of the query whose vector is nearest to a given one, nearest first.
  ///
  /// ```swift
  /// let similar = try await notes.nearest(to: embedding, in: "embedding", limit: 10, by: .cosine)
  /// ```
  ///
  /// Documents without a vector of the same number of dimensions don't take part. Every vector of the query is compared, so
  /// conditions make it fast.
  ///
  /// - Parameters:
  ///   - vector: what is looked for, of 1 to 2,048 dimensions.
  ///   - field: the field with the vectors.
  ///   - limit: how many documents at most, 1 to 1,000.
  ///   - distance: the measure.
  ///   - threshold: the greatest distance, for dot products the least; none by default.
  /// - Throws: ``StoreError``.
  public func nearest(
    to vector: [Double], in field: FieldPath, limit: Int, by distance: VectorDistance = .euclidean,
    threshold: Double? = nil
  ) async throws -> [NearestDocument] {
    guard (1...1000).contains(limit) else {
      throw StoreError(.invalidArgument, "Between 1 and 1,000 documents can be asked for, not \(limit).")
    }
    guard (1...2048).contains(vector.count) else {
      throw StoreError(
        .invalidArgument, "A vector to look for has 1 to 2,048 dimensions, not \(vector.count).")
    }
    let query = query
    let search = VectorSearch(
      vector: vector, field: field, limit: limit, distance: distance, threshold: threshold)
    let run = try RunnableQuery(query).run
    return try await query.store.engine.read { try $0.nearest(search, among: run) }.map {
      NearestDocument(
        document: $0.document.snapshot(in: query.store, isFromCache: query.store.isShared),
        distance: $0.distance)
    }
  }
}

/// What is looked for among vectors.
struct VectorSearch: Sendable {
  let vector: [Double]
  let field: FieldPath
  let limit: Int
  let distance: VectorDistance
  let threshold: Double?

  struct Hit: Sendable {
    let document: StoredDocument
    let distance: Double
  }

  /// The nearest documents so far, nearest first; of equally near ones the first by path.
  struct Hits {
    private let search: VectorSearch
    private(set) var hits: [Hit] = []

    init(_ search: VectorSearch) { self.search = search }

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

    private func precedes(_ left: Hit, _ right: Hit) -> Bool {
      if left.distance != right.distance {
        return search.distance.isNearer(left.distance, than: right.distance)
      }
      return Value.reference(left.document.path).compare(.reference(right.document.path)) < 0
    }
  }
}
