import Foundation
import TenonDocuments
import TenonStoreInterop

/// Queries about half of which violate a rule.
extension RandomFirestore {
  mutating func wildQuery() -> StructuredQuery {
    var query = StructuredQuery(
      parent: ResourcePath(segments: []), collectionID: collection.id, allDescendants: random(5) == 0)
    if random(8) > 0 { query.filter = wildFilter(depth: 0) }
    for _ in 0..<[0, 0, 1, 1, 2, 3][random(6)] {
      query.orders.append(QueryOrder(field: wildField(), isDescending: random(8) == 0))
    }
    if random(5) == 0 { query.start = wildCursor(query.orders) }
    if random(6) == 0 { query.end = wildCursor(query.orders) }
    if random(4) == 0 { query.limit = one(of: [1, 2, 5, 0, -1]) }
    return query
  }

  private mutating func wildField() -> FieldPath {
    random(4) == 0 ? .documentID() : one(of: ["f", "g", "h", "m.a"])
  }

  /// Returns an operand of a condition on the document ID, or a cursor's value for it. Plain IDs are left
  /// out: Store interprets them as documents of the collection, the server doesn't.
  private mutating func wildName() -> Value {
    switch random(12) {
    case 0: .reference(ResourcePath(segments: ["x", "y"]))
    case 1: .reference(document().appending("s").appending("z"))
    case 2: one(of: [.null, 1, .double(.nan), true, [1], ["a": 1]])
    default: .reference(document())
    }
  }

  private mutating func wildCursor(_ orders: [QueryOrder]) -> QueryCursor {
    let values = (0..<random(orders.count + 3)).map { index -> Value in
      let isName = index < orders.count ? orders[index].field == .documentID() : random(2) == 0
      return isName ? wildName() : value()
    }
    return QueryCursor(values: values, isInclusive: random(2) == 0)
  }

  private mutating func wildFilter(depth: Int) -> QueryFilter {
    let count = random(12) == 0 ? 0 : 1 + random(3)
    switch random(depth < 2 ? 8 : 4) {
    case 4, 5: return .and((0..<count).map { _ in wildFilter(depth: depth + 1) })
    case 6, 7: return .or((0..<count).map { _ in wildFilter(depth: depth + 1) })
    default: return wildCondition()
    }
  }

  private mutating func wildCondition() -> QueryFilter {
    let field = wildField()
    let comparison: QueryComparison = one(of: [
      .equal, .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual,
      .arrayContains, .arrayContainsAny, .in, .in, .notIn,
    ])
    func operand(_ random: inout RandomFirestore) -> Value {
      field == .documentID() ? random.wildName() : random.value()
    }
    guard [.in, .notIn, .arrayContainsAny].contains(comparison), random(20) > 0 else {
      return .field(field, comparison, operand(&self))
    }
    let count = random(4) == 0 ? one(of: [0, 10, 11, 30, 31]) : 1 + random(3)
    return .field(field, comparison, .array((0..<count).map { _ in operand(&self) }))
  }
}
