import TenonCore
import TenonDocuments
import TenonFoundation
import TenonStoreInterop

/// Lists of what there is, for which there is no kind of access: if there are rules, only administrators have
/// them.
extension DocumentDatabase {
  /// Returns the IDs of the collections directly below a document, sorted by their bytes. A collection exists as
  /// long as it, or a collection below it, has documents.
  ///
  /// - Parameters:
  ///   - parent: the path of the document, which needn't exist; without segments, the root of the database.
  ///   - after: only IDs after this one are returned; `nil` for all.
  ///   - limit: the greatest number of IDs, at least 1.
  ///   - database: the ID of the database.
  ///   - caller: the caller.
  ///   - point: the state that is read; `nil` for the current one.
  /// - Throws: `StoreRemoteError`; `permissionDenied` for users if there are rules.
  /// - Complexity: O(*n*) in the number of documents below the parent.
  func collectionIDs(
    below parent: ResourcePath, after: String?, limit: Int, _ database: String, _ caller: Caller,
    at point: ReadConsistency? = nil
  ) throws -> [String] {
    try mappingErrors { try rules.checkAdministration(caller) }
    return try reading(database, caller, point) { history in
      var found: Set<UTF8Text> = []
      let depth = parent.segments.count
      try history.forEachPath(below: parent, isOnePerCollection: true) { path in
        found.insert(UTF8Text(path.segments[depth]))
      }
      return Self.page(of: found, after: after, limit: limit)
    }.result
  }

  /// Returns the documents of a collection in the order of their IDs, and also those that don't exist but have
  /// documents below them, which have neither fields nor times.
  ///
  /// - Parameters:
  ///   - collection: the path of the collection.
  ///   - after: only documents with IDs after this one are returned; `nil` for all.
  ///   - limit: the greatest number of documents.
  ///   - database: the ID of the database.
  ///   - caller: the caller.
  ///   - point: the state that is read; `nil` for the current one.
  /// - Throws: `StoreRemoteError`; `permissionDenied` for users if there are rules.
  /// - Complexity: O(*n*) in the number of documents below the collection.
  func listMissing(
    in collection: ResourcePath, after: String?, limit: Int, _ database: String, _ caller: Caller,
    at point: ReadConsistency?
  ) throws -> DocumentReading<[RemoteDocument]> {
    try mappingErrors { try rules.checkAdministration(caller) }
    return try reading(database, caller, point) { history in
      var found: Set<UTF8Text> = []
      let depth = collection.segments.count
      try history.forEachPath(below: collection, isOnePerCollection: false) { path in
        found.insert(UTF8Text(path.segments[depth]))
      }
      // In the order of the IDs, in which numbers have places of their own.
      let paths = found.map { collection.appending($0.string) }.sorted { $0.compare($1) < 0 }
      let last = after.map { collection.appending($0) }
      // Checked: not negative.
      let page = paths.filter { path in last.map { path.compare($0) > 0 } ?? true }.prefix(max(0, limit))
      return try page.map { path in
        try history.document(path) ?? RemoteDocument(path: path, fields: nil, updateTime: history.commitTime)
      }
    }
  }

  /// Returns the documents at which the result of a query is split into parts with about the same number of
  /// documents, in the order of their paths.
  ///
  /// - Parameters:
  ///   - query: a query over a collection group.
  ///   - most: the greatest number of documents.
  ///   - database: the ID of the database.
  ///   - caller: the caller.
  ///   - point: the state that is read; `nil` for the current one.
  /// - Throws: `StoreRemoteError`; `permissionDenied` for users if there are rules.
  func partitions(
    of query: StructuredQuery, atMost most: Int, _ database: String, _ caller: Caller,
    at point: ReadConsistency?
  ) throws -> [ResourcePath] {
    try mappingErrors { try rules.checkAdministration(caller) }
    var query = query
    query.selection = []
    let paths = try run(query, database, caller, at: point).result.map(\.path)
    let count = max(0, min(most, paths.count - 1))
    // Checked: the count isn't negative, and less than the number of paths.
    return (0..<count).map { paths[($0 + 1) * paths.count / (count + 1)] }
  }

  /// Returns the first texts after one, in the order of their bytes.
  private static func page(of texts: Set<UTF8Text>, after: String?, limit: Int) -> [String] {
    let rest = texts.map(\.string).filter { text in
      after.map { $0.utf8.lexicographicallyPrecedes(text.utf8) } ?? true
    }
    // Checked: a positive number, by contract.
    return Array(rest.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.prefix(limit))
  }
}

/// The documents of a database in one state, whose paths can be listed.
protocol DocumentListing: DocumentHistory {
  /// Calls a closure with the paths of the documents below a document or in a collection, at any depth, in any
  /// order.
  ///
  /// - Parameters:
  ///   - path: the path; without segments, the root.
  ///   - isOnePerCollection: whether one document of each collection is enough.
  ///   - body: receives the path, which has more segments than the other one.
  func forEachPath(
    below path: ResourcePath, isOnePerCollection: Bool, _ body: (ResourcePath) throws -> Void
  ) throws
}

extension PresentDocuments: DocumentListing {}

extension PastDocuments: DocumentListing {}

/// A random number of a database, with which the IDs of its transactions are recognized.
struct TransactionSecret: Sendable {
  // Checked: all numbers, in order.
  private let number = UInt64.random(in: .min ... .max)

  /// Returns eight bytes that only this database can compute for some data.
  func checksum(of data: Data) -> Data {
    var hash = number
    // Checked: bytes.
    for byte in data { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash ^= hash >> 32
    return withUnsafeBytes(of: hash.bigEndian) { Data($0) }
  }
}

extension StructuredQuery {
  /// The query, without a limit of 0, which the rules of queries don't permit.
  var withoutEmptyLimit: StructuredQuery {
    guard limit == 0 else { return self }
    var query = self
    query.limit = nil
    return query
  }
}
