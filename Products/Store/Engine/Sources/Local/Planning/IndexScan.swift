import TenonDocuments
import TenonFoundation
import TenonStoreInterop

/// A scan of one index, forward or backward, for one alternative of a query.
///
/// An index sorts documents by the values of its fields, then by key. Equalities on the leading fields fix a
/// prefix of the values. Within it, the documents are sorted by the remaining fields and the key, of which
/// conditions and cursors bound the first free one, or several together. A scan therefore consists of ranges
/// of consecutive entries.
///
/// The result is correct for every index that the initializer accepts: each matching document has an entry in
/// one of the ranges. Whether entries of other documents are there as well is ``isExact``; whether the order
/// is that of the query is ``sortedOrders``.
struct IndexScan {
  /// The index that is read.
  enum Index {
    /// The documents themselves, by key. Its entries have a key and no value.
    case documents
    /// The index of a field.
    case entries(FieldPath, EntryTable.Kind)
    /// A composite index.
    case declared(DeclaredIndex)

    /// The fields, without the document ID.
    fileprivate var columns: [CompositeIndex.Field] {
      switch self {
      case .documents: []
      case .entries(let field, .value): [.ascending(field)]
      case .entries(let field, .element): [.contains(field)]
      case .declared(let index): index.definition.columns
      }
    }

    /// Whether documents with equal values are ordered by descending key.
    fileprivate var isKeyDescending: Bool {
      if case .declared(let index) = self { index.definition.isKeyDescending } else { false }
    }

    /// Whether the keys are full paths, because the index is over a collection group.
    fileprivate var isOfGroup: Bool {
      if case .declared(let index) = self { index.definition.scope == .collectionGroup } else { false }
    }
  }

  /// The index that is read.
  let index: Index
  /// The ranges to read, in the index's order. They may contain documents that don't match, unless
  /// ``isExact`` is true.
  var ranges: [PlaceRange]
  /// Whether the index is read backward.
  let isReversed: Bool
  /// The number of leading orders of the query by which the scan returns documents sorted.
  let sortedOrders: Int
  /// Whether conditions or cursors bound the scan.
  let isBounded: Bool
  /// Whether every document in the ranges matches, so that documents need not be checked.
  let isExact: Bool

  /// A readable name of the index, for ``QueryExplanation``.
  var name: String {
    switch index {
    case .documents: "documents by their id"
    case .entries(let field, let kind): FieldIndexKey("", field, kind).name
    case .declared(let index): index.definition.name
    }
  }

