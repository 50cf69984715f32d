import TenonDocuments
import TenonStoreInterop

/// A maintained view with the ID of its target.
final class QueryView {
  let query: ViewQuery
  var view: View
  let target: Int
  /// Whether a listener requires listening at the remote.
  var asksRemote: Bool

  init(_ query: ViewQuery, _ view: View, target: Int, asksRemote: Bool) {
    self.query = query
    self.view = view
    self.target = target
    self.asksRemote = asksRemote
  }
}

/// The maintained views, by query, by target, and by the collections whose changes affect them.
final class QueryViews {
  private var byQuery: [ViewQuery: QueryView] = [:]
  private var queriesByTarget: [Int: [ViewQuery]] = [:]
  private var byScope: [ViewQuery.Scope: [QueryView]] = [:]
  private var lastLocalTarget = 0

  var isEmpty: Bool { byQuery.isEmpty }
  var all: some Collection<QueryView> { byQuery.values }

  subscript(query: ViewQuery) -> QueryView? { byQuery[query] }

  /// Returns the queries that share a target.
  func queries(of target: Int) -> [ViewQuery] { queriesByTarget[target] ?? [] }

  /// Returns the views that share a target.
  func views(of target: Int) -> [QueryView] { queries(of: target).compactMap { byQuery[$0] } }

  /// Returns a negative ID for a view that has no target at the remote.
  func makeLocalTarget() -> Int {
    lastLocalTarget -= 1
    return lastLocalTarget
  }

  /// Returns the views that a document's change affects.
  func views(concernedBy path: ResourcePath, _ document: StoredDocument?) -> [QueryView] {
    guard !byScope.isEmpty, let collection = path.parent else { return [] }
    let scopes: [ViewQuery.Scope] = [.document(path), .collection(collection), .group(collection.id)]
    var concerned: [QueryView] = []
    for scope in scopes {
      for kept in byScope[scope] ?? [] where kept.view.isConcerned(by: path, document) {
        concerned.append(kept)
      }
    }
    return concerned
  }

  func insert(_ view: QueryView) {
    byQuery[view.query] = view
    queriesByTarget[view.target, default: []].append(view.query)
    byScope[view.query.scope, default: []].append(view)
  }

  /// Removes the view of a query.
  func remove(_ query: ViewQuery) -> QueryView? {
    guard let view = byQuery.removeValue(forKey: query) else { return nil }
    byScope[query.scope]?.removeAll { $0 === view }
    if byScope[query.scope]?.isEmpty == true { byScope[query.scope] = nil }
    queriesByTarget[view.target]?.removeAll { $0 == query }
    if queriesByTarget[view.target]?.isEmpty == true { queriesByTarget[view.target] = nil }
    return view
  }
}
