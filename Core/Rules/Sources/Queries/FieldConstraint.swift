/// What a query says of a field whose value isn't known: every document of the result satisfies all the
/// conditions.
///
/// A comparison in a rule holds if one of the conditions implies it, and otherwise can't be proved, as by
/// Google. It is never false, because then `!` would make something true of which nothing is known.
package final class FieldConstraint: Sendable {
  /// A comparison of the field with a value.
  package struct Condition: Sendable {
    /// The comparison.
    package var comparison: Comparison
    /// The value.
    package var value: RulesValue
  }

  /// Comparisons of queries.
  package enum Comparison: Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, contains
  }

  /// The conditions, of which there is at least one.
  package let conditions: [Condition]

  init(_ conditions: [Condition]) { self.conditions = conditions }

  /// Returns `true` if a comparison of the field with a value is implied.
  ///
  /// - Throws: `unprovable` if it isn't.
  func compare(_ operation: BinaryOperator, _ value: RulesValue, _ id: Int) throws(EvaluationError) -> Bool {
    guard conditions.contains(where: { Self.implies($0, operation, value) }) else {
      throw EvaluationError(.unprovable, node: id)
    }
    return true
  }

  /// Returns `true` if the field is a list that contains a value.
  func contains(_ value: RulesValue, _ id: Int) throws(EvaluationError) -> Bool {
    let isImplied = conditions.contains { $0.comparison == .contains && $0.value.isStrictlyEqual(to: value) }
    guard isImplied else { throw EvaluationError(.unprovable, node: id) }
    return true
  }

  private static func implies(_ condition: Condition, _ operation: BinaryOperator, _ value: RulesValue)
    -> Bool
  {
    if case .null = value {
      // Whatever is compared with another value isn't null.
      guard operation == .notEqual else { return false }
      if case (.equal, .null) = (condition.comparison, condition.value) { return false }
      return true
    }
    let bound = condition.value
    // The values of a query for floats can't be compared with integers by Google, but those of a query for
    // integers with floats.
    let isOtherNumber = if case (.float, .integer) = (bound, value) { true } else { false }
    if isOtherNumber, condition.comparison != .equal || operation != .notEqual { return false }
    switch condition.comparison {
    case .contains: return false
    case .notEqual: return operation == .notEqual && bound.isEqual(to: value)
    case .equal:
      switch operation {
      case .equal: return bound.isEqual(to: value)
      case .notEqual: return areComparable(bound, value) && !bound.isEqual(to: value)
      default: return Comparisons.holds(operation, bound, value) ?? false
      }
    case .greater, .greaterOrEqual:
      let isStrict = condition.comparison == .greater
      switch operation {
      // With `x > bound`, `x > value` holds if the bound is at least the value.
      case .greater, .notEqual:
        return Comparisons.holds(isStrict ? .greaterOrEqual : .greater, bound, value) ?? false
      case .greaterOrEqual: return Comparisons.holds(.greaterOrEqual, bound, value) ?? false
      default: return false
      }
    case .less, .lessOrEqual:
      let isStrict = condition.comparison == .less
      switch operation {
      case .less, .notEqual: return Comparisons.holds(isStrict ? .lessOrEqual : .less, bound, value) ?? false
      case .lessOrEqual: return Comparisons.holds(.lessOrEqual, bound, value) ?? false
      default: return false
      }
    }
  }

  private static func areComparable(_ left: RulesValue, _ right: RulesValue) -> Bool {
    Comparisons.holds(.lessOrEqual, left, right) != nil
  }
}

extension RulesValue {
  /// Whether not all of it is known, because a query describes it or this device doesn't know it.
  var isPartial: Bool { gapReason != nil }

  /// The failure of an expression that needs all of it; `nil` if all of it is known.
  var gapReason: EvaluationError.Reason? {
    switch self {
    case .constraint: .unprovable
    case .map(let map): map.isPartial ? map.gapReason : nil
    default: nil
    }
  }

  /// Throws if this device doesn't know all of it.
  func checkIsKnown(_ id: Int) throws(EvaluationError) {
    if case .map(let map) = self, map.lacksKnowledge { throw EvaluationError(.unknownValue, node: id) }
  }
}
