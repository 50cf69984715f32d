import TenonDocuments
import TenonStoreInterop
import TenonValues

/// How a query is answered: the indexes that are read, their bounds, and by how many orders the documents
/// come sorted.
///
/// Every query has a plan, because the documents themselves can be read by key; indexes only make plans
/// better. The result is the same with each plan. Planning reads nothing, and depends on neither the number
/// of documents nor their values, so a query's plan changes only when indexes are completed or dropped.
struct QueryPlan {
  /// The index scans for one alternative of the query's filter.
  struct Branch {
    /// One scan, or several that are intersected: documents must be found by all of them.
    let scans: [IndexScan]
    /// The indexes of fields that would be read if they were complete.
    var missing: [(field: FieldPath, kind: EntryTable.Kind)] = []

    /// Whether documents are checked in any case, because the branch is read for several alternatives.
    var checksDocuments = false

    /// The number of leading orders of the query by which the documents come sorted.
    var sortedOrders: Int { scans.map(\.sortedOrders).min() ?? 0 }
    /// Whether all documents of the collection are read, apart from conditions on their IDs.
    var isOfDocuments: Bool {
      if case .documents = scans.first?.index { true } else { false }
    }
    /// Whether every document that is read matches.
    var isExact: Bool { scans.count == 1 && scans[0].isExact && !checksDocuments }
    /// A readable name, for ``QueryExplanation``.
    var name: String { scans.map(\.name).joined(separator: " ∩ ") }
  }

  /// The branches that are read. The same document may be found by several of them.
  let branches: [Branch]

  /// Plans a query.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - indexes: the composite indexes that are complete.
  ///   - isIndexed: returns whether the index of a field is complete.
  /// - Complexity: O(a · i) for a alternatives, at most 30, and i composite indexes.
  init(
    _ query: ResolvedQuery, indexes: [DeclaredIndex], isIndexed: (FieldIndexKey) -> Bool
  ) {
    let collectionID = query.query.collectionID
    self.collectionID = collectionID
    let scope: CompositeIndex.Scope = query.query.allDescendants ? .collectionGroup : .collection
    let usable = indexes.filter { index in
      // An index over single collections also serves a collection group, one collection at a time.
      index.definition.concerns(query.collection)
        && (index.definition.scope == scope || index.definition.scope == .collection)
    }
    let branches = QueryAlternative.all(of: query.query.filter).map {
      Self.branch(for: $0, of: query, indexes: usable) { field, kind in
        isIndexed(FieldIndexKey(collectionID, field, kind))
      }
    }
    missing = Self.keys(branches.flatMap(\.missing), collectionID)
    // An unbounded branch also reads the documents of all other branches.
    if branches.count > 1, branches.contains(where: { $0.scans.count == 1 && !$0.scans[0].isBounded }),
      let everything = QueryAlternative.all(of: nil).first
    {
      // Its bounds and its order must not depend on the conditions of one alternative.
      var whole = Self.branch(for: everything, of: query, indexes: usable) { field, kind in
        isIndexed(FieldIndexKey(collectionID, field, kind))
      }
      whole.checksDocuments = true
      self.branches = [whole]
    } else {
      self.branches = branches.filter { !$0.scans.contains { $0.ranges.isEmpty } }
      considered = branches
      return
    }
    considered = self.branches
  }

  /// Plans a query with the indexes of a plan for a query that differs in its values only.
  ///
  /// - Returns: `nil` if other indexes may be better for these values, or no document can match.
  init?(_ query: ResolvedQuery, as kept: PlanCache.Kept) {
    let alternatives = QueryAlternative.all(of: query.query.filter)
    guard alternatives.count == 1, let alternative = alternatives.first else { return nil }
    var scans: [IndexScan] = []
    for (index, isBounded) in kept.scans {
      guard let scan = IndexScan(index, for: alternative, of: query), scan.isBounded == isBounded,
        !scan.ranges.isEmpty
      else { return nil }
      scans.append(scan)
    }
    collectionID = query.query.collectionID
    branches = [Branch(scans: scans, missing: kept.missing)]
    considered = branches
    missing = Self.keys(kept.missing, collectionID)
  }

  /// Returns the indexes of fields of collections with an ID.
  private static func keys(
    _ fields: [(field: FieldPath, kind: EntryTable.Kind)], _ collectionID: String
  ) -> Set<FieldIndexKey> {
    guard !fields.isEmpty else { return [] }
    return Set(fields.map { FieldIndexKey(collectionID, $0.field, $0.kind) })
  }

  /// The ID of the query's collections.
  private let collectionID: String
  /// The indexes of fields that would be read if they were complete.
  let missing: Set<FieldIndexKey>

  /// The indexes of fields that are read.
  var used: [FieldIndexKey] {
    branches.flatMap(\.scans).compactMap { scan in
      guard case .entries(let field, let kind) = scan.index else { return nil }
      return FieldIndexKey(collectionID, field, kind)
    }
  }

  /// The branches of all alternatives, including those that are known to be empty.
  private let considered: [Branch]
  /// The names of the branches of all alternatives.
  private var names: [String] { considered.map(\.name) }

  /// A readable description of the indexes, for ``QueryExplanation``.
  var name: String {
    let names = names
    return switch names.count {
    case 0: "nothing"
    case 1: names[0]
    default: "union of \(names.count): \(indexes.joined(separator: ", "))"
    }
  }

