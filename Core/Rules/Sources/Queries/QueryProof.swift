import TenonDocuments
import TenonStoreInterop
import TenonValues

/// What a query says of the documents of its result.
///
/// A query with `or` or `in` has several alternatives. The rules must allow each of them: a list is allowed
/// if they allow every document that the query could find, and they never filter.
package enum QueryProof {
  /// The most alternatives that a query has.
  private static let alternativeLimit = 30

  /// Returns `resource` for each alternative of a query, or `nil` if there are too many.
  static func resources(of query: StructuredQuery, database: RulesDatabase) -> [RulesValue]? {
    guard let filter = query.filter else { return [resource(for: [], database)] }
    return filter.alternatives(atMost: alternativeLimit)?.map { resource(for: $0, database) }
  }

  private static func resource(for conditions: [QueryCondition], _ database: RulesDatabase) -> RulesValue {
    let root = Field()
    for condition in conditions where condition.field.segments != ["__name__"] {
      var field = root
      for name in condition.field.segments { field = field.member(name) }
      field.conditions += Self.conditions(condition, database)
    }
    return .map(RulesMap(partial: [.init("data", root.value)]))
  }

  private static func conditions(_ condition: QueryCondition, _ database: RulesDatabase) -> [FieldConstraint
    .Condition]
  {
    func one(_ comparison: FieldConstraint.Comparison) -> [FieldConstraint.Condition] {
      [.init(comparison: comparison, value: RulesValue(condition.operand, database: database))]
    }
    switch condition.comparison {
    case .equal: return one(.equal)
    case .notEqual: return one(.notEqual)
    case .lessThan: return one(.less)
    case .lessThanOrEqual: return one(.lessOrEqual)
    case .greaterThan: return one(.greater)
    case .greaterThanOrEqual: return one(.greaterOrEqual)
    case .arrayContains: return one(.contains)
    case .notIn:
      guard case .array(let values) = condition.operand else { return [] }
      return values.map { .init(comparison: .notEqual, value: RulesValue($0, database: database)) }
    default: return []
    }
  }

  /// A field of the documents, with what is known of it and of the fields inside.
  private final class Field {
    var conditions: [FieldConstraint.Condition] = []
    private var members: [String: Field] = [:]

    func member(_ name: String) -> Field {
      if let member = members[name] { return member }
      let member = Field()
      members[name] = member
      return member
    }

    var value: RulesValue {
      // A field that must equal a value has it.
      if conditions.count == 1, let condition = conditions.first, condition.comparison == .equal {
        return condition.value
      }
      if !conditions.isEmpty { return .constraint(FieldConstraint(conditions)) }
      return .map(RulesMap(partial: members.map { .init($0.key, $0.value.value) }))
    }
  }

  /// Returns `request.query`.
  static func queryValue(_ query: StructuredQuery, offset: Int64) -> RulesValue {
    let orders = query.orders.map {
      RulesMap.Entry($0.field.segments.joined(separator: "."), .string($0.isDescending ? "DESC" : "ASC"))
    }
    return .map(
      RulesMap([
        // Checked: an integer of at most 64 bits.
        .init("limit", query.limit.map { .integer(Int64($0)) } ?? .null), .init("offset", .integer(offset)),
        .init("orderBy", .map(RulesMap(orders))),
      ]))
  }
}
