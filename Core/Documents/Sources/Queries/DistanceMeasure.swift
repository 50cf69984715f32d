/// How far vectors are from each other (`StructuredQuery.FindNearest.DistanceMeasure`).
public enum DistanceMeasure: String, Sendable {
  /// The length of the straight line between them.
  case euclidean = "EUCLIDEAN"
  /// 1 minus the cosine of the angle between them; 0 for the same direction, 2 for opposite ones.
  case cosine = "COSINE"
  /// Their dot product: the greater, the nearer.
  case dotProduct = "DOT_PRODUCT"

  /// The distance of two vectors of equally many dimensions.
  public func callAsFunction(_ left: [Double], _ right: [Double]) -> Double {
    switch self {
    case .euclidean:
      zip(left, right).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
    case .cosine:
      1 - Self.product(left, right) / (Self.product(left, left) * Self.product(right, right)).squareRoot()
    case .dotProduct: Self.product(left, right)
    }
  }

  /// Whether a distance is nearer than another one.
  public func isNearer(_ left: Double, than right: Double) -> Bool {
    self == .dotProduct ? left > right : left < right
  }

  /// Whether a distance lies within a threshold: at most it, for dot products at least it.
  public func isWithin(_ threshold: Double, _ distance: Double) -> Bool {
    self == .dotProduct ? distance >= threshold : distance <= threshold
  }

  private static func product(_ left: [Double], _ right: [Double]) -> Double {
    zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
  }
}
