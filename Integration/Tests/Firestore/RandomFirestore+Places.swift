import Foundation
import TenonDocuments
import TenonStoreInterop

/// Documents and queries in several collections, on several levels.
extension RandomFirestore {
  /// A query, and from which end its limit counts.
  struct PlacedQuery: CustomStringConvertible {
    var structure: StructuredQuery
    var isLimitedToLast = false
    /// Whether the group is restricted to the collections below a document.
    var isGroupBelowDocument: Bool { structure.allDescendants && !structure.parent.segments.isEmpty }
    var description: String { "\(structure)" + (isLimitedToLast ? " (last)" : "") }
  }

  /// IDs whose order, encoding in URLs or normalization is difficult.
  private static let ids = [
    "a", "b", "c", "d", "é", "e\u{301}", "\u{FF41}", "\u{1F600}", "__id7__", "__id10__", "__id-3__", "Z",
    "z z",
    "a:b", "50%", "a+b", "%2F", "a?b#c", "..a", "\"q\"", "\\", "~", "_", "10", "9",
  ]

  /// The number of different documents that ``place(_:)`` returns.
  static let places = 8 * ids.count

  /// Returns the path of a document. Different numbers below ``places`` yield different documents.
  func place(_ number: Int) -> ResourcePath {
    let id = Self.ids[number / 8 % Self.ids.count]
    let group = collection.id
    let parents: [[String]] = [
      [group], [group], [group], [group], [group, "a", group], [group, "a", "s"], [group, "é", group],
      ["other-" + group, "50%", group],
    ]
    // The same collection several times, so that it is the largest.
    let place = number % 8
    return ResourcePath(segments: parents[place]).appending(place < 4 && place > 0 ? "\(id)\(place)" : id)
  }

  /// Returns the path of a document or of one that doesn't exist.
  private mutating func anyPlace() -> ResourcePath {
    random(6) == 0 ? collection.appending("none") : place(random(Self.places))
  }

  /// Returns a query for the documents of ``place(_:)``, valid in most cases.
  mutating func placedQuery() -> PlacedQuery {
    if random(6) == 0 { return PlacedQuery(structure: wildQuery()) }
    let group = collection.id
    let document = collection.appending("a")
    var query = query()
    switch random(8) {
    case 0, 1: query.allDescendants = true
    case 2:
      query.parent = document
      query.allDescendants = random(2) == 0
    case 3:
      query.parent = document
      query.collectionID = "s"
    case 4:
      query.parent = ResourcePath(segments: ["other-" + group, "50%"])
    default: break
    }
    if random(5) == 0 {
      let condition = nameCondition()
      query.filter =
        query.filter.map { random(2) == 0 ? .and([$0, condition]) : .or([$0, condition]) } ?? condition
    }
    if random(4) == 0 { addNameCursors(to: &query) }
    let isLimitedToLast = query.limit != nil && !query.orders.isEmpty && random(2) == 0
    return PlacedQuery(structure: query, isLimitedToLast: isLimitedToLast)
  }

  /// Returns a condition on the document ID.
  private mutating func nameCondition() -> QueryFilter {
    let comparison: QueryComparison = one(of: [
      .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .in, .notIn,
    ])
    guard [.in, .notIn].contains(comparison) else {
      return .field(.documentID(), comparison, .reference(anyPlace()))
    }
    let names = (0..<(1 + random(4))).map { _ in Value.reference(anyPlace()) }
    return .field(.documentID(), comparison, .array(names))
  }

  /// Orders a query by the document ID as well, and adds cursors with a value for each order.
  private mutating func addNameCursors(to query: inout StructuredQuery) {
    query.orders.removeAll { $0.field == .documentID() }
    query.orders.append(
      QueryOrder(field: .documentID(), isDescending: query.orders.last?.isDescending ?? false))
    func cursor(_ random: inout RandomFirestore) -> QueryCursor {
      let values = query.orders.map { order in
        order.field == .documentID() ? .reference(random.anyPlace()) : random.value()
      }
      return QueryCursor(values: values, isInclusive: random.random(2) == 0)
    }
    if random(3) > 0 { query.start = cursor(&self) }
    if random(3) > 0 { query.end = cursor(&self) }
  }
}
