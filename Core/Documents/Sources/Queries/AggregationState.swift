public import TenonStoreInterop

/// Aggregations over documents that are taken in one after the other, as the server computes them.
///
/// A document counts if it has every field that is aggregated, so a count beside a sum may be less than a count alone.
public struct AggregationState: Sendable {
  private let aggregations: [QueryAggregation]
  private let fields: [FieldPath]
  private var count = 0
  private var sums: [FieldPath: Sum] = [:]

  /// Nothing taken in yet.
  public init(_ aggregations: [QueryAggregation]) {
    self.aggregations = aggregations
    fields = Array(Set(aggregations.compactMap(\.field)))
  }

  /// Whether a document counts.
  public func counts(_ document: Fields) -> Bool { fields.allSatisfy { document[$0] != nil } }

  /// Takes a document in, if it counts.
  public mutating func add(_ document: Fields) {
    guard counts(document) else { return }
    count += 1
    for field in fields { if let value = document[field] { sums[field, default: Sum()].add(value) } }
  }

  /// Takes in a document by its value of the one field that is aggregated.
  package mutating func add(_ value: Value, of field: FieldPath) {
    count += 1
    sums[field, default: Sum()].add(value)
  }

  /// The results, in the order of the aggregations.
  public var values: [Value] {
    aggregations.map { aggregation in
      switch aggregation {
      case .count: Value(count)
      case .sum(let field): sums[field, default: Sum()].value
      case .average(let field): sums[field, default: Sum()].average
      }
    }
  }

  /// A sum of what numbers there are: an integer while all of them are and it fits, a double otherwise.
  private struct Sum {
    private var count = 0
    private var integers: Int128 = 0
    private var doubles: Double?

    mutating func add(_ value: Value) {
      switch value {
      case .integer(let number): integers += Int128(number)
      case .double(let number): doubles = (doubles ?? 0) + number
      default: return
      }
      count += 1
    }

    var value: Value {
      if doubles == nil, let sum = Int64(exactly: integers) { return .integer(sum) }
      return .double(total)
    }

    var average: Value { count == 0 ? .null : .double(total / Double(count)) }

    private var total: Double { Double(integers) + (doubles ?? 0) }
  }
}

extension ResolvedQuery {
  /// The query without its limit, in the order in which an aggregation takes documents up to that limit: the aggregated
  /// fields come right before the document id, unless the query is ordered by that itself.
  public func ordered(forAggregating aggregations: [QueryAggregation]) throws(DocumentError) -> ResolvedQuery
  {
    var ordered = query
    ordered.limit = nil
    if !query.orders.contains(where: { $0.field == .documentID() }) {
      ordered.orders = orders.filter { $0.field != .documentID() }
      let isDescending = query.orders.last?.isDescending ?? false
      for field in Set(aggregations.compactMap(\.field)).sorted(by: { $0.compare($1) < 0 })
      where !ordered.orders.contains(where: { $0.field == field }) {
        ordered.orders.append(QueryOrder(field: field, isDescending: isDescending))
      }
    }
    return try ResolvedQuery(ordered)
  }
}

extension QueryAggregation {
  /// The field that is aggregated; `nil` for a count.
  public var field: FieldPath? {
    switch self {
    case .count: nil
    case .sum(let field), .average(let field): field
    }
  }
}
