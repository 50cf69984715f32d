package import TenonStoreInterop

/// The rules that Firestore's server enforces on queries.
///
/// They are checked locally because a query of a local database is never seen by a server. The sources are
/// the comments of `google.firestore.v1.StructuredQuery`, the documented limits
/// (https://firebase.google.com/docs/firestore/query-data/queries#query_limitations), and for combinations
/// that neither mentions the behaviour of Firestore's emulator. Rules about indexes aren't among them: a
/// query never fails for lack of an index.
///
/// Cursors are checked by ``ResolvedQuery``, because they depend on the orders.
package enum QueryRules {
  /// Checks a query. The rules, in the order in which they are checked:
  /// - The collection's ID is valid; the path of the parent isn't checked.
  /// - The limit is at least 1.
  /// - Each order has a valid field path, and no two have the same.
  /// - An `or`, at any depth, has at least one condition. An `and` may be empty.
  /// - Each condition is valid by itself; see `check(_:_:_:)`.
  /// - At most one condition is `notEqual` or `notIn`, comparisons with null and NaN included.
  /// - `notIn` is combined neither with `in` and `arrayContainsAny` nor with an `or`.
  /// - If a condition compares the document ID by `equal` or `in`, a query with inequalities has one on the
  ///   document ID.
  /// - The limits of `checkSize` hold.
  ///
  /// - Parameter query: the query, in which operands for the document ID are references already.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badQuery`` for the first violated rule, or
  ///   ``DocumentError/Code/badField`` for an invalid field path. Its message names the field, the operator
  ///   or the number concerned.
  static func check(_ query: StructuredQuery) throws(DocumentError) {
    if query.coversAllCollections {
      try checkAllCollections(query)
    } else if let rule = ResourcePath.brokenRule(query.collectionID, ofCollection: true) {
      throw DocumentError(.badQuery, "The collection id \"\(query.collectionID)\" \(rule).")
    }
    if let limit = query.limit, limit <= 0 {
      throw DocumentError(.badQuery, "A query's limit is at least 1, not \(limit).")
    }
    // Before orders are compared with each other, which takes quadratic time.
    guard query.orders.count <= mostParts else { throw tooManyParts }
    for (index, order) in query.orders.enumerated() {
      try order.field.check()
      guard !query.orders[..<index].contains(where: { $0.field == order.field }) else {
        throw DocumentError(.badQuery, "The query is ordered by \"\(order.field.text)\" twice.")
      }
    }
    guard query.filter?.hasEmptyAlternatives != true else {
      throw DocumentError(.badQuery, "An or has no conditions; leave it out, or give it at least one.")
    }
    let conditions = query.filter?.fieldConditions ?? []
    for condition in conditions { try check(condition.field, condition.comparison, condition.operand) }
    let exclusions = conditions.filter { $0.comparison == .notEqual || $0.comparison == .notIn }
    guard exclusions.count <= 1 else {
      throw DocumentError(.badQuery, "A query has one condition with not-equal or not-in at most.")
    }
    if exclusions.contains(where: { $0.comparison == .notIn }),
      query.filter?.hasAlternatives == true
        || conditions.contains(where: { $0.comparison == .in || $0.comparison == .arrayContainsAny })
    {
      throw DocumentError(.badQuery, "not-in can't be combined with in, array-contains-any or alternatives.")
    }
    let inequalities = conditions.filter { $0.comparison.isInequality(with: $0.operand) }
    if conditions.contains(where: { $0.field == .documentID() && [.equal, .in].contains($0.comparison) }),
      !inequalities.isEmpty,
      !inequalities.contains(where: { $0.field == .documentID() })
    {
      throw DocumentError(
        .badQuery,
        "A query for certain document ids can't have inequalities on other fields; read the documents and check them."
      )
    }
    try checkSize(query, conditions: conditions.count, inequalities: Set(inequalities.map(\.field)))
    try checkSelection(of: query)
  }

  /// Checks a query over collections of every ID, which can be ordered and filtered by the document ID only.
  private static func checkAllCollections(_ query: StructuredQuery) throws(DocumentError) {
    let conditions = query.filter?.fieldConditions ?? []
    if let field = conditions.map(\.field).first(where: { $0 != .documentID() }) {
      throw DocumentError(
        .badQuery,
        "A query over all collections can't have a condition on \"\(field.text)\", only on __name__.")
    }
    guard query.orders.allSatisfy({ $0.field == .documentID() && !$0.isDescending }) else {
      throw DocumentError(
        .badQuery, "A query over all collections can be ordered by ascending __name__ only.")
    }
  }

  /// The maximum number of fields that a query or a mask selects.
  package static let mostSelected = 10_000

  /// Checks what a query selects of its result: the fields, the offset, and the nearest vectors.
  private static func checkSelection(of query: StructuredQuery) throws(DocumentError) {
    guard query.offset >= 0 else {
      throw DocumentError(.badQuery, "A query's offset is at least 0, not \(query.offset).")
    }
    if let selection = query.selection { try checkSelection(selection) }
    guard let search = query.nearest else { return }
    try search.field.check()
    guard (1...1_000).contains(search.limit) else {
      throw DocumentError(.badQuery, "The limit of findNearest is from 1 to 1,000, not \(search.limit).")
    }
    guard query.limit == nil, query.offset == 0 else {
      throw DocumentError(.badQuery, "A query with findNearest has neither a limit nor an offset of its own.")
    }
    if let name = search.distanceField, let rule = FieldPath.brokenRule(name) {
      throw DocumentError(.badField, "The distanceResultField \"\(name.prefix(60))\" \(rule).")
    }
  }

  /// Checks the fields that a query or a mask selects, of which `__name__` is none.
  package static func checkSelection(_ fields: [FieldPath]) throws(DocumentError) {
    guard fields.count <= mostSelected else {
      throw DocumentError(.badQuery, "At most \(mostSelected) fields are selected, not \(fields.count).")
    }
    for field in fields { try field.check() }
  }

  /// The maximum number of conditions and explicit orders.
  private static let mostParts = 100

  /// The error for a query with more of them.
  private static var tooManyParts: DocumentError {
    DocumentError(.badQuery, "A query has at most \(mostParts) conditions and orders.")
  }

  /// The maximum number of alternatives that are counted. Combining them with further conditions may make
  /// them the same.
  package static let mostAlternatives = 100

  /// Checks the limits of Firestore on the size of a query:
  /// - 100 conditions and explicit orders in total;
  /// - inequalities on 10 different fields;
  /// - 30 alternatives in disjunctive normal form, where each value of `in` and `arrayContainsAny` is one,
  ///   and alternatives with the same conditions count once;
  /// - one array condition (`arrayContains` or `arrayContainsAny`) in each alternative.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - conditions: the number of conditions.
  ///   - inequalities: the fields with inequalities.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badQuery``, whose message has the number found,
  ///   where it varies.
  private static func checkSize(
    _ query: StructuredQuery, conditions: Int, inequalities: Set<FieldPath>
  ) throws(DocumentError) {
    guard conditions + query.orders.count <= mostParts else { throw tooManyParts }
    guard inequalities.count <= 10 else {
      throw DocumentError(
        .badQuery,
        "The query has inequalities on \(inequalities.count) fields; at most 10 are allowed."
      )
    }
    guard let filter = query.filter else { return }
    let count = filter.alternatives(atMost: mostAlternatives)?.count
    guard let count, count <= 30 else {
      throw DocumentError(
        .badQuery,
        "The query has \(count.map(String.init) ?? "more than \(mostAlternatives)") alternatives, counting each value of "
          + "in and array-contains-any; at most 30 are allowed."
      )
    }
    guard filter.arrayConditionsPerAlternative <= 1 else {
      throw DocumentError(.badQuery, "An alternative has one array-contains or array-contains-any at most.")
    }
  }

  /// Checks one condition: its field path, its operator, and whether the operand suits the operator.
  /// - `in` and `arrayContainsAny` take an array of 1 to 30 values, `notIn` one of 1 to 10; repeated values
  ///   count here. The values may be of any type, null and NaN included.
  /// - `lessThan` and the other inequalities with a value, and `arrayContains`, take any value. With null and
  ///   NaN, they match no document.
  /// - `equal` and `notEqual` take any value. With null and NaN they are the unary filters `IS_NULL`,
  ///   `IS_NAN`, `IS_NOT_NULL` and `IS_NOT_NAN` on the wire.
  /// - The document ID can't be compared by the array operators.
  ///
  /// - Parameters:
  ///   - field: the field.
  ///   - comparison: the operator. An unknown one is rejected.
  ///   - operand: the value to compare with.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badField`` for the path, otherwise
  ///   ``DocumentError/Code/badQuery``.
  private static func check(
    _ field: FieldPath,
    _ comparison: QueryComparison,
    _ operand: Value
  ) throws(DocumentError) {
    try field.check()
    switch comparison {
    case .in, .arrayContainsAny, .notIn:
      let most = comparison == .notIn ? 10 : 30
      // Checked: limits of this file.
      guard case .array(let elements) = operand, (1...most).contains(elements.count) else {
        throw DocumentError(
          .badQuery,
          "The condition \(comparison.rawValue) on \"\(field.text)\" takes an array of 1 to \(most) values."
        )
      }
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .arrayContains, .equal, .notEqual:
      break
    default:
      throw DocumentError(.badQuery, "There is no condition \(comparison.rawValue).")
    }
    if field == .documentID(), comparison == .arrayContains || comparison == .arrayContainsAny {
      throw DocumentError(.badQuery, "A document id isn't an array; use EQUAL or IN.")
    }
  }
}

