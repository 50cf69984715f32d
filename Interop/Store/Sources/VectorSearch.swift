/// A search for the documents whose vectors are nearest to another one
/// (`google.firestore.v1.StructuredQuery.FindNearest`).
package struct VectorSearch: Sendable, Hashable {
  /// The field of the vectors. Documents without a vector of as many dimensions aren't found.
  package var field: FieldPath
  /// The vector to which the others are compared.
  package var vector: [Double]
  /// How distances are computed.
  package var measure: DistanceMeasure
  /// The maximum number of documents.
  package var limit: Int
  /// The name of the field in which the documents of the result have their distances; `nil` for none.
  package var distanceField: String?
  /// The distance up to which documents are found; for dot products, the least product. `nil` for any.
  package var threshold: Double?

  /// Creates a search.
  package init(
    field: FieldPath, vector: [Double], measure: DistanceMeasure, limit: Int, distanceField: String? = nil,
    threshold: Double? = nil
  ) {
    self.field = field
    self.vector = vector
    self.measure = measure
    self.limit = limit
    self.distanceField = distanceField
    self.threshold = threshold
  }
}
