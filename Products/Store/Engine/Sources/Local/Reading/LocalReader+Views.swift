import TenonDocuments
import TenonStoreInterop

/// The local documents of a view, and the paths of those that the remote has assigned to its target. Both are
/// read in one transaction.
package struct LocalResult {
  /// The documents, in the order in which the query is run.
  let documents: [StoredDocument]
  /// The documents of the target; empty if there is no target.
  let remoteKeys: Set<ResourcePath>
}

extension LocalReader {
  /// Returns the documents of a view.
  ///
  /// Documents that were missing in the target's last complete result and haven't changed since are omitted:
  /// this device has an outdated version of them, and their current state is unknown.
  ///
  /// - Parameters:
  ///   - query: the content of the view.
  ///   - target: the target whose results are known; `nil` if there is none.
  func result(of query: ListenQuery, target: TargetData?) throws -> LocalResult {
    try transactions.read {
      let remoteKeys = try target.map { try targets.documents(of: $0.id) } ?? []
      switch query.content {
      case .document(let path):
        return LocalResult(documents: try document(path).map { [$0] } ?? [], remoteKeys: remoteKeys)
      case .query(let query):
        var documents = try documents(of: query.run)
        if let complete = target?.completeVersion, complete != .zero, query.run.isSelective {
          documents.removeAll { document in
            !remoteKeys.contains(document.path) && !document.hasLocalMutations
              && document.updateTime.compare(complete) <= 0
          }
        }
        return LocalResult(documents: documents, remoteKeys: remoteKeys)
      }
    }
  }

  /// Returns the documents that follow a document in a query with a limit; those that precede it if the limit
  /// counts from the end.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - document: the document at which to continue.
  ///   - limit: the maximum number of documents, which replaces the query's limit.
  /// - Returns: the documents; `nil` if the values of `document` don't determine its position, because only
  ///   their prefixes are indexed.
  func documents(
    of query: ListenQuery, beyond document: StoredDocument, limit: Int
  ) throws -> [StoredDocument]? {
    guard case .query(let query) = query.content else { return nil }
    // A query limited to its last documents is run in reverse order.
    let values = query.run.orders.compactMap { document.fields.value(of: $0.field, at: document.path) }
    guard values.count == query.run.orders.count,
      zip(query.run.orders, values).allSatisfy({ order, value in
        order.field == .documentID() || IndexEncoding.isWhole(value)
      })
    else { return nil }
    var rest = query.run.completed
    rest.start = QueryCursor(values: values, isInclusive: false)
    rest.limit = limit
    return try documents(of: try checked { () throws(DocumentError) in try ResolvedQuery(rest) })
  }
}

extension ResolvedQuery {
  /// Whether the query has no limit, and excludes documents of its collection because of their fields.
  ///
  /// A document of the collection that isn't in the complete result of such a query doesn't match at the
  /// remote. With a limit, it may merely have been displaced by others.
  fileprivate var isSelective: Bool {
    query.limit == nil
      && (query.filter != nil || query.start != nil || query.end != nil || !query.orders.isEmpty)
  }
}
