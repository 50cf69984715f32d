import TenonStoreInterop

/// The rules that the server enforces on queries.
enum QueryRules {
  static func check(_ query: StructuredQuery) throws(DocumentError) {
    if let rule = ResourcePath.brokenRule(query.collectionID) {
      throw DocumentError(.badQuery, "The collection id \"\(query.collectionID)\" \(rule).")
    }
    if let limit = query.limit, limit <= 0 {
      throw DocumentError(.badQuery, "A query's limit is at least 1, not \(limit).")
    }
    for (index, order) in query.orders.enumerated() {
      try order.field.check()
      guard !query.orders[..<index].contains(where: { $0.field == order.field }) else {
        throw DocumentError(.badQuery, "The query is ordered by \"\(order.field.text)\" twice.")
      }
    }
    let conditions = query.filter?.fieldConditions ?? []
    for condition in conditions { try check(condition.field, condition.comparison, condition.operand) }
    let exclusions = conditions.filter { $0.comparison == .notEqual || $0.comparison == .notIn }
    guard exclusions.count <= 1 else {
      throw DocumentError(.badQuery, "A query has one condition with not-equal or not-in at most.")
    }
    if exclusions.contains(where: { $0.comparison == .notIn }),
      conditions.contains(where: { $0.comparison == .in || $0.comparison == .arrayContainsAny })
    {
      throw DocumentError(.badQuery, "not-in can't be combined with in or array-contains-any.")
    }
  }

  private static func check(
    _ field: FieldPath,
    _ comparison: QueryComparison,
    _ operand: Value
  ) throws(DocumentError) {
    try field.check()
    switch comparison {
    case .in, .arrayContainsAny, .notIn:
      let most = comparison == .notIn ? 10 : 30
      guard case .array(let elements) = operand, (1...most).contains(elements.count) else {
        throw DocumentError(
          .badQuery,
          "The condition \(comparison.rawValue) on \"\(field.text)\" takes an array of 1 to \(most) values."
        )
      }
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .arrayContains:
      guard !operand.isNull, !operand.isNaN else {
        throw DocumentError(
          .badQuery,
          "The condition \(comparison.rawValue) on \"\(field.text)\" can't take null or NaN; use EQUAL."
        )
      }
    case .equal, .notEqual: break
    default:
      throw DocumentError(.badQuery, "There is no condition \(comparison.rawValue).")
    }
    if field == .documentID, comparison == .arrayContains || comparison == .arrayContainsAny {
      throw DocumentError(.badQuery, "A document id isn't an array; use EQUAL or IN.")
    }
  }
}
