package import TenonStoreInterop

/// The state of aggregations over documents that are added one by one, with the semantics of Firestore's
/// server (`google.firestore.v1.RunAggregationQuery`).
///
/// Only documents that have every aggregated field are included. A count next to a sum may therefore be less
/// than the same count alone. Memory use doesn't depend on the number of documents.
package struct AggregationState: Sendable {
  /// The aggregations, in the order of their results.
  private let aggregations: [QueryAggregation]
  /// The distinct fields of the aggregations.
  private let fields: [FieldPath]
  /// The same fields, for documents that aren't decoded.
  package let storedFields: [StoredField]
  /// The number of documents included so far.
  private var count = 0
  /// The sums, one for each field.
  private var sums: [NumberSum]
  /// The values of the document that is being added, one for each field; kept for its memory.
  private var current: [Value] = []

  /// Creates a state without documents.
  ///
  /// The same aggregation may occur more than once; it then has a result each time.
  ///
  /// - Parameter aggregations: what to compute, in the order of the results.
  package init(_ aggregations: [QueryAggregation]) {
    self.aggregations = aggregations
    fields = Array(Set(aggregations.compactMap(\.field)))
    storedFields = fields.map(StoredField.init)
    sums = fields.map { _ in NumberSum() }
  }

  /// Whether a document is included: it has every aggregated field, of any type.
  package func counts(_ document: Fields) -> Bool { fields.allSatisfy { document[$0] != nil } }

  /// Adds a document. It is ignored if it lacks an aggregated field.
  ///
  /// Doubles are added in the order of the documents, so the last digits of a sum of doubles may depend on
  /// that order.
  package mutating func add(_ document: Fields) {
    let fields = fields
    add { document[fields[$0]] }
  }

  /// Adds a document in the format of ``DocumentCoding``, of which only the aggregated fields are decoded.
  ///
  /// - Throws: as ``StoredField/value(in:)``.
  package mutating func add(stored bytes: Span<UInt8>) throws(DocumentError) {
    let fields = storedFields
    try add { index throws(DocumentError) in try fields[index].value(in: bytes) }
  }

  /// Adds a document, given a function that returns the value of the field with an index; `nil` if the
  /// document lacks it.
  private mutating func add<Failure: Error>(_ value: (Int) throws(Failure) -> Value?) throws(Failure) {
    current.removeAll(keepingCapacity: true)
    for index in fields.indices {
      guard let value = try value(index) else { return }
      current.append(value)
    }
    count += 1
    for index in fields.indices { sums[index].add(current[index]) }
  }

  /// Adds documents given only their values of the aggregated field, for example from an index. Use only if
  /// all aggregations that have a field have the same one.
  ///
  /// - Parameters:
  ///   - documents: the number of documents.
  ///   - sum: their numbers. A document whose value isn't a number is counted, but doesn't change sums and
  ///     averages.
  ///   - field: the aggregated field, of which no document has been added before.
  package mutating func add(_ documents: Int, _ sum: NumberSum, of field: FieldPath) {
    count += documents
    for index in fields.indices where fields[index] == field { sums[index] = sum }
  }

  /// Adds documents given the sums of the aggregated fields, for example from the database.
  ///
  /// - Parameters:
  ///   - documents: the number of documents that have every aggregated field.
  ///   - sums: their numbers in each field, in the order of ``storedFields``.
  package mutating func add(_ documents: Int, _ sums: [NumberSum]) {
    count += documents
    for (index, sum) in zip(self.sums.indices, sums) { self.sums[index].add(sum) }
  }

  /// The results so far, in the order of the aggregations: the count, the sum (0 without numbers), and the
  /// average (null without numbers).
  package var values: [Value] {
    aggregations.map { aggregation in
      switch aggregation {
      case .count: Value(count)
      case .sum(let field): sum(of: field).value
      case .average(let field): sum(of: field).average
      }
    }
  }

  private func sum(of field: FieldPath) -> NumberSum {
    fields.firstIndex(of: field).map { sums[$0] } ?? NumberSum()
  }
}

extension ResolvedQuery {
  /// Returns the query without its limit, in the order in which an aggregation selects documents up to that
  /// limit.
  ///
  /// The aggregated fields are appended to the orders, sorted by path and in the direction of the last order,
  /// before the document ID. A query that is explicitly ordered by document ID keeps its orders.
  ///
  /// - Parameter aggregations: the aggregations.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badQuery`` or ``DocumentError/Code/badField`` if
  ///   the resulting query is invalid.
  package func ordered(forAggregating aggregations: [QueryAggregation]) throws(DocumentError) -> ResolvedQuery
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
  package var field: FieldPath? {
    switch self {
    case .count: nil
    case .sum(let field), .average(let field): field
    }
  }
}
