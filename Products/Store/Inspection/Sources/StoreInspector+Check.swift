import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonStoreEngine
import TenonValues

extension StoreInspector {
  /// The numbers of things that a check has read.
  package struct CheckResult: Sendable {
    /// The number of documents that were decoded.
    package fileprivate(set) var documents: Int64 = 0
    /// The number of index entries that were compared with documents.
    package fileprivate(set) var entries: Int64 = 0
    /// The number of pending and rejected batches that were decoded.
    package fileprivate(set) var batches: Int64 = 0
  }

  /// Checks the whole database: the checksum of each page and the structure of the file (SQLite's
  /// `integrity_check`), that every document and every pending write can be decoded, and that each complete
  /// index has the entries of the documents, and no others unless a document can't be read.
  ///
  /// Memory holds one document and a number for each indexed field of each collection.
  ///
  /// - Parameters:
  ///   - onProgress: called with the number of documents so far, after each document.
  ///   - found: called with each defect.
  /// - Returns: what was read.
  /// - Throws: ``StoreError`` for failures other than damage; what the closures throw.
  /// - Complexity: O(n log n) in the number of documents and index entries.
  package func check(
    onProgress: (Int64) throws -> Void = { _ in }, _ found: (StoreDefect) throws -> Void
  ) throws -> CheckResult {
    var result = CheckResult()
    try checkPages(found)
    let indexes = IndexCheck(self)
    // The entries of documents that can't be read aren't known, so that there may seem to be too many.
    var isComplete = true
    func foundInDocuments(_ defect: StoreDefect) throws {
      if defect.kind == .document { isComplete = false }
      try found(defect)
    }
    let numbers = try reporting(foundInDocuments, .document, "The list of collections") {
      try connection.rows("SELECT id FROM collections ORDER BY path") { $0.integer(0) }
    }
    for number in numbers ?? [] {
      let collection = try tables.collections.path(of: number)
      try reporting(foundInDocuments, .document, "The rest of the collection \(collection.text)") {
        try checkCollection(number, collection, indexes, &result, onProgress, foundInDocuments)
      }
    }
    try reporting(foundInDocuments, .document, "The documents without a collection") {
      let sql = """
        SELECT count(*) FROM documents WHERE collection NOT IN (SELECT id FROM collections) \
        AND collection NOT IN (SELECT id FROM dropped_collections)
        """
      let count = try connection.first(sql) { $0.integer(0) } ?? 0
      if count > 0 {
        try foundInDocuments(StoreDefect(.document, "\(count) documents belong to no collection."))
      }
    }
    try checkBases(found)
    if isComplete {
      try reporting(found, .index, "The number of index entries") { try indexes.checkCounts(found) }
    }
    result.entries = indexes.entries
    try checkQueue(&result, found)
    return result
  }

  /// Runs a part of the check, and reports what can't be read in it.
  ///
  /// - Parameter what: the part, as the subject of a sentence.
  @discardableResult
  private func reporting<Result>(
    _ found: (StoreDefect) throws -> Void, _ kind: StoreDefect.Kind, _ what: String,
    _ body: () throws -> Result
  ) throws -> Result? {
    do { return try body() } catch let error as SQLiteError where SalvagedRows.isDamage(error) {
      try found(StoreDefect(kind, "\(what) can't be read: \(error.message)."))
    } catch let error as StoreError where error.code == .dataLoss {
      try found(StoreDefect(kind, "\(what) can't be read: \(error.reason)"))
    } catch let error as DocumentError where error.code == .damaged {
      try found(StoreDefect(kind, "\(what) can't be read: \(error.message)"))
    }
    return nil
  }

  // MARK: - Pages

  /// Reads all pages that are in use, which verifies their checksums, and checks how they refer to one
  /// another.
  private func checkPages(_ found: (StoreDefect) throws -> Void) throws {
    do {
      for line in try connection.rows("PRAGMA integrity_check(100)", [], { $0.text(0) }) where line != "ok" {
        try found(StoreDefect(.page, "SQLite reports: \(line)."))
      }
    } catch let error as SQLiteError where SalvagedRows.isDamage(error) {
      // SQLite ends with the first page that it can't read.
      let pages = try connection.damagedPages(limit: 100)
      for page in pages {
        try found(StoreDefect(.page, "Page \(page) of the file doesn't match its checksum."))
      }
      if pages.isEmpty { try found(StoreDefect(.page, "The file can't be read: \(error.message).")) }
    }
  }

  // MARK: - Documents

  private func checkCollection(
    _ number: Int64, _ collection: ResourcePath, _ indexes: IndexCheck, _ result: inout CheckResult,
    _ onProgress: (Int64) throws -> Void, _ found: (StoreDefect) throws -> Void
  ) throws {
    let expectation = try indexes.expectation(number, collection)
    try tables.documents.forEachRow(in: number, after: Data(), limit: .max) { row, id, key in
      let path = collection.appending(row.text(0))
      let document: StoredDocument
      do {
        document = try tables.documents.document(row, in: collection)
        try checked { () throws(DocumentError) in _ = try ResourcePath(document: path.text) }
      } catch let error as StoreError {
        try found(StoreDefect(.document, "The document \(path.text) can't be read: \(error.reason)"))
        return true
      }
      if key != CollectionTable.key(path) {
        try found(StoreDefect(.document, "The document \(path.text) is stored in the place of another one."))
      }
      try indexes.check(
        document, EntryChanges.Document(collection: number, key: key, id: id), expectation, found)
      result.documents += 1
      try onProgress(result.documents)
      return true
    }
  }

  private func checkBases(_ found: (StoreDefect) throws -> Void) throws {
    try reporting(found, .document, "The states that the remote sent") {
      try connection.forEachRow("SELECT collection, name FROM bases") { row in
        let (number, name) = (row.integer(0), row.text(1))
        let path = try tables.collections.path(of: number).appending(name)
        try reporting(found, .document, "The state of \(path.text) that the remote sent") {
          _ = try tables.bases.base(of: path, in: number)
        }
        return true
      }
    }
  }

  // MARK: - The queue

  private func checkQueue(_ result: inout CheckResult, _ found: (StoreDefect) throws -> Void) throws {
    let parts: [(table: String, what: String)] = [("batches", "queued"), ("rejections", "rejected")]
    for (table, what) in parts {
      try reporting(found, .queue, "The \(what) writes") {
        try connection.forEachRow("SELECT uuid, content FROM \(table)") { row in
          let (id, content) = (row.text(0), row.blob(1))
          let isRead = try reporting(found, .queue, "The \(what) batch \(id)") {
            if UUID(uuidString: id) == nil {
              try found(StoreDefect(.queue, "The \(what) batch \(id) has an ID that isn't a UUID."))
            }
            return try WriteCoding.decode(content)
          }
          if isRead != nil { result.batches += 1 }
          return true
        }
      }
    }
  }
}

extension StoreError {
  /// Why something can't be read, without the name of the file and what an app can do about it.
  fileprivate var reason: String { (underlying as? DocumentError)?.message ?? message }
}