// Properties of the filter's disjunctive normal form, an `or` of `and`s, computed without building it.
extension QueryFilter {
  /// The maximum number of array conditions in one alternative of the disjunctive normal form. An alternative
  /// takes one part of each `or`, so the greatest of the parts counts, and all parts of each `and`, so their
  /// sum counts. The values of one `arrayContainsAny` are in different alternatives, so it counts once.
  fileprivate var arrayConditionsPerAlternative: Int {
    switch self {
    case .field(_, let comparison, _): [.arrayContains, .arrayContainsAny].contains(comparison) ? 1 : 0
    case .and(let filters): filters.reduce(0) { $0 + $1.arrayConditionsPerAlternative }
    case .or(let filters): filters.map(\.arrayConditionsPerAlternative).max() ?? 0
    }
  }

  /// Whether an `or` at any depth has no conditions. It would match nothing, and the server rejects it. An
  /// empty `and` is allowed: it matches all documents.
  fileprivate var hasEmptyAlternatives: Bool {
    switch self {
    case .field: false
    case .and(let filters): filters.contains(where: \.hasEmptyAlternatives)
    case .or(let filters): filters.isEmpty || filters.contains(where: \.hasEmptyAlternatives)
    }
  }

  /// Whether the filter contains an `or` at any depth, also one with a single condition.
  fileprivate var hasAlternatives: Bool {
    switch self {
    case .field: false
    case .and(let filters): filters.contains(where: \.hasAlternatives)
    case .or: true
    }
  }
}