  /// Plans a scan of an index; `nil` if the index has fields that the alternative can't use, or lacks
  /// documents that match.
  ///
  /// The leading fields with an equality form the prefix of the entries. The remaining fields must be among
  /// the query's orders. Then the orders are matched with the remaining fields one by one, as long as all of
  /// them have the same direction relative to the index, which is the direction of the scan.
  ///
  /// - Parameters:
  ///   - index: the index.
  ///   - alternative: the conditions.
  ///   - query: the query.
  /// - Complexity: O(n) in the number of conditions, fields and orders; nothing is read.
  init?(_ index: Index, for alternative: QueryAlternative, of query: ResolvedQuery) {
    self.index = index
    let (columns, isKeyDescending, isGroup) = (index.columns, index.isKeyDescending, index.isOfGroup)
    var prefix = Data()
    var rest = columns[...]
    while let column = rest.first {
      let point =
        column.kind == .contains
        ? alternative.contained(in: column.path) : alternative.equal(column.path)
      guard let point else { break }
      let bytes = IndexEncoding.encode(point)
      prefix += column.kind == .descending ? bytes.inverted : bytes
      rest = rest.dropFirst()
    }
    // The query must be ordered by each of the other fields: a document that lacks one isn't in the index,
    // and must not match.
    guard
      rest.allSatisfy({ column in
        column.kind != .contains && query.orders.contains { $0.field == column.path }
      })
    else { return nil }

    // Orders by fields with an equality condition have no effect.
    var sorted = 0
    var matched = 0
    var isReversed: Bool?
    var isKeySorted = false
    let free = Array(rest)
    loop: for order in query.orders {
      if alternative.equal(order.field) != nil, order.field != .documentID() {
        sorted += 1
        continue
      }
      let isStoredDescending: Bool
      if order.field == .documentID(), matched == free.count {
        isStoredDescending = isKeyDescending
      } else if matched < free.count, free[matched].path == order.field {
        isStoredDescending = free[matched].kind == .descending
        matched += 1
      } else {
        break loop
      }
      let direction = isStoredDescending != order.isDescending
      guard isReversed ?? direction == direction else {
        if order.field != .documentID() { matched -= 1 }
        break loop
      }
      isReversed = direction
      isKeySorted = order.field == .documentID()
      sorted += 1
    }
    sortedOrders = sorted
    self.isReversed = isReversed ?? false

    var ranges = [ByteRange()]
    if let first = free.first {
      ranges = alternative.ranges(of: first.path)
      if first.kind == .descending { ranges = ranges.reversed().compactMap(\.inverted) }
    }
    var isExact =
      Self.isExact(columns: columns, free: free, for: alternative) && Self.hasOrders(of: query, columns)
      // Other entries of a collection group's index may be outside the query's part of the hierarchy.
      && (!isGroup || query.query.parent.segments.isEmpty)
    var places = ranges.map { range in
      var places = PlaceRange(lower: Place(prefix + range.lower))
      places.reduce(to: (range.upper.map { prefix + $0 } ?? prefix.successor).map { Place($0) })
      return places
    }
    let cursors = Cursors(
      // Checked: a number of columns.
      query: query, alternative: alternative, prefix: prefix, columns: Array(free.prefix(matched)),
      isKeyNext: isKeySorted, isKeyDescending: isKeyDescending, isGroup: isGroup)
    let (start, end) = (query.query.start, query.query.end)
    let (lower, upper) = self.isReversed ? (end, start) : (start, end)
    for position in places.indices {
      if let lower {
        let bound = cursors.bound(of: lower, after: !lower.isInclusive)
        places[position].raise(to: bound.place)
        isExact = isExact && bound.isExact
      }
      if let upper {
        let bound = cursors.bound(of: upper, after: upper.isInclusive)
        places[position].reduce(to: bound.place)
        isExact = isExact && bound.isExact
      }
      if free.isEmpty { cursors.bound(&places[position]) }
    }
    isBounded = !places.contains(where: \.isEverything)
    self.isExact = isExact
    self.ranges = places.filter { !$0.isEmpty }
  }

  /// Returns whether the bounds in the index express the conditions completely.
  ///
  /// - Parameters:
  ///   - columns: the fields of the index.
  ///   - free: those after the prefix, of which only the first has bounds.
  ///   - alternative: the conditions.
  /// - Returns: `false` also in cases where this can't be decided from the encodings, such as long values;
  ///   documents are then compared.
  private static func isExact(
    columns: [CompositeIndex.Field], free: [CompositeIndex.Field], for alternative: QueryAlternative
  ) -> Bool {
    let fixed = columns.dropLast(free.count)
    return alternative.conditions.allSatisfy { condition in
      // Null and NaN have their own rules, and values that differ only beyond the length limit have the same
      // entry.
      guard condition.operand.isMatched, IndexEncoding.isWhole(condition.operand) else { return false }
      switch condition.comparison {
      case .equal:
        return fixed.contains { $0.path == condition.field && $0.kind != .contains }
          && alternative.isOnly(condition)
      case .arrayContains:
        return fixed.contains { $0.path == condition.field && $0.kind == .contains }
          && alternative.isOnly(condition)
      case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
        return free.first?.path == condition.field
      default: return false
      }
    }
  }

  /// Returns whether every document in the index has the fields by which the query is ordered. Documents
  /// without them don't belong to the result.
  private static func hasOrders(of query: ResolvedQuery, _ columns: [CompositeIndex.Field]) -> Bool {
    query.orders.allSatisfy { order in
      order.field == .documentID() || columns.contains { $0.path == order.field }
    }
  }
}

/// Translates cursors, and conditions on the document ID, to places in an index.
private struct Cursors {
  /// The query with its cursors and its complete order.
  let query: ResolvedQuery
  /// The conditions.
  let alternative: QueryAlternative
  /// The common prefix of all entries that are read.
  let prefix: Data
  /// The fields after the prefix, in the query's order.
  let columns: [CompositeIndex.Field]
  /// Whether the document key follows these fields, as it does in the query's order.
  let isKeyNext: Bool
  /// Whether the keys in the index are inverted.
  let isKeyDescending: Bool
  /// Whether the keys are full paths.
  let isGroup: Bool

