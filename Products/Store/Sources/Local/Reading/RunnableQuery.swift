import TenonDocuments
import TenonStoreInterop

/// A query as the engine runs it: its last documents are the first ones from the other end.
package struct RunnableQuery: Sendable {
  /// The query in whose order documents are given.
  let order: ResolvedQuery
  /// The query that is run.
  let run: ResolvedQuery
  /// Whether the query is run from the other end.
  let isTurned: Bool

  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument``.
  init(_ query: Query) throws {
    try self.init(query.structure, isLimitedToLast: query.isLimitedToLast)
  }

  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument``.
  package init(_ structure: StructuredQuery, isLimitedToLast: Bool = false) throws {
    order = try checked { () throws(DocumentError) in try ResolvedQuery(structure) }
    isTurned = isLimitedToLast
    guard isTurned else {
      run = order
      return
    }
    guard !structure.orders.isEmpty else {
      throw StoreError(
        .invalidArgument,
        "limit(toLast:) needs an order to count from the end of; add order(by:)."
      )
    }
    var turned = order.query
    turned.orders = order.orders.map { QueryOrder(field: $0.field, isDescending: !$0.isDescending) }
    (turned.start, turned.end) = (turned.end, turned.start)
    run = try checked { () throws(DocumentError) in try ResolvedQuery(turned) }
  }

  /// What the engine found, in the query's order.
  func inOrder<Document>(_ documents: [Document]) -> [Document] {
    isTurned ? documents.reversed() : documents
  }
}
