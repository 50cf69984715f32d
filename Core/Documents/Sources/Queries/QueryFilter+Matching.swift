public import TenonStoreInterop

extension QueryFilter {
  /// Whether a document satisfies the condition.
  ///
  /// Values are compared as the server does, in the total order: 1 equals 1.0.
  public func matches(_ fields: Fields, at path: ResourcePath) -> Bool {
    switch self {
    case .and(let filters): filters.allSatisfy { $0.matches(fields, at: path) }
    case .or(let filters): filters.contains { $0.matches(fields, at: path) }
    case .field(let field, let comparison, let operand):
      fields.value(of: field, at: path).map { Self.matches($0, comparison, operand) } ?? false
    }
  }

  private static func matches(_ value: Value, _ comparison: QueryComparison, _ operand: Value) -> Bool {
    switch comparison {
    case .equal: return value.compare(operand) == 0
    case .notEqual: return !value.isNull && value.compare(operand) != 0
    case .lessThan: return value.hasTypeOf(operand) && value.isOrdered && value.compare(operand) < 0
    case .lessThanOrEqual: return value.hasTypeOf(operand) && value.isOrdered && value.compare(operand) <= 0
    case .greaterThan: return value.hasTypeOf(operand) && value.isOrdered && value.compare(operand) > 0
    case .greaterThanOrEqual:
      return value.hasTypeOf(operand) && value.isOrdered && value.compare(operand) >= 0
    case .arrayContains: return value.elements.contains { $0.compare(operand) == 0 }
    case .arrayContainsAny:
      // Null and NaN in the list never match.
      return operand.elements.contains { wanted in
        !wanted.isNull && !wanted.isNaN && value.elements.contains { $0.compare(wanted) == 0 }
      }
    case .in:
      // Null and NaN in the list never match.
      return operand.elements.contains { !$0.isNull && !$0.isNaN && value.compare($0) == 0 }
    case .notIn:
      // Null in the list excludes everything; NaN excludes nothing.
      return !value.isNull
        && operand.elements.allSatisfy { !$0.isNull && ($0.isNaN || value.compare($0) != 0) }
    default: return false
    }
  }

  /// Every condition on a single field, wherever it stands.
  public var fieldConditions: [(field: FieldPath, comparison: QueryComparison, operand: Value)] {
    switch self {
    case .field(let field, let comparison, let operand): [(field, comparison, operand)]
    case .and(let filters), .or(let filters): filters.flatMap(\.fieldConditions)
    }
  }

  /// The conditions that every matching document satisfies: those that don't stand below an `or`.
  public var requiredConditions: [(field: FieldPath, comparison: QueryComparison, operand: Value)] {
    switch self {
    case .field(let field, let comparison, let operand): [(field, comparison, operand)]
    case .and(let filters): filters.flatMap(\.requiredConditions)
    case .or: []
    }
  }
}

extension QueryComparison {
  /// Whether a query that uses this operator is ordered by the field, if nothing else orders it.
  public var isInequality: Bool {
    [.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .notIn].contains(self)
  }
}

extension Fields {
  /// A field's value as queries see it: `__name__` is the document's path.
  public func value(of field: FieldPath, at path: ResourcePath) -> Value? {
    field == .documentID() ? .reference(path) : self[field]
  }
}

extension Value {
  var isNaN: Bool { if case .double(let value) = self { value.isNaN } else { false } }
  /// NaN stands in the order, but is neither less nor greater than anything in a condition.
  var isOrdered: Bool { !isNaN }
  var elements: [Value] { if case .array(let elements) = self { elements } else { [] } }
}
