import TenonDocuments
import TenonStoreInterop
import TenonValues

/// The plans of recent queries, by the shape of the query: everything but its values.
///
/// The shape determines which indexes are considered and how they rank, except for values without which an
/// index would have no bounds. A kept plan consists of the indexes; their bounds are computed from the values of
/// each query. If these make a difference, the query is planned again.
final class PlanCache {
  /// What kept plans depend on besides the query.
  private let indexes: IndexTable
  private var plans: [Shape: Kept] = [:]
  /// The revision of ``indexes`` for which the plans were made.
  private var revision = 0

  /// The maximum number of kept plans; beyond it, all are dropped.
  private static let capacity = 200

  init(_ indexes: IndexTable) { self.indexes = indexes }

  /// Returns the plan of a query.
  ///
  /// - Complexity: O(n) in the number of conditions and orders if a query with the same shape was planned;
  ///   otherwise that of planning it.
  func plan(for query: ResolvedQuery) -> QueryPlan {
    if revision != indexes.revision { (plans, revision) = ([:], indexes.revision) }
    guard let shape = Shape(query) else { return newPlan(for: query) }
    if let kept = plans[shape], let plan = QueryPlan(query, as: kept) { return plan }
    let plan = newPlan(for: query)
    if plans.count >= Self.capacity { removeAll() }
    plans[shape] = Kept(plan)
    return plan
  }

  /// Drops all kept plans.
  func removeAll() { plans = [:] }

  private func newPlan(for query: ResolvedQuery) -> QueryPlan {
    QueryPlan(query, indexes: indexes.complete, isIndexed: indexes.fieldIndexes.isComplete)
  }

  /// The indexes of a plan with a single branch.
  struct Kept {
    let scans: [(index: IndexScan.Index, isBounded: Bool)]
    let missing: [(field: FieldPath, kind: EntryTable.Kind)]

    /// Creates the kept form of a plan; `nil` if it has several branches or none.
    init?(_ plan: QueryPlan) {
      guard plan.branches.count == 1, let branch = plan.branches.first, !branch.checksDocuments else {
        return nil
      }
      scans = branch.scans.map { ($0.index, $0.isBounded) }
      missing = branch.missing
    }
  }

  /// Everything of a query but its values.
  private struct Shape: Hashable {
    /// A condition without its operand.
    private struct Condition: Hashable {
      let field: FieldPath
      let comparison: QueryComparison
    }

    /// A cursor without its values.
    private struct Cursor: Hashable {
      let count: Int
      let isInclusive: Bool

      init(_ cursor: QueryCursor) { (count, isInclusive) = (cursor.values.count, cursor.isInclusive) }
    }

    private let collection: ResourcePath
    private let isGroup: Bool
    private let hasLimit: Bool
    private let orders: [QueryOrder]
    private let conditions: [Condition]
    private let start: Cursor?
    private let end: Cursor?

    /// Creates the shape of a query; `nil` if the number of its alternatives depends on values.
    init?(_ query: ResolvedQuery) {
      var conditions: [Condition] = []
      switch query.query.filter {
      case nil: break
      case .and(let filters):
        for filter in filters {
          guard let condition = Self.condition(filter) else { return nil }
          conditions.append(condition)
        }
      case let filter?:
        guard let condition = Self.condition(filter) else { return nil }
        conditions.append(condition)
      }
      self.conditions = conditions
      collection = ResourcePath(segments: [query.query.collectionID])
      isGroup = query.query.allDescendants
      hasLimit = query.query.limit != nil
      orders = query.orders
      (start, end) = (query.query.start.map(Cursor.init), query.query.end.map(Cursor.init))
    }

    private static func condition(_ filter: QueryFilter) -> Condition? {
      guard case .field(let field, let comparison, _) = filter, comparison != .in,
        comparison != .arrayContainsAny
      else { return nil }
      return Condition(field: field, comparison: comparison)
    }
  }
}
