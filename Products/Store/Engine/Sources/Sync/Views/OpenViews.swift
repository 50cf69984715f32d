import TenonDocuments
import TenonValues

/// A maintained view with the ID of its target.
///
/// A reference type, so that the view is changed in place while several indexes refer to it.
final class OpenView {
  let query: ListenQuery
  var view: View
  /// The ID of the target: positive, or negative if there is no remote, or none that has the documents.
  let target: Int
  /// Whether the remote has the documents of the view.
  var hasRemote: Bool { target > 0 }
  /// Whether a listener requires listening at the remote.
  var asksRemote: Bool

  init(_ query: ListenQuery, _ view: View, target: Int, asksRemote: Bool) {
    self.query = query
    self.view = view
    self.target = target
    self.asksRemote = asksRemote
  }

  /// Returns whether a document's change affects the view: whether the view shows it, or it may enter the result.
  ///
  /// A write asks this of every view of the collection. A call of a method of the view would copy the view with
  /// its query, which takes longer than the answer; a property of it is read where it is.
  func isAffected(by path: ResourcePath, _ document: StoredDocument?) -> Bool {
    if view.entries[path] != nil { return true }
    guard let document else { return false }
    return query.matches(document)
  }
}

/// The maintained views, by query, by target, and by the collections whose changes affect them.
///
/// A query has at most one view, and a view is in all three indexes. Owned by ``SyncEngine``, and confined to
/// its executor.
final class OpenViews {
  /// The views by query.
  private var byQuery: [ListenQuery: OpenView] = [:]
  /// The queries by target, at most two for each: a query and its reverse.
  private var queriesByTarget: [Int: [ListenQuery]] = [:]
  /// The views by the documents that may belong to them, judging by the paths.
  private var byScope: [ListenQuery.Scope: [OpenView]] = [:]
  private var lastLocalTarget = 0

  /// Whether there are no views.
  var isEmpty: Bool { byQuery.isEmpty }
  /// All views, in no particular order.
  var all: some Collection<OpenView> { byQuery.values }

  /// The view of a query; `nil` if it has none.
  subscript(query: ListenQuery) -> OpenView? { byQuery[query] }

  /// Returns the queries that share a target, in the order in which their views were inserted.
  func queries(of target: Int) -> [ListenQuery] { queriesByTarget[target] ?? [] }

  /// Returns the views that share a target.
  func views(of target: Int) -> [OpenView] { queries(of: target).compactMap { byQuery[$0] } }

  /// Returns a negative ID for a view that has no target at the remote. No ID is returned twice.
  func makeLocalTarget() -> Int {
    lastLocalTarget -= 1
    return lastLocalTarget
  }

  /// Returns the views that a document's change affects: those that show it, and those into whose result it
  /// may enter.
  ///
  /// - Parameters:
  ///   - path: the path of the document.
  ///   - document: its current state; `nil` if it was deleted.
  /// - Complexity: O(v) for the v views of the document itself, its collection and its collection group.
  ///   Other views aren't examined.
  func views(concernedBy path: ResourcePath, _ document: StoredDocument?) -> [OpenView] {
    guard !byScope.isEmpty, let collection = path.parent else { return [] }
    let scopes: [ListenQuery.Scope] = [.document(path), .collection(collection), .group(collection.id)]
    var concerned: [OpenView] = []
    for scope in scopes {
      for kept in byScope[scope] ?? [] where kept.isAffected(by: path, document) {
        concerned.append(kept)
      }
    }
    return concerned
  }

  /// Returns the views to whose targets the remote has assigned a document, whether or not they show it.
  ///
  /// - Complexity: as ``views(concernedBy:_:)``.
  func views(claiming path: ResourcePath) -> [OpenView] {
    guard !byScope.isEmpty, let collection = path.parent else { return [] }
    let scopes: [ListenQuery.Scope] = [.document(path), .collection(collection), .group(collection.id)]
    return scopes.flatMap { byScope[$0] ?? [] }.filter { $0.view.synced.contains(path) }
  }

  /// Inserts the view of a query that has none.
  func insert(_ view: OpenView) {
    byQuery[view.query] = view
    queriesByTarget[view.target, default: []].append(view.query)
    byScope[view.query.scope, default: []].append(view)
  }

  /// Removes the view of a query.
  ///
  /// - Returns: the view; `nil` if the query has none.
  func remove(_ query: ListenQuery) -> OpenView? {
    guard let view = byQuery.removeValue(forKey: query) else { return nil }
    byScope[query.scope]?.removeAll { $0 === view }
    if byScope[query.scope]?.isEmpty == true { byScope[query.scope] = nil }
    queriesByTarget[view.target]?.removeAll { $0 == query }
    if queriesByTarget[view.target]?.isEmpty == true { queriesByTarget[view.target] = nil }
    return view
  }
}
