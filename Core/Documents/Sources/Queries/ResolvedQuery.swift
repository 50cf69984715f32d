import TenonFoundation
package import TenonStoreInterop

/// A query that has been checked, with its implicit orders added.
///
/// It answers two questions about a single document: whether it belongs to the result, by ``matches(_:at:)``,
/// and where, by ``sortKey(_:at:)``. Both depend on the document alone, so a local database, a listener and a
/// server for tests evaluate a query alike, without reading anything else. The limit isn't applied here.
///
/// ```swift
/// let query = try ResolvedQuery(
///   StructuredQuery(
///     parent: ResourcePath(segments: []), collectionID: "notes",
///     filter: .field("rating", .greaterThan, 3)))
/// query.orders.map(\.field.text)  // → ["rating", "__name__"]
/// query.matches(["rating": 5], at: try ResourcePath(document: "notes/tea"))  // → true
/// ```
///
/// The value is immutable and can be used from any thread.
package struct ResolvedQuery: Sendable {
  /// The query. Operands and cursor values for `__name__` have been converted to references, and timestamps
  /// truncated to microseconds, like those of stored documents.
  package let query: StructuredQuery
  /// The complete order of the result.
  ///
  /// The explicit orders come first, then one order per remaining field with an inequality, sorted by field
  /// path, then `__name__`. The implicit orders have the direction of the last explicit one, ascending if
  /// there is none. Since document paths are unique, the order of a result is always fully determined.
  package let orders: [QueryOrder]

  /// Checks a query and adds its implicit orders.
  ///
  /// Operands and cursor values for `__name__` become references, and timestamps are truncated to
  /// microseconds. The rules are those of Firestore's server,
  /// except that no query needs an index.
  ///
  /// - Parameter query: the query. Document IDs as operands may be strings: IDs for a collection, paths for a
  ///   collection group.
  /// - Throws: ``DocumentError`` for the first broken rule: ``DocumentError/Code/badField`` for a field path,
  ///   ``DocumentError/Code/badPath`` for the path of a document as an operand of a collection group,
  ///   otherwise ``DocumentError/Code/badQuery``, for example for a limit of 0, too many alternatives, an
  ///   order after the document ID, or a cursor with more values than explicit orders.
  package init(_ query: StructuredQuery) throws(DocumentError) {
    var query = query
    query.filter = try query.filter.map { filter throws(DocumentError) in
      try Self.resolvingOperands(filter, in: query)
    }
    try QueryRules.check(query)
    orders = Self.completed(query)
    if let last = orders.last, last.field != .documentID() {
      throw DocumentError(
        .badQuery,
        "The query is ordered by \"\(last.field.text)\" after the document id, which no two documents share; order by it "
          + "before the id."
      )
    }
    query.start = try Self.resolvingOperands(query.start, orders, in: query)
    query.end = try Self.resolvingOperands(query.end, orders, in: query)
    self.query = query
  }

  /// The path of the collection; for a collection group, the path that its ID has directly below the parent.
  package var collection: ResourcePath { query.parent.appending(query.collectionID) }

  /// Whether a document belongs to the result if the limit is ignored.
  ///
  /// It must be in the collection or group, satisfy the filter, have every field of ``orders``, and be within
  /// the cursors.
  ///
  /// The condition on the orders applies to implicit ones too: a document without the field of an inequality
  /// doesn't match, even if another part of an `or` holds for it. A field that is null exists.
  ///
  /// - Parameters:
  ///   - fields: the document's fields.
  ///   - path: the document's path.
  package func matches(_ fields: Fields, at path: ResourcePath) -> Bool {
    guard isInScope(path) else { return false }
    guard query.filter?.matches(fields, at: path) ?? true else { return false }
    // As on the server, where a document without an ordered field isn't in the index that answers the query.
    guard orders.allSatisfy({ fields.value(of: $0.field, at: path) != nil }) else { return false }
    if let start = query.start {
      let order = compare(fields, at: path, to: start)
      guard order > 0 || (order == 0 && start.isInclusive) else { return false }
    }
    if let end = query.end {
      let order = compare(fields, at: path, to: end)
      guard order < 0 || (order == 0 && end.isInclusive) else { return false }
    }
    return true
  }

  /// Whether the path of a document is in the query's collection or group. The filter isn't considered. It
  /// doesn't allocate memory.
  ///
  /// - Parameter path: the path of a document.
  /// - Returns: `false` also for a document below one of the collection's documents, unless it is in a
  ///   collection of the same ID and the query covers a group.
  package func isInScope(_ path: ResourcePath) -> Bool {
    // Called for every document that is read, so it creates no paths.
    let (ids, parent) = (path.segments, query.parent.segments)
    let place = ids.count - 2
    guard query.allDescendants ? place >= parent.count : place == parent.count else { return false }
    return (query.coversAllCollections || UTF8Text.areEqual(ids[place], query.collectionID))
      && parent.indices.allSatisfy { UTF8Text.areEqual(ids[$0], parent[$0]) }
  }

  // MARK: - Order

  /// The position of a document in the result. Only keys of the same query can be compared.
  ///
  /// A key is a single array of bytes, so comparing two keys is one comparison of memory, independent of the
  /// number of orders. It remains valid when the document changes, but then describes its former position.
  package struct SortKey: Sendable {
    /// The concatenated ``IndexEncoding``s of the ordered values, with all bits inverted for descending
    /// orders. No encoding is a prefix of another, so the first difference decides.
    private let bytes: [UInt8]

    /// Creates a key from encoded values.
    fileprivate init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The key for results without an order, which contain at most one document.
    package static let none = SortKey([])

    /// Compares two keys: negative if this one comes first, 0 if they are equal, otherwise positive.
    package func compare(_ other: SortKey) -> Int { ByteOrder.compare(bytes, other.bytes) }
  }

  /// Returns the sort key of a document that matches the query.
  ///
  /// - Parameters:
  ///   - fields: the document's fields.
  ///   - path: the document's path.
  /// - Returns: the key. Values that differ only after ``IndexEncoding/limit`` bytes of their encodings count
  ///   as equal, and the next order decides; the paths, in the last order, always differ.
  /// - Complexity: O(*n*) in the size of the ordered values and the path.
  package func sortKey(_ fields: Fields, at path: ResourcePath) -> SortKey {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(48)
    for order in orders {
      let start = bytes.count
      if order.field == .documentID() {
        // The complete path, without the limit of `IndexEncoding`: documents with long IDs must not share a
        // key.
        OrderedEncoding.append(path, to: &bytes)
      } else if let value = fields[order.field] {
        IndexEncoding.append(value, to: &bytes)
      }
      // Checked: the start is the number of bytes before others were appended.
      if order.isDescending { for index in start..<bytes.count { bytes[index] = ~bytes[index] } }
    }
    return SortKey(bytes)
  }

  /// Compares the positions of two documents in the result.
  ///
  /// - Parameters:
  ///   - left: a key of this query.
  ///   - right: the key to compare with.
  /// - Returns: a negative number if `left` comes first, 0 if both are the same position, otherwise a
  ///   positive number.
  package func compare(_ left: SortKey, _ right: SortKey) -> Int { left.compare(right) }

  /// Compares the position of a document with a cursor, in the order of the query.
  ///
  /// Only as many orders as the cursor has values are compared: a cursor with fewer values than orders is
  /// before or after all documents that share those values. Values are compared in the total order, so a
  /// cursor may have another type than the documents: `"a"` is after all numbers.
  ///
  /// - Returns: a negative number if the document is before the cursor, 0 if it has the cursor's values,
  ///   otherwise a positive number. Descending orders are taken into account.
  private func compare(_ fields: Fields, at path: ResourcePath, to cursor: QueryCursor) -> Int {
    for (order, value) in zip(orders, cursor.values) {
      guard let own = fields.value(of: order.field, at: path) else { continue }
      let result = own.compare(value)
      if result != 0 { return order.isDescending ? -result : result }
    }
    return 0
  }

  /// Returns the explicit and implicit orders of a query; see ``orders``.
  ///
  /// The rule is that of `google.firestore.v1.StructuredQuery.order_by`. Fields with several inequalities are
  /// added once; the condition `notIn` counts as an inequality as well, see
  /// ``QueryComparison/isInequality(with:)``.
  private static func completed(_ query: StructuredQuery) -> [QueryOrder] {
    var orders = query.orders
    let isDescending = query.orders.last?.isDescending ?? false
    let inequalities = (query.filter?.fieldConditions ?? [])
      .filter { $0.comparison.isInequality(with: $0.operand) }.map(\.field)
    for field in inequalities.sorted(by: { $0.compare($1) < 0 }) where field != .documentID() {
      guard !orders.contains(where: { $0.field == field }) else { continue }
      orders.append(QueryOrder(field: field, isDescending: isDescending))
    }
    if !orders.contains(where: { $0.field == .documentID() }) {
      orders.append(QueryOrder(field: .documentID(), isDescending: isDescending))
    }
    return orders
  }

  // MARK: - Operands

  /// Returns a filter in which operands for `__name__` are references, and the others are as stored values.
  ///
  /// - Throws: ``DocumentError`` if an operand for `__name__` isn't a valid ID, path or reference.
  private static func resolvingOperands(
    _ filter: QueryFilter,
    in query: StructuredQuery
  ) throws(DocumentError) -> QueryFilter {
    switch filter {
    case .and(let filters):
      return .and(
        try filters.map { filter throws(DocumentError) in try resolvingOperands(filter, in: query) })
    case .or(let filters):
      return .or(try filters.map { filter throws(DocumentError) in try resolvingOperands(filter, in: query) })
    case .field(.documentID(), let comparison, .array(let elements)) where [.in, .notIn].contains(comparison):
      return .field(
        .documentID(),
        comparison,
        .array(try elements.map { element throws(DocumentError) in try reference(element, in: query) })
      )
    case .field(.documentID(), let comparison, let operand):
      return .field(.documentID(), comparison, try reference(operand, in: query))
    case .field(let field, let comparison, let operand): return .field(field, comparison, operand.kept)
    }
  }

  /// Returns a cursor in which the values for `__name__` are references, and the others are as stored values.
  ///
  /// - Throws: ``DocumentError`` if the cursor has more values than the query has explicit orders, or a value
  ///   for `__name__` is invalid.
  private static func resolvingOperands(
    _ cursor: QueryCursor?,
    _ orders: [QueryOrder],
    in query: StructuredQuery
  ) throws(DocumentError) -> QueryCursor? {
    guard var cursor else { return nil }
    // As on the server, a cursor can't have values for implicit orders.
    guard cursor.values.count <= query.orders.count else {
      throw DocumentError(
        .badQuery,
        "A cursor has \(cursor.values.count) values, but the query is ordered by \(query.orders.count) fields; order it by one "
          + "field for each value, the document id (__name__) as well if there is a value for it."
      )
    }
    for index in cursor.values.indices {
      let value = cursor.values[index]
      cursor.values[index] =
        orders[index].field == .documentID() ? try reference(value, in: query) : value.kept
    }
    return cursor
  }

  /// Converts an operand for `__name__` to a reference.
  ///
  /// - Parameters:
  ///   - operand: a reference, which may be to a document of any collection; an ID; or for a collection
  ///     group, a document's path relative to the root of the database.
  ///   - query: the query, whose collection an ID belongs to.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badPath`` for an invalid path, or with
  ///   ``DocumentError/Code/badQuery`` for an invalid ID or an operand of another type.
  private static func reference(_ operand: Value, in query: StructuredQuery) throws(DocumentError) -> Value {
    switch operand {
    case .reference(let path) where path.isForeign:
      throw DocumentError(
        .badQuery, "A condition or cursor on the document id has a document of another database.")
    case .reference: return operand
    case .string(let text) where query.allDescendants: return .reference(try ResourcePath(document: text))
    case .string(let id):
      if let rule = ResourcePath.brokenRule(id) {
        throw DocumentError(.badQuery, "The document id \"\(id)\" \(rule).")
      }
      return .reference(query.parent.appending(query.collectionID).appending(id))
    default:
      throw DocumentError(.badQuery, "A condition or cursor on the document id takes an id or a reference.")
    }
  }
}
