import TenonDocuments
import TenonStoreInterop

/// What a listener listens to: a document, or the documents of a query.
package struct ViewQuery: Hashable, Sendable {
  enum Content: Sendable {
    case document(ResourcePath)
    case query(RunnableQuery)
  }

  let content: Content
  /// What the remote is asked for. A query for the last documents asks for the first ones in reverse order.
  package let target: SyncTarget
  private let isTurned: Bool

  package init(_ document: ResourcePath) {
    content = .document(document)
    target = .document(document)
    isTurned = false
  }

  package init(_ query: RunnableQuery) {
    content = .query(query)
    target = .query(query.run)
    isTurned = query.isTurned
  }

  /// The order of the documents; `nil` for a single one.
  package var order: ResolvedQuery? { if case .query(let query) = content { query.order } else { nil } }

  /// The number of documents at most.
  var limit: Int? { order?.query.limit }

  /// Whether the limit counts from the end.
  package var isLimitedToLast: Bool { isTurned }

  func matches(_ document: StoredDocument) -> Bool {
    switch content {
    case .document(let path): path == document.path
    case .query(let query): query.order.matches(document.fields, at: document.path)
    }
  }

  /// The documents that may be in the result by their paths.
  enum Scope: Hashable {
    case document(ResourcePath)
    case collection(ResourcePath)
    case group(String)
  }

  var scope: Scope {
    switch content {
    case .document(let path): .document(path)
    case .query(let query):
      query.order.query.allDescendants
        ? .group(query.order.query.collectionID) : .collection(query.order.collection)
    }
  }

  package static func == (left: ViewQuery, right: ViewQuery) -> Bool {
    left.target == right.target && left.isTurned == right.isTurned
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(target)
    hasher.combine(isTurned)
  }
}
