import TenonDocuments
import TenonStoreInterop
package import TenonValues

/// The parameters of a vector search.
package struct VectorSearch: Sendable {
  let vector: [Double]
  let field: FieldPath
  let limit: Int
  let distance: DistanceMeasure
  let threshold: Double?

  /// Creates the parameters.
  ///
  /// - Parameters:
  ///   - vector: the query vector.
  ///   - field: the field that contains the vectors.
  ///   - limit: the maximum number of documents.
  ///   - distance: the distance measure.
  ///   - threshold: the maximum distance, for dot products the minimum; `nil` for none.
  package init(
    vector: [Double], field: FieldPath, limit: Int, distance: DistanceMeasure, threshold: Double?
  ) {
    (self.vector, self.field, self.limit) = (vector, field, limit)
    (self.distance, self.threshold) = (distance, threshold)
  }

  /// A document and the distance of its vector from the query vector.
  package struct Hit: Sendable {
    package let document: StoredDocument
    package let distance: Double
  }

  /// The nearest documents found so far, nearest first; documents at the same distance are in the order of
  /// their paths.
  struct Hits {
    private let search: VectorSearch
    private(set) var hits: [Hit] = []

    init(_ search: VectorSearch) { self.search = search }

    /// Adds a document if it is among the nearest. Documents without a vector of the same number of
    /// dimensions, and those beyond the threshold, are ignored.
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