  /// The indexes and intersections of indexes, without duplicates.
  var indexes: [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  /// Returns the best branch for an alternative: the indexes of fields, or a composite index with a higher
  /// score. Of several composite indexes with the same score, the one declared first is used.
  ///
  /// A composite index is considered if it covers the fields of all equality and `array-contains` conditions,
  /// and begins with them. An equality on the document ID is answered by the documents themselves.
  ///
  /// - Parameters:
  ///   - alternative: the conditions.
  ///   - query: the query.
  ///   - indexes: the composite indexes of the query's collections.
  ///   - isIndexed: returns whether the index of a field is complete.
  private static func branch(
    for alternative: QueryAlternative, of query: ResolvedQuery, indexes: [DeclaredIndex],
    isIndexed: (FieldPath, EntryTable.Kind) -> Bool
  ) -> Branch {
    // What would be read if every field had an index, which is needed to see what is missing.
    let ideal = automaticBranch(for: alternative, of: query)
    let automatic = available(ideal, for: alternative, of: query, isIndexed)
    let points = Set(alternative.points.map(\.field))
    // Any composite index that fits reads fewer entries than all documents.
    let isScan = !automatic.missing.isEmpty && automatic.isOfDocuments
    var best = (score: isScan ? 0 : score(of: automatic, in: query), branch: automatic)
    let idealScore = score(of: ideal, in: query)
    guard alternative.equal(.documentID()) == nil else { return automatic }
    for index in indexes {
      let columns = index.definition.columns
      // Conditions on fields outside the index would have to be checked in each document.
      guard points.isSubset(of: Set(columns.map(\.path))),
        columns.prefix(points.count).allSatisfy({ points.contains($0.path) }),
        let scan = IndexScan(.declared(index), for: alternative, of: query)
      else { continue }
      let score = score(scan, sorted: scan.sortedOrders, isSingle: true, of: query)
      if score > best.score {
        best = (score, Branch(scans: [scan], missing: score > idealScore ? [] : automatic.missing))
      }
    }
    return best.branch
  }

  /// Returns the part of a branch whose indexes are complete, and what is missing. Without any, the index of
  /// the first field of the order is read if that is complete, otherwise the documents by their key.
  ///
  /// - Parameters:
  ///   - ideal: the branch in which every field has an index.
  ///   - alternative: the conditions.
  ///   - query: the query.
  ///   - isIndexed: returns whether the index of a field is complete.
  private static func available(
    _ ideal: Branch, for alternative: QueryAlternative, of query: ResolvedQuery,
    _ isIndexed: (FieldPath, EntryTable.Kind) -> Bool
  ) -> Branch {
    // Nothing is read if no document can match.
    guard !ideal.scans.contains(where: \.ranges.isEmpty) else { return ideal }
    var (scans, missing): ([IndexScan], [(field: FieldPath, kind: EntryTable.Kind)]) = ([], [])
    for scan in ideal.scans {
      if case .entries(let field, let kind) = scan.index, !isIndexed(field, kind) {
        missing.append((field, kind))
      } else {
        scans.append(scan)
      }
    }
    guard scans.isEmpty else { return Branch(scans: scans, missing: missing) }
    let first = query.orders[0].field
    if first != .documentID(), isIndexed(first, .value),
      let ordered = IndexScan(.entries(first, .value), for: alternative, of: query)
    {
      return Branch(scans: [ordered], missing: missing)
    }
    // Never `nil`: the documents have no fields that the alternative could lack.
    let documents = IndexScan(.documents, for: alternative, of: query)
    return Branch(scans: documents.map { [$0] } ?? [], missing: missing)
  }

  /// Returns the rank of a branch; a greater score means that fewer entries are read. With a limit, scans in
  /// the query's order rank highest, followed by scans with bounds on the first field without an equality;
  /// without a limit, bounds rank higher than order. A single scan ranks higher than an intersection.
  private static func score(of branch: Branch, in query: ResolvedQuery) -> Int {
    score(
      branch.scans[0], sorted: branch.sortedOrders, isSingle: branch.scans.count == 1, of: query)
  }

  /// Returns the rank of a scan; see ``score(of:in:)``.
  private static func score(
    _ scan: IndexScan, sorted: Int, isSingle: Bool, of query: ResolvedQuery
  ) -> Int {
    let isOrdered = sorted == query.orders.count
    let isWide = query.query.limit == nil
    return (isOrdered ? (isWide ? 4 : 8) : 0) + (scan.isBounded ? (isWide ? 8 : 4) : 0) + (isSingle ? 2 : 0)
  }

  /// Returns the scans of the indexes of fields, as if every field had one.
  ///
  /// An equality on the document ID finds at most one document per collection. Otherwise each equality and
  /// `array-contains` condition is a scan, and several of them are intersected. Without any, the index of the
  /// first field of the order is read, or without a limit the first index of an ordered field that has
  /// bounds.
  private static func automaticBranch(for alternative: QueryAlternative, of query: ResolvedQuery) -> Branch {
    /// Returns the scan of the index of a field.
    func scan(_ index: IndexScan.Index) -> [IndexScan] {
      // Never `nil` here: the alternative has a value of the field, or the query is ordered by it.
      IndexScan(index, for: alternative, of: query).map { [$0] } ?? []
    }
    if alternative.equal(.documentID()) != nil { return Branch(scans: scan(.documents)) }
    let points = alternative.points
    guard points.isEmpty else {
      return Branch(
        scans: points.flatMap { point in
          point.comparison == .arrayContains
            ? scan(.entries(point.field, .element)) : scan(.entries(point.field, .value))
        })
    }
    let first = query.orders[0].field
    guard first != .documentID() else { return Branch(scans: scan(.documents)) }
    let ordered = Branch(scans: scan(.entries(first, .value)))
    // Without a limit, everything between the bounds is read, so bounds matter more than order.
    if query.query.limit == nil, !ordered.scans[0].isBounded {
      for order in query.orders where order.field != .documentID() {
        let other = Branch(scans: scan(.entries(order.field, .value)))
        if other.scans[0].isBounded { return other }
      }
    }
    return ordered
  }
}
