package import TenonDocuments
package import TenonStoreInterop

/// A query in the form in which the engine runs it: a limit to the last documents becomes a limit to the
/// first documents in reverse order.
package struct RunnableQuery: Sendable {
  /// The query in whose order documents are returned.
  package let order: ResolvedQuery
  /// The query that is run.
  package let run: ResolvedQuery
  /// Whether the query is run in reverse order.
  package let isReversed: Bool

  /// Resolves a query.
  ///
  /// - Parameters:
  ///   - structure: the query.
  ///   - isLimitedToLast: whether the limit counts from the end of the result; `false` by default.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the query breaks a rule, or is
  ///   limited to its last documents without an explicit order.
  package init(_ structure: StructuredQuery, isLimitedToLast: Bool = false) throws {
    order = try checked { () throws(DocumentError) in try ResolvedQuery(structure) }
    isReversed = isLimitedToLast
    guard isReversed else {
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

  /// Returns the documents that the engine found, in the query's order.
  ///
  /// - Parameter documents: the documents in the order of ``run``.
  package func inOrder<Document>(_ documents: [Document]) -> [Document] {
    isReversed ? documents.reversed() : documents
  }
}
