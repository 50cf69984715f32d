/// A distance measure for vectors (`google.firestore.v1.StructuredQuery.FindNearest.DistanceMeasure`). The
/// raw values are the names on the wire.
public enum DistanceMeasure: String, Sendable {
  /// The Euclidean distance, 0 or greater.
  case euclidean = "EUCLIDEAN"
  /// The cosine distance: 1 minus the cosine of the angle between the vectors, from 0 for the same direction
  /// to 2 for opposite ones.
  case cosine = "COSINE"
  /// The dot product. Unlike for the other measures, greater values are nearer.
  case dotProduct = "DOT_PRODUCT"

  /// Returns the distance between two vectors. O(number of dimensions).
  ///
  /// The cosine distance to a vector of length 0 is NaN.
  ///
  /// - Parameters:
  ///   - left: a vector.
  ///   - right: a vector with the same number of dimensions. Surplus components of the longer one are
  ///     ignored.
  package func callAsFunction(_ left: [Double], _ right: [Double]) -> Double {
    switch self {
    case .euclidean:
      zip(left, right).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
    case .cosine:
      1 - Self.product(left, right) / (Self.product(left, left) * Self.product(right, right)).squareRoot()
    case .dotProduct: Self.product(left, right)
    }
  }

  /// Whether one distance is nearer than another.
  ///
  /// - Parameters:
  ///   - left: a distance computed by this measure.
  ///   - right: the distance to compare with.
  package func isNearer(_ left: Double, than right: Double) -> Bool {
    self == .dotProduct ? left > right : left < right
  }

  /// Whether a distance is within a threshold: not greater than it; for dot products, not less than it.
  ///
  /// - Parameters:
  ///   - threshold: the threshold (`distance_threshold`).
  ///   - distance: the distance.
  package func isWithin(_ threshold: Double, _ distance: Double) -> Bool {
    self == .dotProduct ? distance >= threshold : distance <= threshold
  }

  /// Returns the dot product.
  private static func product(_ left: [Double], _ right: [Double]) -> Double {
    zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
  }
}
