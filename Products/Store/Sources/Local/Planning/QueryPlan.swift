import Foundation
import TenonDocuments
import TenonStoreInterop

/// How a query is answered: which indexes are read, between which bounds, and how far documents come in the query's order.
struct QueryPlan {
  /// What is read for one alternative of the query's filter.
  struct Branch {
    /// One index, or several in whose entries the same documents are looked for.
    let scans: [IndexScan]

    /// How many of the query's orders, from the first one on, the documents come in.
    var sortedOrders: Int { scans.map(\.sortedOrders).min() ?? 0 }
    /// Whether every document that is read matches.
    var isExact: Bool { scans.count == 1 && scans[0].isExact }
    var name: String { scans.map(\.name).joined(separator: " ∩ ") }
  }

  /// All that is read; a document may be found by several.
  let branches: [Branch]

  /// - Parameters:
  ///   - query: the query.
  ///   - indexes: the declared indexes that are complete.
  init(_ query: ResolvedQuery, indexes: [DeclaredIndex]) {
    let scope: CompositeIndex.Scope = query.query.allDescendants ? .collectionGroup : .collection
    let usable = indexes.filter { index in
      // One of single collections serves a group too, collection by collection.
      index.definition.concerns(query.collection)
        && (index.definition.scope == scope || index.definition.scope == .collection)
    }
    let branches = QueryAlternative.all(of: query.query.filter).map {
      Self.branch(for: $0, of: query, indexes: usable)
    }
    // What is read for one alternative without any bounds has the documents of all others.
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

  /// What would be read for each alternative; also for those that turn out to be empty without reading.
  private let considered: [Branch]
  private var names: [String] { considered.map(\.name) }

  /// The indexes, for people.
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
      // What the index leaves out would have to be looked for in each document.
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

  /// The greater, the fewer entries are read: those of a page where entries come in the query's order, those between bounds
  /// of the first field that isn't fixed, those with all fixed values.
  private static func score(
    _ scan: IndexScan, sorted: Int, isSingle: Bool, of query: ResolvedQuery
  ) -> Int {
    let isOrdered = sorted == query.orders.count
    let isWide = query.query.limit == nil
    return (isOrdered ? (isWide ? 4 : 8) : 0) + (scan.isBounded ? (isWide ? 8 : 4) : 0) + (isSingle ? 2 : 0)
  }

  /// What the indexes give that every field has.
  private static func automaticBranch(for alternative: QueryAlternative, of query: ResolvedQuery) -> Branch {
    func scan(_ index: IndexScan.Index, _ columns: [CompositeIndex.Field]) -> [IndexScan] {
      // The field is one that the alternative has a value of, or that orders the query.
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
    // Without a limit all is read between the bounds, so the order matters less than that there are some.
    if query.query.limit == nil, !ordered.scans[0].isBounded {
      for order in query.orders where order.field != .documentID() {
        let other = Branch(scans: scan(.entries(order.field, .value), [.ascending(order.field)]))
        if other.scans[0].isBounded { return other }
      }
    }
    return ordered
  }
}
