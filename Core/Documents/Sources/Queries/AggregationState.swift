public import TenonStoreInterop

/// The state of aggregations over documents that are added one by one, with the semantics of Firestore's server
/// (`google.firestore.v1.RunAggregationQuery`).
///
/// Only documents that have every aggregated field are included. A count next to a sum may therefore be less than the same count
/// alone. Memory use does not depend on the number of documents.
public struct AggregationState: Sendable {
  /// The aggregations, in the order of their results.
  private let aggregations: [QueryAggregation]
  /// The distinct fields of the aggregations.
  private let fields: [FieldPath]
  /// The number of documents included so far.
  private var count = 0
  /// The sums by field; none for a field before its first value.
  private var sums: [FieldPath: Sum] = [:]

  /// Creates a state without documents.
  ///
  /// The same aggregation may occur more than once; it then has a result each time.
  ///
  /// - Parameter aggregations: what to compute, in the order of the results.
  public init(_ aggregations: [QueryAggregation]) {
    self.aggregations = aggregations
    fields = Array(Set(aggregations.compactMap(\.field)))
  }

  /// Whether a document is included: it has every aggregated field, of any type.
  public func counts(_ document: Fields) -> Bool { fields.allSatisfy { document[$0] != nil } }

  /// Adds a document. It is ignored if it lacks an aggregated field.
  ///
  /// Doubles are added in the order of the documents, so the last digits of a sum of doubles may depend on that order.
  public mutating func add(_ document: Fields) {
    guard counts(document) else { return }
    count += 1
    for field in fields { if let value = document[field] { sums[field, default: Sum()].add(value) } }
  }

  /// Adds a document given only its value of the aggregated field, for example from an index. Use only if all aggregations that
  /// have a field have the same one.
  ///
  /// - Parameters:
  ///   - value: the value. If it is not a number, the document is counted, but does not change sums and averages.
  ///   - field: the aggregated field.
  package mutating func add(_ value: Value, of field: FieldPath) {
    count += 1
    sums[field, default: Sum()].add(value)
  }

  /// The results so far, in the order of the aggregations: the count, the sum (0 without numbers), and the average (null without
  /// numbers).
  public var values: [Value] {
    aggregations.map { aggregation in
      switch aggregation {
      case .count: Value(count)
      case .sum(let field): sums[field, default: Sum()].value
      case .average(let field): sums[field, default: Sum()].average
      }
    }
  }

  /// The sum of the numbers among some values.
  ///
  /// It is an integer if all numbers are integers and the sum fits into 64 bits, otherwise a double. Integers are added exactly, in
  /// 128 bits, and converted at the end.
  private struct Sum {
    /// The number of numbers.
    private var count = 0
    /// The exact sum of the integers.
    private var integers: Int128 = 0
    /// The sum of the doubles; `nil` if there were none.
    private var doubles: Double?

    /// Adds a number; ignores values of other types.
    mutating func add(_ value: Value) {
      switch value {
      // Checked: fewer than 2^64 integers of 64 bits.
      case .integer(let number): integers += Int128(truncatingIfNeeded: number)
      // Checked: numbers with a fraction.
      case .double(let number): doubles = (doubles ?? 0) + number
      default: return
      }
      count += 1
    }

    /// The sum.
    var value: Value {
      if doubles == nil, let sum = Int64(exactly: integers) { return .integer(sum) }
      return .double(total)
    }

    /// The average as a double; null without numbers.
    var average: Value { count == 0 ? .null : .double(total / Double(count)) }

    /// The sum as a double.
    private var total: Double { Double(integers) + (doubles ?? 0) }
  }
}

extension ResolvedQuery {
  /// Returns the query without its limit, in the order in which an aggregation selects documents up to that limit.
  ///
  /// The aggregated fields are appended to the orders, sorted by path and in the direction of the last order, before the document
  /// ID. A query that is explicitly ordered by document ID keeps its orders.
  ///
  /// - Parameter aggregations: the aggregations.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badQuery`` or ``DocumentError/Code/badField`` if the resulting query is
  ///   invalid.
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
  /// The aggregated field; `nil` for a count.
  public var field: FieldPath? {
    switch self {
    case .count: nil
    case .sum(let field), .average(let field): field
    }
  }
}
