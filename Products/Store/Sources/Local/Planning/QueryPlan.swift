import Foundation
import TenonDocuments
import TenonStoreInterop

/// How a query is answered: the indexes that are read, their bounds, and how far documents are sorted.
struct QueryPlan {
  /// The indexes that are read for one alternative of the query's filter.
  struct Branch {
    /// One index, or several that are intersected.
    let scans: [IndexScan]

    /// The number of the query's orders, from the first one on, by which the documents are sorted.
    var sortedOrders: Int { scans.map(\.sortedOrders).min() ?? 0 }
    /// Whether every document that is read matches.
    var isExact: Bool { scans.count == 1 && scans[0].isExact }
    var name: String { scans.map(\.name).joined(separator: " ∩ ") }
  }

  /// The branches; a document may be found by several.
  let branches: [Branch]

  /// - Parameters:
  ///   - query: the query.
  ///   - indexes: the declared indexes that are complete.
  init(_ query: ResolvedQuery, indexes: [DeclaredIndex]) {
    let scope: CompositeIndex.Scope = query.query.allDescendants ? .collectionGroup : .collection
    let usable = indexes.filter { index in
      // An index of single collections serves a group too, collection by collection.
      index.definition.concerns(query.collection)
        && (index.definition.scope == scope || index.definition.scope == .collection)
    }
    let branches = QueryAlternative.all(of: query.query.filter).map {
      Self.branch(for: $0, of: query, indexes: usable)
    }
    // A branch without bounds reads the documents of all others as well.
    if branches.count > 1,
      let whole = branches.first(where: { $0.scans.count == 1 && !$0.scans[0].isBounded })
    {
      self.branches = [whole]
    } else {
      self.branches = branches.filter { !$0.scans.contains { $0.ranges.isEmpty } }
      considered = branches
      return
    }
    considered = self.branches
  }

  /// The branches of all alternatives, including those that are known to be empty.
  private let considered: [Branch]
  private var names: [String] { considered.map(\.name) }

  /// A description of the indexes.
  var name: String {
    let names = names
    return switch names.count {
    case 0: "nothing"
    case 1: names[0]
    default: "union of \(names.count): \(indexes.joined(separator: ", "))"
    }
  }

  /// Each index, or intersection of indexes, once.
  var indexes: [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  private static func branch(
    for alternative: QueryAlternative, of query: ResolvedQuery, indexes: [DeclaredIndex]
  ) -> Branch {
    let automatic = automaticBranch(for: alternative, of: query)
    let points = Set(alternative.points.map(\.field))
    let isSingle = automatic.scans.count == 1
    var best = (
      score: score(automatic.scans[0], sorted: automatic.sortedOrders, isSingle: isSingle, of: query),
      branch: automatic
    )
    guard alternative.equal(.documentID()) == nil else { return automatic }
    for index in indexes {
      let columns = index.definition.columns
      // Other conditions have to be checked in each document.
      guard points.isSubset(of: Set(columns.map(\.path))),
        let scan = IndexScan(
          .declared(index), columns: columns, isKeyDescending: index.definition.isKeyDescending,
          isGroup: index.definition.scope == .collectionGroup, for: alternative, of: query),
        columns.prefix(points.count).allSatisfy({ points.contains($0.path) })
      else { continue }
      let score = score(scan, sorted: scan.sortedOrders, isSingle: true, of: query)
      if score > best.score { best = (score, Branch(scans: [scan])) }
    }
    return best.branch
  }

  /// The rank of a scan: the greater, the fewer entries it reads. The best ones read a page in the query's order, then those with
  /// bounds on the first field that isn't fixed, then those with fixed values.
  private static func score(
    _ scan: IndexScan, sorted: Int, isSingle: Bool, of query: ResolvedQuery
  ) -> Int {
    let isOrdered = sorted == query.orders.count
    let isWide = query.query.limit == nil
    return (isOrdered ? (isWide ? 4 : 8) : 0) + (scan.isBounded ? (isWide ? 8 : 4) : 0) + (isSingle ? 2 : 0)
  }

  /// The scans of the indexes that every field has.
  private static func automaticBranch(for alternative: QueryAlternative, of query: ResolvedQuery) -> Branch {
    func scan(_ index: IndexScan.Index, _ columns: [CompositeIndex.Field]) -> [IndexScan] {
      // The alternative has a value of the field, or the query is ordered by it.
      IndexScan(index, columns: columns, for: alternative, of: query).map { [$0] } ?? []
    }
    if alternative.equal(.documentID()) != nil { return Branch(scans: scan(.documents, [])) }
    let points = alternative.points
    guard points.isEmpty else {
      return Branch(
        scans: points.flatMap { point in
          point.comparison == .arrayContains
            ? scan(.entries(point.field, .element), [.contains(point.field)])
            : scan(.entries(point.field, .value), [.ascending(point.field)])
        })
    }
    let first = query.orders[0].field
    guard first != .documentID() else { return Branch(scans: scan(.documents, [])) }
    let ordered = Branch(scans: scan(.entries(first, .value), [.ascending(first)]))
    // Without a limit everything between the bounds is read, so bounds matter more than the order.
    if query.query.limit == nil, !ordered.scans[0].isBounded {
      for order in query.orders where order.field != .documentID() {
        let other = Branch(scans: scan(.entries(order.field, .value), [.ascending(order.field)]))
        if other.scans[0].isBounded { return other }
      }
    }
    return ordered
  }
}
