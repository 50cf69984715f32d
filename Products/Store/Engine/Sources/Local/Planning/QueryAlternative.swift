import TenonDocuments
import TenonFoundation
import TenonStoreInterop

/// A conjunction of conditions: one disjunct of a query's filter in disjunctive normal form.
///
/// A document matches the filter if it matches one of the alternatives. Values of `in` and
/// `array-contains-any` become alternatives with an equality or `array-contains` condition each, so that each
/// alternative can be answered by scanning ranges of an index.
struct QueryAlternative {
  typealias Condition = QueryCondition

  /// The conditions, all of which a document must satisfy; empty if every document does.
  private(set) var conditions: [Condition] = []

  /// Returns the disjuncts of a filter; an empty array if no document can match. Query validation limits them
  /// to 30.
  ///
  /// - Parameter filter: the filter; `nil` for one alternative without conditions.
  static func all(of filter: QueryFilter?) -> [QueryAlternative] {
    guard let filter else { return [QueryAlternative()] }
    // Never more: the query was checked.
    return (simplified(filter)?.alternatives(atMost: QueryRules.mostAlternatives) ?? [])
      .map { QueryAlternative(conditions: $0) }
  }

  /// Returns a filter with the same documents whose lists have no values that match nothing, and equal ones
  /// once; `nil` if no document matches.
  private static func simplified(_ filter: QueryFilter) -> QueryFilter? {
    switch filter {
    case .and(let filters):
      let parts = filters.compactMap(simplified)
      return parts.count == filters.count ? .and(parts) : nil
    case .or(let filters):
      let parts = filters.compactMap(simplified)
      return parts.isEmpty ? nil : .or(parts)
    case .field(let field, let comparison, .array(let values))
    where comparison == .in || comparison == .arrayContainsAny:
      var seen: Set<Data> = []
      let wanted = values.filter { $0.isMatched && seen.insert(OrderedEncoding.encode($0)).inserted }
      return wanted.isEmpty ? nil : .field(field, comparison, .array(wanted))
    case .field(_, let comparison, let operand):
      let isMatched = operand.isMatched || [.equal, .notEqual].contains(comparison)
      return isMatched ? filter : nil
    }
  }

  private init(conditions: [Condition] = []) { self.conditions = conditions }

  /// Returns the value that the field has in every matching document; `nil` if there is no equality condition
  /// on it.
  func equal(_ field: FieldPath) -> Value? {
    conditions.first { $0.field == field && $0.comparison == .equal }?.operand
  }

  /// Returns whether a condition is the only one on its field.
  func isOnly(_ condition: Condition) -> Bool { conditions.count { $0.field == condition.field } == 1 }

  /// Returns an element that the field's array contains in every matching document; `nil` if there is no such
  /// condition.
  func contained(in field: FieldPath) -> Value? {
    conditions.first { $0.field == field && $0.comparison == .arrayContains }?.operand
  }

  /// The conditions whose documents are adjacent in an index: equalities and `array-contains`.
  var points: [Condition] {
    conditions.filter {
      ($0.comparison == .equal && $0.field != .documentID()) || $0.comparison == .arrayContains
    }
  }

  /// Returns the ranges of a field's encoded values in matching documents, in ascending order. They may also
  /// contain documents that don't match.
  ///
  /// Inequalities hold only between values of the same type, so they are bounded by the encodings of the type
  /// as well. `not-equal` and `not-in` exclude single encodings, including null, and split the range. An
  /// operand that isn't whole in the index has the same encoding as other values, so that its
  /// entries are included.
  ///
  /// - Parameter field: the field.
  /// - Returns: disjoint ranges; the range of all values if no condition bounds the field; none if no
  ///   document can match.
  func ranges(of field: FieldPath) -> [ByteRange] {
    guard conditions.contains(where: { $0.field == field }) else { return [ByteRange()] }
    var range = ByteRange()
    var excluded: Set<Data> = []
    for condition in conditions where condition.field == field {
      let bytes = IndexEncoding.encode(condition.operand)
      // Values that differ only beyond the length limit have the same entry.
      let isWhole = IndexEncoding.isWhole(condition.operand)
      switch condition.comparison {
      case .lessThan, .lessThanOrEqual:
        range.raise(to: condition.operand.leastOfType)
        range.reduce(to: condition.comparison == .lessThan && isWhole ? bytes : bytes.successor)
      case .greaterThan, .greaterThanOrEqual:
        range.raise(to: condition.comparison == .greaterThan && isWhole ? bytes.successor : bytes)
        range.reduce(to: OrderedEncoding.typeBounds(of: condition.operand).upper)
      case .notEqual:
        excluded.insert(IndexEncoding.encode(.null))
        if isWhole { excluded.insert(bytes) }
      case .notIn:
        excluded.insert(IndexEncoding.encode(.null))
        guard case .array(let values) = condition.operand else { continue }
        for value in values where value.isMatched {
          if IndexEncoding.isWhole(value) { excluded.insert(IndexEncoding.encode(value)) }
        }
        // Null in a `not-in` list excludes every document.
        if values.contains(where: { IndexEncoding.encode($0) == IndexEncoding.encode(.null) }) { return [] }
      default: break
      }
    }
    var ranges: [ByteRange] = []
    for bytes in excluded.sorted(by: { $0.precedes($1) }) {
      var before = range
      before.reduce(to: bytes)
      ranges.append(before)
      range.raise(to: bytes.successor)
    }
    return (ranges + [range]).filter { !$0.isEmpty }
  }
}

extension ByteRange {
  /// Raises the lower bound; `nil` has no effect.
  fileprivate mutating func raise(to bound: Data?) {
    if let bound, lower.precedes(bound) { lower = bound }
  }

  /// Lowers the upper bound; `nil` has no effect.
  fileprivate mutating func reduce(to bound: Data?) {
    if let bound, upper.map({ bound.precedes($0) }) ?? true { upper = bound }
  }
}

extension Value {
  /// The smallest encoding of the values comparable with this one. NaN sorts before all numbers, but isn't
  /// less than any of them.
  fileprivate var leastOfType: Data? {
    switch self {
    case .integer, .double: IndexEncoding.encode(.double(.nan)).successor
    default: OrderedEncoding.typeBounds(of: self).lower
    }
  }
}
