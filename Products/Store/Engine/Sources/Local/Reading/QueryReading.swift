import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonStoreInterop
import TenonValues

/// One execution of a query according to its plan, which also counts the entries read.
///
/// Valid within one call of ``Transactions/read(_:)``, on a consistent snapshot of the database.
///
/// A part of the query, which is a branch of the plan in one collection, is read by a statement per range
/// (``IndexStatement``), or by intersecting lists of keys (``KeyList``). Documents are compared with the
/// query unless the index is exact. Only the fields on which the query depends are decoded for that, and the
/// whole document only if it is part of the result.
final class QueryReading {
  let plan: QueryPlan
  /// The numbers of the collections in the query's range.
  let collections: [Int64]
  /// The number of index entries read so far.
  var entriesRead = 0
  /// The query, in the form in which it is run.
  let query: ResolvedQuery
  let reader: LocalReader
  /// The fields on which the query depends.
  private lazy var selection = query.selection

  /// Plans a query, and writes the index entries that the open transaction has buffered.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - reader: the reader, which must be in a transaction.
  /// - Throws: `SQLiteError`.
  init(_ query: ResolvedQuery, in reader: LocalReader) throws {
    self.query = query
    self.reader = reader
    plan = reader.plans.plan(for: query)
    collections = try reader.collections.numbers(in: query)
    // The open transaction may have changed documents whose entries aren't written yet.
    try reader.entries.writePending()
  }

  /// Ends the execution, and notes which indexes it has lacked and used.
  func finish() { reader.requests.add(plan, entriesRead: entriesRead) }

  /// Whether everything is read in the query's order.
  var isOrdered: Bool { plan.branches.allSatisfy { $0.sortedOrders == query.orders.count } }

  // MARK: - Results

  /// Returns the documents of the query, in its order and within its limit.
  ///
  /// If the index returns them in this order, reading stops at the limit; otherwise the best documents so far
  /// are kept in a sorted set.
  ///
  /// - Throws: as ``LocalReader``.
  /// - Complexity: O(k) entries and documents for a limit of k if a single index is exact and in the query's
  ///   order. Otherwise, up to all entries in the ranges of the plan are read, and k documents are kept in
  ///   memory; without a limit, all documents of the result are, and they are sorted unless the index has
  ///   sorted them.
  func documents() throws -> [StoredDocument] {
    let parts = parts
    guard let limit = query.query.limit else { return try all(of: parts) }
    if parts.count == 1, isOrdered {
      var documents: [StoredDocument] = []
      documents.reserveCapacity(min(limit, 100))
      try read(parts[0], needingDocuments: true) { row, match in
        documents.append(try document(row, match))
        return documents.count < limit
      }
      return documents
    }
    var found = DocumentSet(order: query)
    for part in parts {
      let sorted = part.branch.sortedOrders
      try read(part, needingDocuments: true) { row, match in
        if found.count >= limit, let last = found.last {
          // All following documents sort after the last one that can belong to the result.
          if sorted > 0, query.compare(match, last.document, orders: sorted) > 0 { return false }
          if last.precedes(match.fields, at: match.path) { return true }
        }
        found.insert(found.entry(try document(row, match)))
        if found.count > limit, let last = found.last { found.remove(last) }
        return true
      }
    }
    return found.documents
  }

  /// Returns the documents of the query, undecoded if the index alone determines them and their order. That
  /// is the case for a single collection and a plan with one branch, which is exact and sorted by all orders.
  ///
  /// - Throws: as ``LocalReader``.
  func encodedDocuments() throws -> EncodedDocuments {
    let parts = parts
    guard parts.count == 1, parts[0].isExact, parts[0].collection != 0, isOrdered else {
      return EncodedDocuments(try documents())
    }
    let limit = query.query.limit ?? .max
    var found = EncodedDocuments(
      in: try reader.collections.path(of: parts[0].collection), of: reader.database.path, limit: limit)
    try readRows(parts[0], DocumentTable.columns) { row in
      found.append(row)
      return found.count < limit
    }
    return found
  }

  /// Returns the number of documents of the query. If the index alone determines them, no document is read.
  ///
  /// - Throws: as ``LocalReader``.
  /// - Complexity: O(n) in the number of entries read; no entry beyond the limit is, if the index is exact.
  func count() throws -> Int {
    let limit = query.query.limit ?? .max
    var count = 0
    if plan.branches.count == 1, plan.branches[0].isExact {
      for part in parts where count < limit {
        for range in part.branch.scans[0].ranges {
          guard
            let statement = try IndexStatement(
              part.branch.scans[0], in: part.collection, reader.fields, range)
          else {
            continue
          }
          if query.query.limit == nil {
            count += try statement.count(
              in: reader.database, checkingCancellation: reader.checkCancellation)
          } else {
            count += try statement.count(upTo: limit - count, in: reader.database)
          }
        }
      }
      entriesRead += count
      return count
    }
    try forEachMatch { _, _ in
      count += 1
      return count < limit
    }
    return count
  }

