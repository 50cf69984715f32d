import TenonCore
package import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonValues

/// The indexes that Firestore's server requires for the queries that a process has run.
///
/// It is in memory, and can be used from any thread.
package final class RequiredIndexes: Sendable {
  /// The greatest number of indexes that are remembered; further ones are ignored.
  static let capacity = 1_000

  private let found = Lock<Set<CompositeIndex>>([])

  /// Adds the indexes that a query requires.
  ///
  /// - Complexity: O(n) in the number of conditions of all alternatives; O(1) for a query without conditions
  ///   that is ordered by at most one field.
  package func add(_ query: ResolvedQuery) {
    let required = CompositeIndex.required(for: query)
    guard !required.isEmpty else { return }
    found.withLock { found in
      for index in required where found.count < Self.capacity { found.insert(index) }
    }
  }

  /// The indexes, sorted as in a file.
  package var all: [CompositeIndex] { found.withLock { $0 }.sorted { $0.precedes($1) } }
}

extension CompositeIndex {
  /// Returns the indexes that Firestore's server requires for a query
  /// (https://firebase.google.com/docs/firestore/query-data/index-overview).
  ///
  /// The server indexes every single field of a collection in both directions, and the elements of arrays,
  /// and merges these indexes for conjunctions of equalities. An index over several fields is required for an
  /// order or an inequality together with an equality on another field, or for several orders. The fields
  /// with an equality come first, then the one with `arrayContains`, then the orders. Collection groups have
  /// no automatic index, so that queries over them require indexes of single fields as well. Each alternative
  /// of a disjunction is served by its own index.
  ///
  /// - Parameter query: the query as the server runs it.
  /// - Returns: the indexes, each once.
  static func required(for query: ResolvedQuery) -> [CompositeIndex] {
    let isGroup = query.query.allDescendants
    if query.query.filter == nil, !isGroup, query.query.orders.count <= 1 { return [] }
    var found: [CompositeIndex] = []
    for alternative in QueryAlternative.all(of: query.query.filter) {
      for index in required(for: alternative, of: query, isGroup) where !found.contains(index) {
        found.append(index)
      }
    }
    return found
  }

  private static func required(
    for alternative: QueryAlternative, of query: ResolvedQuery, _ isGroup: Bool
  ) -> [CompositeIndex] {
    let scope: Scope = isGroup ? .collectionGroup : .collection
    var points: [Field] = []
    for condition in alternative.points.sorted(by: { $0.field.compare($1.field) < 0 }) {
      guard !points.contains(where: { $0.path == condition.field }) else { continue }
      if condition.comparison == .equal { points.append(.ascending(condition.field)) }
    }
    // The server allows one condition of this kind in a conjunction.
    if let contained = alternative.points.first(where: { $0.comparison == .arrayContains }),
      !points.contains(where: { $0.path == contained.field })
    {
      points.append(.contains(contained.field))
    }
    // What follows the document ID has no effect on the order.
    let orders = query.orders.prefix { $0.field != .documentID() }
      .filter { order in !points.contains { $0.path == order.field } }
      .map { $0.isDescending ? Field.descending($0.field) : .ascending($0.field) }
    func index(_ fields: [Field]) -> CompositeIndex {
      CompositeIndex(query.query.collectionID, scope: scope, fields: fields)
    }
    guard let last = orders.last else {
      // Equalities alone are answered by merging the indexes of single fields.
      return isGroup ? points.map { index([$0]) } : []
    }
    var fields = points + orders
    // The document ID follows in the direction of the last field, unless the query requests the other one.
    if let id = query.orders.last, id.field == .documentID(), id.isDescending != (last.kind == .descending) {
      fields.append(id.isDescending ? .descending(.documentID()) : .ascending(.documentID()))
    }
    return fields.count == 1 && !isGroup ? [] : [index(fields)]
  }

  /// Whether the index precedes another in a file: by collection ID, scope and fields.
  package func precedes(_ other: CompositeIndex) -> Bool {
    func key(_ index: CompositeIndex) -> [String] {
      [index.collectionID, index.scope.rawValue] + index.fields.map { "\($0.path.text) \($0.kind)" }
    }
    return key(self).lexicographicallyPrecedes(key(other))
  }
}
