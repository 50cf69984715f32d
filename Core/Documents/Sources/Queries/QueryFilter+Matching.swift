package import TenonStoreInterop

extension QueryFilter {
  /// Whether a document satisfies the filter, with the semantics of Firestore's server.
  ///
  /// Values are compared in the total order of ``Value/compare(_:)``, so 1 equals 1.0. A comparison with a
  /// field that doesn't exist is false, `notEqual` and `notIn` included. An empty `and` is true, an empty
  /// `or` false. Firestore's client libraries differ from the server in some of these cases, for example in a
  /// comparison of 1 with 1.0 by `in`; here, a local result equals the server's.
  ///
  /// The filter must have passed the checks of ``ResolvedQuery``, which also converts operands for `__name__`
  /// to references.
  ///
  /// - Parameters:
  ///   - fields: the document's fields.
  ///   - path: the document's path, the value of `__name__`.
  /// - Returns: whether the filter holds. The collection, the orders and the cursors of a query aren't
  ///   considered; see ``ResolvedQuery/matches(_:at:)``.
  package func matches(_ fields: Fields, at path: ResourcePath) -> Bool {
    switch self {
    case .and(let filters): filters.allSatisfy { $0.matches(fields, at: path) }
    case .or(let filters): filters.contains { $0.matches(fields, at: path) }
    case .field(let field, let comparison, let operand):
      fields.value(of: field, at: path).map { Self.matches($0, comparison, operand) } ?? false
    }
  }

  /// Whether a value satisfies a comparison.
  ///
  /// Inequalities hold only between values of the same type, and never for null and NaN; nor does
  /// `arrayContains` with them. `notEqual` and `notIn` hold
  /// for values of other types, but not for null. Null and NaN are special in lists: they never match by `in`
  /// and `arrayContainsAny`, null in a `notIn` excludes every document, and NaN in a `notIn` excludes none.
  ///
  /// - Parameters:
  ///   - value: the value of the field, which exists.
  ///   - comparison: the operator. An unknown one never matches.
  ///   - operand: the value to compare with; an array for the operators that take several values.
  /// - Complexity: O(*n* · *m*) comparisons of values for `arrayContainsAny` with *n* operands and an array
  ///   of *m* elements.
  private static func matches(_ value: Value, _ comparison: QueryComparison, _ operand: Value) -> Bool {
    switch comparison {
    case .equal: return value.compare(operand) == 0
    case .notEqual: return !value.isNull && value.compare(operand) != 0
    case .lessThan: return value.isComparable(to: operand) && value.compare(operand) < 0
    case .lessThanOrEqual: return value.isComparable(to: operand) && value.compare(operand) <= 0
    case .greaterThan: return value.isComparable(to: operand) && value.compare(operand) > 0
    case .greaterThanOrEqual: return value.isComparable(to: operand) && value.compare(operand) >= 0
    case .arrayContains: return operand.isMatched && value.elements.contains { $0.compare(operand) == 0 }
    case .arrayContainsAny:
      // Null and NaN in the list never match.
      return operand.elements.contains { wanted in
        wanted.isMatched && value.elements.contains { $0.compare(wanted) == 0 }
      }
    case .in:
      // Null and NaN in the list never match.
      return operand.elements.contains { $0.isMatched && value.compare($0) == 0 }
    case .notIn:
      // Null in the list excludes everything; NaN excludes nothing.
      return !value.isNull
        && operand.elements.allSatisfy { !$0.isNull && ($0.isNaN || value.compare($0) != 0) }
    default: return false
    }
  }

  /// All comparisons of the filter, at any depth, in their order. How they are combined is lost: not all of
  /// them need to hold for a document that matches; see ``requiredConditions``.
  package var fieldConditions: [(field: FieldPath, comparison: QueryComparison, operand: Value)] {
    switch self {
    case .field(let field, let comparison, let operand): [(field, comparison, operand)]
    case .and(let filters), .or(let filters): filters.flatMap(\.fieldConditions)
    }
  }

  /// The comparisons that every matching document satisfies: those that aren't inside an `or`.
  package var requiredConditions: [(field: FieldPath, comparison: QueryComparison, operand: Value)] {
    switch self {
    case .field(let field, let comparison, let operand): [(field, comparison, operand)]
    case .and(let filters): filters.flatMap(\.requiredConditions)
    case .or: []
    }
  }
}

extension QueryComparison {
  /// Whether a query with this operator is implicitly ordered by the field: `<`, `<=`, `>`, `>=`, `!=` and
  /// `not-in`. Documents without the field are then not part of the result. With null and NaN, the first four
  /// match nothing, and aren't inequalities on the server.
  package func isInequality(with operand: Value) -> Bool {
    switch self {
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: operand.isMatched
    case .notEqual, .notIn: true
    default: false
    }
  }
}

extension Fields {
  /// Returns the value of a field as queries see it; `nil` if it doesn't exist. For `__name__`, this is a
  /// reference to the document.
  ///
  /// - Parameters:
  ///   - field: the field path.
  ///   - path: the document's path.
  package func value(of field: FieldPath, at path: ResourcePath) -> Value? {
    field == .documentID() ? .reference(path) : self[field]
  }
}

extension Value {
  /// Whether this is the double NaN.
  var isNaN: Bool { if case .double(let value) = self { value.isNaN } else { false } }
  /// Whether the value can satisfy an inequality, and can be found in an array or a list: null and NaN have a
  /// place in the total order, but only `equal` and `notEqual` compare with them.
  package var isMatched: Bool { !isNull && !isNaN }
  /// Whether an inequality can hold between the value and another one.
  fileprivate func isComparable(to other: Value) -> Bool {
    hasTypeOf(other) && isMatched && other.isMatched
  }
  /// The elements of the array; empty for other types.
  var elements: [Value] { if case .array(let elements) = self { elements } else { [] } }
}
