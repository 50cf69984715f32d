package import TenonStoreInterop
package import TenonValues

/// A comparison of a field with a value, in one alternative of a filter.
package struct QueryCondition: Hashable, Sendable {
  /// The field; `__name__` for the document ID.
  package let field: FieldPath
  /// The operator. It is neither `in` nor `array-contains-any`.
  package let comparison: QueryComparison
  /// The value with which the field is compared; an array of values for `not-in`.
  package let operand: Value
}

extension QueryFilter {
  /// Returns the filter's disjunctive normal form: alternatives, each of which consists of conditions that
  /// all hold.
  ///
  /// Each value of `in` and `array-contains-any` is an alternative with `equal` or `array-contains`, any
  /// other condition is one. An `or` has those of all its parts; an `and` has one for each choice of an
  /// alternative of every part. Conditions that repeat in an alternative, and alternatives with the same
  /// conditions, occur once, as on Firestore's server. 1 and 1.0 are different values in this.
  ///
  /// - Parameter most: the maximum number of alternatives, also of the parts of the filter.
  /// - Returns: the alternatives in the order of their first occurrence; `nil` if there are more.
  /// - Complexity: O(*n* · `most`²) for *n* conditions. A query has at most 100.
  package func alternatives(atMost most: Int) -> [[QueryCondition]]? {
    var conditions = Numbers<QueryCondition>()
    return numbered(&conditions, most)?.map { numbers in numbers.map { conditions.elements[$0] } }
  }

  /// Distinct values, each with its index in the order of their first occurrence.
  private struct Numbers<Element: Hashable> {
    private(set) var elements: [Element] = []
    private var indexes: [Element: Int] = [:]

    /// Returns the number of an element, which is added if it is new.
    mutating func number(of element: Element) -> Int {
      if let index = indexes[element] { return index }
      indexes[element] = elements.count
      elements.append(element)
      return elements.count - 1
    }
  }

  /// Returns the alternatives as the numbers of their conditions, in ascending order; `nil` if there are more
  /// than `most`.
  private func numbered(_ conditions: inout Numbers<QueryCondition>, _ most: Int) -> [[Int]]? {
    switch self {
    case .field(let field, .in, .array(let values)):
      return Self.each(values, field, .equal, &conditions, most)
    case .field(let field, .arrayContainsAny, .array(let values)):
      return Self.each(values, field, .arrayContains, &conditions, most)
    case .field(let field, let comparison, let operand):
      let condition = QueryCondition(field: field, comparison: comparison, operand: operand)
      return [[conditions.number(of: condition)]]
    case .or(let filters):
      var found = Numbers<[Int]>()
      for filter in filters {
        guard let next = filter.numbered(&conditions, most) else { return nil }
        for alternative in next {
          _ = found.number(of: alternative)
          guard found.elements.count <= most else { return nil }
        }
      }
      return found.elements
    case .and(let filters):
      var distinct = Numbers<QueryFilter>()
      for filter in filters { _ = distinct.number(of: filter) }
      var found: [[Int]] = [[]]
      for filter in distinct.elements {
        guard let next = filter.numbered(&conditions, most) else { return nil }
        var products = Numbers<[Int]>()
        for left in found {
          for right in next {
            _ = products.number(of: Self.union(left, right))
            guard products.elements.count <= most else { return nil }
          }
        }
        found = products.elements
      }
      return found
    }
  }

  /// Returns an alternative for each of several values.
  private static func each(
    _ values: [Value], _ field: FieldPath, _ comparison: QueryComparison,
    _ conditions: inout Numbers<QueryCondition>, _ most: Int
  ) -> [[Int]]? {
    var found = Numbers<[Int]>()
    for value in values {
      let condition = QueryCondition(field: field, comparison: comparison, operand: value)
      _ = found.number(of: [conditions.number(of: condition)])
    }
    return found.elements.count <= most ? found.elements : nil
  }

  /// Returns the union of two ascending lists.
  private static func union(_ left: [Int], _ right: [Int]) -> [Int] {
    guard !left.isEmpty else { return right }
    return Set(left).union(right).sorted()
  }
}