  /// A place in the index that bounds a scan.
  struct Bound {
    /// The place; `nil` for the end of the index.
    let place: Place?
    /// Whether the place is exact. Otherwise the scan includes more entries, and every document is checked.
    var isExact = true
  }

  /// Returns the place before or after the documents at a cursor. If it can't be determined exactly, the
  /// place includes all entries that may belong to the result.
  ///
  /// The values of the cursor are appended to the prefix as long as they belong to the next field of the
  /// index; values for fields with an equality condition are skipped if they are equal to it. The place after
  /// all entries that begin with some bytes is the successor of these bytes.
  ///
  /// - Parameters:
  ///   - cursor: the cursor; it may have fewer values than the query has orders.
  ///   - after: whether to return the place after the documents at the cursor.
  func bound(of cursor: QueryCursor, after: Bool) -> Bound {
    var value = prefix
    var left = columns[...]
    // If the place isn't exact, all entries that may belong to the result are included.
    let isLower = after != cursor.isInclusive
    for (order, operand) in zip(query.orders, cursor.values) {
      if let equal = alternative.equal(order.field), order.field != .documentID() {
        guard equal.compare(operand) == 0 else { return vague(value, isLower) }
        continue
      }
      if let column = left.first {
        guard column.path == order.field else { return vague(value, isLower) }
        let bytes = IndexEncoding.encode(operand)
        value += column.kind == .descending ? bytes.inverted : bytes
        // Values that differ only beyond the length limit have the same entry.
        guard IndexEncoding.isWhole(operand) else { return vague(value, isLower) }
        left = left.dropFirst()
      } else {
        guard isKeyNext, order.field == .documentID(), case .reference(let path) = operand,
          let key = key(of: path)
        else { return vague(value, isLower) }
        return Bound(place: after ? key.successor.map { Place(value, $0) } : Place(value, key))
      }
    }
    return Bound(place: after ? value.successor.map { Place($0) } : Place(value))
  }

  /// Returns an inexact bound at the start or the end of the entries that begin with `value`.
  ///
  /// - Parameters:
  ///   - value: the part of the cursor that could be translated.
  ///   - isLower: whether the bound is that of the start of the scan.
  private func vague(_ value: Data, _ isLower: Bool) -> Bound {
    Bound(place: isLower ? Place(value) : value.successor.map { Place($0) }, isExact: false)
  }

  /// Returns the key of a document in the index; `nil` if the document is outside the collection, whose keys
  /// are IDs only.
  ///
  /// - Parameter path: the path in a cursor or a condition on the document ID.
  private func key(of path: ResourcePath) -> Data? {
    let bytes: Data
    if isGroup {
      bytes = OrderedEncoding.encode(path)
    } else {
      // IDs order the documents of a single collection only.
      guard !query.query.allDescendants, path.parent == query.collection else { return nil }
      bytes = CollectionTable.key(path)
    }
    return isKeyDescending ? bytes.inverted : bytes
  }

  /// Bounds a range by the conditions on the document ID. The entries in the range must be ordered by key.
  /// Conditions whose path is outside the collection are ignored, except for equalities; the documents are
  /// compared instead.
  func bound(_ range: inout PlaceRange) {
    for condition in alternative.conditions where condition.field == .documentID() {
      guard case .reference(let path) = condition.operand else { continue }
      if condition.comparison == .equal {
        let bytes = isGroup ? OrderedEncoding.encode(path) : CollectionTable.key(path)
        let key = isKeyDescending ? bytes.inverted : bytes
        range.raise(to: Place(prefix, key))
        range.reduce(to: key.successor.map { Place(prefix, $0) })
        continue
      }
      guard let key = key(of: path) else { continue }
      switch condition.comparison {
      case .greaterThan, .greaterThanOrEqual:
        let isAfter = (condition.comparison == .greaterThan) != isKeyDescending
        let place = isAfter ? key.successor.map { Place(prefix, $0) } : Place(prefix, key)
        if isKeyDescending { range.reduce(to: place) } else { range.raise(to: place) }
      case .lessThan, .lessThanOrEqual:
        let isAfter = (condition.comparison == .lessThanOrEqual) != isKeyDescending
        let place = isAfter ? key.successor.map { Place(prefix, $0) } : Place(prefix, key)
        if isKeyDescending { range.raise(to: place) } else { range.reduce(to: place) }
      default: break
      }
    }
  }
}