  /// Returns all documents of a query without a limit, sorted. Their sort keys are computed once each.
  private func all(of parts: [Part]) throws -> [StoredDocument] {
    var found: [StoredDocument] = []
    try forEachDocument { found.append($0) }
    if parts.count <= 1, isOrdered { return found }
    return found.map { (key: query.sortKey($0.fields, at: $0.path), document: $0) }
      .sorted { query.compare($0.key, $1.key) < 0 }.map(\.document)
  }

  /// Calls `body` with each matching document, in any order. The query's limit is ignored.
  ///
  /// - Throws: as ``LocalReader``.
  func forEachDocument(_ body: (consuming StoredDocument) -> Void) throws {
    try forEachMatch(needingDocuments: true) { row, match in
      body(try document(row, match))
      return true
    }
  }

  /// Calls `body` once with each document that matches, in any order, until it returns `false`. The query's
  /// limit is ignored. A document that several branches find is passed once; for that, the row IDs of all
  /// matches are kept in memory.
  ///
  /// - Parameters:
  ///   - needingDocuments: whether `body` decodes the documents. Otherwise only the fields on which the query
  ///     depends are decoded.
  ///   - body: called with each row, whose columns are ``columns``, and what is known of its document;
  ///     returns whether to continue.
  /// - Throws: what `body` throws; as ``LocalReader``.
  func forEachMatch(
    needingDocuments: Bool = false, _ body: (_ row: borrowing Row, _ match: Match) throws -> Bool
  ) throws {
    let parts = parts
    var seen: Set<Int64> = []
    var shouldContinue = true
    for part in parts where shouldContinue {
      try read(part, needingDocuments: needingDocuments) { row, match in
        // Row IDs are unique across collections, so they identify documents that several branches find.
        if plan.branches.count > 1, !seen.insert(match.id).inserted { return true }
        shouldContinue = try body(row, match)
        return shouldContinue
      }
    }
  }

  // MARK: - Reading

  /// A scan of one collection, or of a collection group that has its own index (`collection` is 0 then).
  struct Part {
    /// The scans.
    let branch: QueryPlan.Branch
    /// The number of the collection; 0 for an index over a collection group.
    let collection: Int64

    /// Whether every document that is read matches.
    var isExact: Bool { branch.isExact }
  }

  /// The scans of the query: each branch in each collection.
  var parts: [Part] {
    plan.branches.flatMap { branch in
      if case .declared(let index) = branch.scans[0].index, index.definition.scope == .collectionGroup {
        return [Part(branch: branch, collection: 0)]
      }
      return collections.map { Part(branch: branch, collection: $0) }
    }
  }

  /// What is known of a document that matches.
  struct Match {
    /// The row ID.
    let id: Int64
    let path: ResourcePath
    /// The fields on which the query depends, or all fields.
    let fields: Fields
    /// Whether ``fields`` are all fields of the document.
    let isComplete: Bool
  }

  /// Returns what is known of the document of a row with ``columns``; `nil` if it doesn't match.
  ///
  /// - Parameters:
  ///   - row: the row.
  ///   - parent: the path of the collection; `nil` to find it by its number.
  ///   - isExact: whether every document matches.
  ///   - selecting: whether only the fields on which the query depends are decoded.
  private func match(
    _ row: borrowing Row, in parent: ResourcePath?, isExact: Bool, selecting: Bool
  ) throws -> Match? {
    let path = try (parent ?? reader.collections.path(of: row.integer(6))).appending(row.text(0))
    let fields: Fields
    do throws(DocumentError) {
      fields = try row.withBytes(1) { bytes throws(DocumentError) in
        selecting ? try selection.fields(in: bytes) : try DocumentCoding.decode(bytes)
      }
    } catch {
      throw StoreError.damaged(path, in: reader.database.path, error)
    }
    if isExact {
      assert(query.matches(fields, at: path), "\(plan.name) isn't exact")
    } else {
      guard query.matches(fields, at: path) else { return nil }
    }
    return Match(id: row.integer(7), path: path, fields: fields, isComplete: !selecting)
  }

  /// Decodes the document of a row with ``columns``.
  private func document(_ row: borrowing Row, _ match: Match) throws(StoreError) -> StoredDocument {
    try reader.documentTable.document(row, at: match.path, fields: match.isComplete ? match.fields : nil)
  }

