package import TenonDocuments
package import TenonStoreInterop

/// The subject of a listener: a document, or the documents of a query.
///
/// Two subjects are equal if they request the same target and count their limits from the same end. Listeners
/// to equal subjects share a view; a query and its reverse share only the target.
package struct ListenQuery: Hashable, Sendable {
  /// What is listened to.
  enum Content: Sendable {
    case document(ResourcePath)
    case query(RunnableQuery)
  }

  let content: Content
  /// The target that is requested from the remote. A query for the last documents requests the first ones in
  /// reverse order.
  package let target: SyncTarget
  /// Whether the query is run in reverse order, because its limit counts from the end.
  private let isReversed: Bool

  /// Creates the subject of a listener to a document.
  package init(_ document: ResourcePath) {
    content = .document(document)
    target = .document(document)
    isReversed = false
  }

  /// Creates the subject of a listener to a query.
  package init(_ query: RunnableQuery) {
    content = .query(query)
    target = .query(query.run)
    isReversed = query.isReversed
  }

  /// The query that defines the order; `nil` for a single document.
  package var order: ResolvedQuery? { if case .query(let query) = content { query.order } else { nil } }

  /// The ID of the collections that contain the documents.
  var collectionID: String {
    switch content {
    case .document(let path): path.parent?.id ?? ""
    case .query(let query): query.order.query.collectionID
    }
  }

  /// The maximum number of documents; `nil` for no limit.
  var limit: Int? { order?.query.limit }

  /// Whether the limit counts from the end.
  package var isLimitedToLast: Bool { isReversed }

  /// Returns whether a document matches, regardless of the limit.
  ///
  /// - Parameter document: the document in its current state, with pending writes.
  func matches(_ document: StoredDocument) -> Bool {
    switch content {
    case .document(let path): path == document.path
    case .query(let query): query.order.matches(document.fields, at: document.path)
    }
  }

  /// The documents that may belong to the result, judging by their paths.
  enum Scope: Hashable {
    case document(ResourcePath)
    case collection(ResourcePath)
    case group(String)
  }

  /// Where the documents of the result are; see ``OpenViews/views(concernedBy:_:)``.
  var scope: Scope {
    switch content {
    case .document(let path): .document(path)
    case .query(let query):
      query.order.query.allDescendants
        ? .group(query.order.query.collectionID) : .collection(query.order.collection)
    }
  }

  package static func == (left: ListenQuery, right: ListenQuery) -> Bool {
    left.target == right.target && left.isReversed == right.isReversed
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(target)
    hasher.combine(isReversed)
  }
}
