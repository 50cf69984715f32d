import Foundation
import TenonDocuments
import TenonStoreInterop

/// How a query over one collection is answered: which index is read, between which bounds, and whether the documents
/// come in the query's order.
struct QueryPlan {
  enum Source {
    /// The documents themselves, by their keys.
    case documents
    /// The entries of a field.
    case entries(FieldPath, IndexEntry.Kind)
  }

  let source: Source
  /// Inclusive bounds. They may let through documents that don't match; every document is checked.
  let lower: Data?
  let upper: Data?
  let isDescending: Bool
  /// Whether documents come in the query's order, so that reading can stop at its limit.
  let isOrdered: Bool

  init(_ query: ResolvedQuery) {
    let first = query.orders[0]
    let conditions = query.query.filter?.requiredConditions ?? []
    // The index has ties in the order of keys, in its own direction.
    let isKeyOrder = first.field == .documentID
    let isSingleFieldOrder =
      query.orders.count == 2 && query.orders[1].field == .documentID
      && query.orders[1].isDescending == first.isDescending
    isDescending = first.isDescending

    if let equal = conditions.first(where: { $0.comparison == .equal && $0.field != .documentID }) {
      source = .entries(equal.field, .value)
      lower = IndexEncoding.encode(equal.operand)
      upper = lower
      isOrdered = isKeyOrder || (isSingleFieldOrder && first.field == equal.field)
    } else if let contains = conditions.first(where: { $0.comparison == .arrayContains }) {
      source = .entries(contains.field, .element)
      lower = IndexEncoding.encode(contains.operand)
      upper = lower
      isOrdered = isKeyOrder
    } else if isKeyOrder {
      source = .documents
      var bounds = Bounds()
      for condition in conditions where condition.field == .documentID {
        bounds.add(condition.comparison, condition.operand, encode: Self.key)
      }
      if !query.query.allDescendants { bounds.add(query, encode: Self.key) }
      (lower, upper) = (bounds.lower, bounds.upper)
      isOrdered = true
    } else {
      source = .entries(first.field, .value)
      var bounds = Bounds()
      for condition in conditions where condition.field == first.field {
        bounds.add(condition.comparison, condition.operand) { IndexEncoding.encode($0) }
        bounds.addType(condition.comparison, condition.operand)
      }
      bounds.add(query) { IndexEncoding.encode($0) }
      (lower, upper) = (bounds.lower, bounds.upper)
      isOrdered = isSingleFieldOrder
    }
  }

  /// The index, for people.
  var name: String {
    switch source {
    case .documents: "documents by their id"
    case .entries(let field, .value): "values of \(field.text)"
    case .entries(let field, .element): "elements of \(field.text)"
    }
  }

  /// The key of a document that a value refers to.
  private static func key(_ value: Value) -> Data? {
    guard case .reference(let path) = value else { return nil }
    return LocalStore.key(path)
  }

  private struct Bounds {
    var lower: Data?
    var upper: Data?

    mutating func raise(_ bound: Data?) {
      guard let bound else { return }
      lower = lower.map { $0.lexicographicallyPrecedes(bound) ? bound : $0 } ?? bound
    }

    mutating func reduce(_ bound: Data?) {
      guard let bound else { return }
      upper = upper.map { bound.lexicographicallyPrecedes($0) ? bound : $0 } ?? bound
    }

    mutating func add(_ comparison: QueryComparison, _ operand: Value, encode: (Value) -> Data?) {
      switch comparison {
      case .equal:
        raise(encode(operand))
        reduce(encode(operand))
      case .greaterThan, .greaterThanOrEqual: raise(encode(operand))
      case .lessThan, .lessThanOrEqual: reduce(encode(operand))
      default: break
      }
    }

    /// An inequality holds within its operand's type only.
    mutating func addType(_ comparison: QueryComparison, _ operand: Value) {
      guard [.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual].contains(comparison) else {
        return
      }
      let (least, beyond) = OrderedEncoding.typeBounds(of: operand)
      raise(least)
      reduce(beyond)
    }

    /// A cursor bounds the first order.
    mutating func add(_ query: ResolvedQuery, encode: (Value) -> Data?) {
      let isDescending = query.orders[0].isDescending
      let start = (query.query.start?.values.first).flatMap(encode)
      let end = (query.query.end?.values.first).flatMap(encode)
      raise(isDescending ? end : start)
      reduce(isDescending ? start : end)
    }
  }
}