  /// Calls `body` with the matching documents of a part, until it returns `false`. The parameters are those
  /// of ``forEachMatch(needingDocuments:_:)``.
  ///
  /// - Throws: what `body` throws; as ``LocalReader``.
  private func read(
    _ part: Part, needingDocuments: Bool, _ body: (_ row: borrowing Row, _ match: Match) throws -> Bool
  ) throws {
    let scans = part.branch.scans
    // Where every document is part of the result, decoding it in two steps would take longer.
    let mayExclude = !part.isExact && (query.query.filter != nil || query.query.limit != nil)
    let selecting = !needingDocuments || mayExclude
    guard scans.count == 1 else {
      return try intersect(scans, in: part.collection, selecting: selecting, body)
    }
    // The documents of one collection have the same parent, unless the index is over a collection group.
    let parent = part.collection == 0 ? nil : try reader.collections.path(of: part.collection)
    try readRows(part, Self.columns) { row in
      guard let match = try match(row, in: parent, isExact: part.isExact, selecting: selecting) else {
        return true
      }
      return try body(row, match)
    }
  }

  /// Calls `body` with the rows of a part that reads a single index, until it returns `false`. Ranges are
  /// read in the direction of the scan, the last one first if the index is read backward, so that the rows of
  /// all ranges are in order.
  func readRows(
    _ part: Part, _ columns: String, _ body: (borrowing Row) throws -> Bool
  ) throws {
    let scan = part.branch.scans[0]
    var shouldContinue = true
    for range in scan.isReversed ? scan.ranges.reversed() : scan.ranges where shouldContinue {
      guard let statement = try IndexStatement(scan, in: part.collection, reader.fields, range) else {
        return
      }
      try reader.database.forEachRow(statement.sql(reading: columns), statement.bindings) { row in
        if entriesRead.isMultiple(of: 16) { try reader.checkCancellation() }
        entriesRead += 1
        shouldContinue = try body(row)
        return shouldContinue
      }
    }
  }

  /// Calls `body` with the documents that are in all of several key lists, until it returns `false`.
  ///
  /// The lists are sorted, so they are merged by skipping: the list that is behind skips to the key of the
  /// others. The cost is proportional to the shortest list.
  private func intersect(
    _ scans: [IndexScan], in collection: Int64, selecting: Bool,
    _ body: (_ row: borrowing Row, _ match: Match) throws -> Bool
  ) throws {
    var lists: [KeyList] = []
    for scan in scans {
      guard let list = try KeyList(scan, in: collection, reader.fields) else { return }
      lists.append(list)
    }
    let isReversed = scans[0].isReversed
    // The key found last, and the number of consecutive lists that contain it.
    var edge: Data?
    var agreeing = 0
    var position = 0
    while let found = try lists[position].first(in: reader.database) {
      try reader.checkCancellation()
      entriesRead += 1
      if found.key == edge { agreeing += 1 } else { (edge, agreeing) = (found.key, 1) }
      position = (position + 1) % lists.count
      guard agreeing == lists.count else {
        lists[position].leap(to: found.key, isReversed: isReversed)
        continue
      }
      let shouldContinue = try reader.database.first(
        "SELECT \(Self.columns) FROM documents d WHERE d.id = ?", [.integer(found.document)]
      ) { row in
        guard let match = try match(row, in: nil, isExact: false, selecting: selecting) else { return true }
        return try body(row, match)
      }
      guard shouldContinue ?? true else { return }
      lists[position].leap(past: found.key, isReversed: isReversed)
      (edge, agreeing) = (nil, 0)
    }
  }

  /// The columns of a document that is compared with the query: those that are decoded, its collection and
  /// its row ID.
  static let columns = DocumentTable.columns + ", d.collection, d.id"
}

extension ResolvedQuery {
  /// The fields on which it depends whether a document matches, and where it is in the result.
  fileprivate var selection: FieldSelection {
    FieldSelection(orders.map(\.field) + (query.filter?.fieldConditions.map(\.field) ?? []))
  }

  /// Compares two documents by the first `count` orders only, in the encoding of the index, so that the
  /// result agrees with the order of its entries.
  fileprivate func compare(_ left: QueryReading.Match, _ right: StoredDocument, orders count: Int) -> Int {
    // Checked: a number of orders.
    for order in orders.prefix(count) {
      let first = bytes(of: order.field, in: left.fields, at: left.path)
      let second = bytes(of: order.field, in: right.fields, at: right.path)
      guard first != second else { continue }
      return first.precedes(second) != order.isDescending ? -1 : 1
    }
    return 0
  }

  /// Returns the indexed encoding of a field; empty if the document lacks it.
  private func bytes(of field: FieldPath, in fields: Fields, at path: ResourcePath) -> Data {
    if field == .documentID() { return OrderedEncoding.encode(path) }
    return fields[field].map { IndexEncoding.encode($0) } ?? Data()
  }
}
