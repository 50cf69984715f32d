import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// Reads the documents of a query as its plan says, and counts the entries that are read.
///
/// It lives within one ``Transactions/read(_:)``, on a consistent snapshot of the database.
final class QueryReading {
  let plan: QueryPlan
  let collections: [Int64]
  var entriesRead = 0
  private let query: ResolvedQuery
  let reader: LocalReader

  init(_ query: ResolvedQuery, in reader: LocalReader) throws {
    self.query = query
    self.reader = reader
    plan = QueryPlan(query, indexes: reader.indexes.complete)
    collections = try reader.collections.numbers(in: query)
    // The open transaction may have changed documents.
    try reader.entries.writePending()
  }

  /// Whether everything is read in the query's order.
  var isOrdered: Bool { plan.branches.allSatisfy { $0.sortedOrders == query.orders.count } }

  // MARK: - Results

  /// The documents of the query, in its order and within its limit.
  func documents() throws -> [StoredDocument] {
    let parts = parts
    guard let limit = query.query.limit else { return try all(of: parts) }
    if parts.count == 1, isOrdered {
      var documents: [StoredDocument] = []
      documents.reserveCapacity(min(limit, 100))
      try read(parts[0]) { _, document in
        documents.append(document)
        return documents.count < limit
      }
      return documents
    }
    var found = DocumentSet(order: query)
    for part in parts {
      let sorted = part.branch.sortedOrders
      try read(part) { _, document in
        // All that follows comes after the last one that can belong to the result.
        if sorted > 0, found.count >= limit, let last = found.last?.document,
          query.compare(document, last, orders: sorted) > 0
        {
          return false
        }
        let entry = found.entry(document)
        if found.count >= limit, let last = found.last, last < entry { return true }
        found.insert(entry)
        if found.count > limit, let last = found.last { found.remove(last) }
        return true
      }
    }
    return found.documents
  }

  /// The documents of the query, still encoded if the index alone determines them and their order.
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

  /// The number of documents of the query. If the index alone determines them, no document is read.
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
          // Entries beyond the limit aren't read.
          let bindings = statement.bindings + [.integer(Int64(limit - count))]
          count += try reader.database.first(statement.counting, bindings) { Int($0.integer(0)) } ?? 0
        }
      }
      entriesRead += count
      return count
    }
    try forEachMatch { _ in
      count += 1
      return count < limit
    }
    return count
  }

  private func all(of parts: [Part]) throws -> [StoredDocument] {
    var found: [StoredDocument] = []
    try forEachMatch { document in
      found.append(document)
      return true
    }
    if parts.count <= 1, isOrdered { return found }
    return found.map { (key: query.sortKey($0.fields, at: $0.path), document: $0) }
      .sorted { query.compare($0.key, $1.key) < 0 }.map(\.document)
  }

  /// Calls `body` with each document that matches once, in any order, until it returns `false`.
  func forEachMatch(_ body: (StoredDocument) throws -> Bool) throws {
    let parts = parts
    var seen: Set<Int64> = []
    var goesOn = true
    for part in parts where goesOn {
      try read(part) { id, document in
        // Documents of different collections are different ones.
        if plan.branches.count > 1, !seen.insert(id).inserted { return true }
        goesOn = try body(document)
        return goesOn
      }
    }
  }

  // MARK: - Reading

  /// What is read of one collection, or of a collection group that has an index.
  struct Part {
    let branch: QueryPlan.Branch
    let collection: Int64

    var isExact: Bool { branch.isExact }
  }

  var parts: [Part] {
    plan.branches.flatMap { branch in
      if case .declared(let index) = branch.scans[0].index, index.definition.scope == .collectionGroup {
        return [Part(branch: branch, collection: 0)]
      }
      return collections.map { Part(branch: branch, collection: $0) }
    }
  }

  /// Calls `body` with the documents of a part that match, until it returns `false`.
  private func read(_ part: Part, _ body: (Int64, consuming StoredDocument) throws -> Bool) throws {
    let scans = part.branch.scans
    guard scans.count == 1 else { return try intersect(scans, in: part.collection, body) }
    // The documents of one collection have one parent, unless the index is one of several collections.
    let parent = part.collection == 0 ? nil : try reader.collections.path(of: part.collection)
    try readRows(part, Self.columns) { row in
      let document = try reader.documentTable.document(
        row, in: parent ?? reader.collections.path(of: row.integer(6)))
      if part.isExact {
        assert(query.matches(document.fields, at: document.path), "\(plan.name) isn't exact")
      } else {
        guard query.matches(document.fields, at: document.path) else { return true }
      }
      return try body(row.integer(7), document)
    }
  }

  /// Calls `body` with the rows of a part that reads one index, until it returns `false`.
  private func readRows(
    _ part: Part, _ columns: String, _ body: (borrowing Row) throws -> Bool
  ) throws {
    let scan = part.branch.scans[0]
    var goesOn = true
    for range in scan.isReversed ? scan.ranges.reversed() : scan.ranges where goesOn {
      guard let statement = try IndexStatement(scan, in: part.collection, reader.fields, range) else {
        return
      }
      try reader.database.forEachRow(statement.sql(reading: columns), statement.bindings) { row in
        if entriesRead.isMultiple(of: 16) { try reader.checkCancellation() }
        entriesRead += 1
        goesOn = try body(row)
        return goesOn
      }
    }
  }

  /// Reads the documents that are in all of several lists of keys. The lists are sorted, so they are walked together: the one that is
  /// behind leaps to where the others are. The cost follows the shortest list.
  private func intersect(
    _ scans: [IndexScan], in collection: Int64,
    _ body: (Int64, consuming StoredDocument) throws -> Bool
  ) throws {
    var lists: [KeyList] = []
    for scan in scans {
      guard let list = try KeyList(scan, in: collection, reader.fields) else { return }
      lists.append(list)
    }
    let isReversed = scans[0].isReversed
    // The key that was found last, and in how many lists one after the other.
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
      let document = try reader.database.first(
        "SELECT \(Self.columns) FROM documents d WHERE d.id = ?", [.integer(found.document)]
      ) { try reader.documentTable.document($0, in: reader.collections.path(of: $0.integer(6))) }
      if let document, query.matches(document.fields, at: document.path) {
        guard try body(found.document, document) else { return }
      }
      lists[position].leap(past: found.key, isReversed: isReversed)
      (edge, agreeing) = (nil, 0)
    }
  }

  private static let columns = DocumentTable.columns + ", d.collection, d.id"
}

extension ResolvedQuery {
  /// Compares by the first orders only.
  fileprivate func compare(_ left: StoredDocument, _ right: StoredDocument, orders count: Int) -> Int {
    for order in orders.prefix(count) {
      let (first, second) = (bytes(of: order.field, in: left), bytes(of: order.field, in: right))
      guard first != second else { continue }
      return first.precedes(second) != order.isDescending ? -1 : 1
    }
    return 0
  }

  private func bytes(of field: FieldPath, in document: StoredDocument) -> Data {
    if field == .documentID() { return OrderedEncoding.encode(document.path) }
    return document.fields[field].map { IndexEncoding.encode($0) } ?? Data()
  }
}
