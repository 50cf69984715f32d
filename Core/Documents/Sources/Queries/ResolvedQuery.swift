public import TenonStoreInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A query whose rules have been checked and whose implicit orders have been added.
public struct ResolvedQuery: Sendable {
  /// The query, with the operands of `__name__` turned into references.
  public let query: StructuredQuery
  /// The orders of the result: those of the query, then one for each field with an inequality in the order of their
  /// paths, then `__name__`; the implicit ones have the direction of the last explicit one.
  public let orders: [QueryOrder]

  /// Checks and completes a query.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badQuery`` or ``DocumentError/Code/badField``.
  public init(_ query: StructuredQuery) throws(DocumentError) {
    var query = query
    query.filter = try query.filter.map { filter throws(DocumentError) in
      try Self.resolvingNames(filter, in: query)
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
    query.start = try Self.resolvingNames(query.start, orders, in: query)
    query.end = try Self.resolvingNames(query.end, orders, in: query)
    self.query = query
  }

  /// The path of the collection; for a collection group that of the group's id below the parent.
  public var collection: ResourcePath { query.parent.appending(query.collectionID) }

  /// Whether a document belongs to the result, the limit aside.
  public func matches(_ fields: Fields, at path: ResourcePath) -> Bool {
    guard isInScope(path) else { return false }
    guard query.filter?.matches(fields, at: path) ?? true else { return false }
    // A document without an ordered field isn't in the index that answers the query.
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

  /// Whether a document lies in the collection or group.
  public func isInScope(_ path: ResourcePath) -> Bool {
    // Every document that is read is asked, so no path is made for it.
    let (ids, parent) = (path.segments, query.parent.segments)
    let place = ids.count - 2
    guard query.allDescendants ? place >= parent.count : place == parent.count else { return false }
    return UTF8Text.areEqual(ids[place], query.collectionID)
      && parent.indices.allSatisfy { UTF8Text.areEqual(ids[$0], parent[$0]) }
  }

  // MARK: - Order

  /// The position of a document in the result. Keys of one query are compared by ``compare(_:_:)``.
  ///
  /// A key is one run of bytes, so that a comparison is one comparison of memory whatever the number of orders.
  public struct SortKey: Sendable {
    /// The ordered encodings of the values by which the query is ordered, those of descending orders inverted. No
    /// encoding is the beginning of another one, so that the first difference decides.
    private let bytes: [UInt8]

    fileprivate init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The key of a result without an order, which has one document at most.
    package static let none = SortKey([])

    /// Less than 0 when this key comes first, 0 when the keys are equal.
    package func compare(_ other: SortKey) -> Int { ByteOrder.compare(bytes, other.bytes) }
  }

  /// The key of a document that matches.
  public func sortKey(_ fields: Fields, at path: ResourcePath) -> SortKey {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(48)
    for order in orders {
      let start = bytes.count
      if order.field == .documentID() {
        // The whole path: documents with long ids must not share a key.
        OrderedEncoding.append(path, to: &bytes)
      } else if let value = fields[order.field] {
        IndexEncoding.append(value, to: &bytes)
      }
      if order.isDescending { for index in start..<bytes.count { bytes[index] = ~bytes[index] } }
    }
    return SortKey(bytes)
  }

  /// Compares by the orders of the query, each in its direction.
  public func compare(_ left: SortKey, _ right: SortKey) -> Int { left.compare(right) }

  private func compare(_ fields: Fields, at path: ResourcePath, to cursor: QueryCursor) -> Int {
    for (order, value) in zip(orders, cursor.values) {
      guard let own = fields.value(of: order.field, at: path) else { continue }
      let result = own.compare(value)
      if result != 0 { return order.isDescending ? -result : result }
    }
    return 0
  }

  private static func completed(_ query: StructuredQuery) -> [QueryOrder] {
    var orders = query.orders
    let isDescending = query.orders.last?.isDescending ?? false
    let inequalities = (query.filter?.fieldConditions ?? []).filter(\.comparison.isInequality).map(\.field)
    for field in inequalities.sorted(by: { $0.compare($1) < 0 }) where field != .documentID() {
      guard !orders.contains(where: { $0.field == field }) else { continue }
      orders.append(QueryOrder(field: field, isDescending: isDescending))
    }
    if !orders.contains(where: { $0.field == .documentID() }) {
      orders.append(QueryOrder(field: .documentID(), isDescending: isDescending))
    }
    return orders
  }

  // MARK: - Document ids as operands

  private static func resolvingNames(
    _ filter: QueryFilter,
    in query: StructuredQuery
  ) throws(DocumentError) -> QueryFilter {
    switch filter {
    case .and(let filters):
      return .and(try filters.map { filter throws(DocumentError) in try resolvingNames(filter, in: query) })
    case .or(let filters):
      return .or(try filters.map { filter throws(DocumentError) in try resolvingNames(filter, in: query) })
    case .field(.documentID(), let comparison, .array(let elements)):
      return .field(
        .documentID(),
        comparison,
        .array(try elements.map { element throws(DocumentError) in try reference(element, in: query) })
      )
    case .field(.documentID(), let comparison, let operand):
      return .field(.documentID(), comparison, try reference(operand, in: query))
    case .field: return filter
    }
  }

  private static func resolvingNames(
    _ cursor: QueryCursor?,
    _ orders: [QueryOrder],
    in query: StructuredQuery
  ) throws(DocumentError) -> QueryCursor? {
    guard var cursor else { return nil }
    // As on the server, implicit orders don't count.
    guard cursor.values.count <= query.orders.count else {
      throw DocumentError(
        .badQuery,
        "A cursor has \(cursor.values.count) values, but the query is ordered by \(query.orders.count) fields; order it by one "
          + "field for each value, the document id (__name__) as well if there is a value for it."
      )
    }
    for index in cursor.values.indices where orders[index].field == .documentID() {
      cursor.values[index] = try reference(cursor.values[index], in: query)
    }
    return cursor
  }

  private static func reference(_ operand: Value, in query: StructuredQuery) throws(DocumentError) -> Value {
    switch operand {
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

/// The encoding of values in indexes and sort keys. As on the server, only the first 1,500 bytes count.
public enum IndexEncoding {
  /// How many bytes of a value count.
  public static let limit = 1500

  /// The bytes of a value that count.
  public static func encode(_ value: Value) -> Data {
    let bytes = OrderedEncoding.encode(value)
    return bytes.count > limit ? bytes.prefix(limit) : bytes
  }

  /// Appends the bytes of a value that count.
  package static func append(_ value: Value, to bytes: inout [UInt8]) {
    let start = bytes.count
    OrderedEncoding.append(value, to: &bytes)
    if bytes.count - start > limit { bytes.removeSubrange((start + limit)...) }
  }
}
