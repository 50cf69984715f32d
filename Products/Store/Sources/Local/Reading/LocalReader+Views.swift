import TenonDocuments
import TenonStoreInterop

/// The documents of a view on this device, and those that the remote has said belong to its target.
package struct LocalResult {
  let documents: [StoredDocument]
  let remoteKeys: Set<ResourcePath>
}

extension LocalReader {
  /// Returns the documents of a view.
  ///
  /// Documents are left out that the last complete result of the target lacked and that haven't changed since: this device has an
  /// older version of them, and nothing is known of what became of them.
  ///
  /// - Parameters:
  ///   - query: what is shown.
  ///   - target: the target whose results are known.
  func result(of query: ViewQuery, target: TargetData?) throws -> LocalResult {
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

  /// Returns the documents that follow one in a query with a limit; those that precede it if the limit counts from the end.
  ///
  /// - Parameter limit: the number of documents, instead of the query's own limit.
  /// - Returns: `nil` if the document's values don't determine its place, because only their beginnings count in the order.
  func documents(
    of query: ViewQuery, beyond document: StoredDocument, limit: Int
  ) throws -> [StoredDocument]? {
    guard case .query(let query) = query.content else { return nil }
    // The query is run from the end from which its limit counts.
    let values = query.run.orders.compactMap { document.fields.value(of: $0.field, at: document.path) }
    guard values.count == query.run.orders.count,
      zip(query.run.orders, values).allSatisfy({ order, value in
        order.field == .documentID() || IndexEncoding.encode(value).count < IndexEncoding.limit
      })
    else { return nil }
    var rest = query.run.completed
    rest.start = QueryCursor(values: values, isInclusive: false)
    rest.limit = limit
    return try documents(of: try checked { () throws(DocumentError) in try ResolvedQuery(rest) })
  }
}

extension ResolvedQuery {
  /// Whether the query leaves documents of its collection out, and all of them because of their fields.
  fileprivate var isSelective: Bool {
    query.limit == nil
      && (query.filter != nil || query.start != nil || query.end != nil || !query.orders.isEmpty)
  }
}
