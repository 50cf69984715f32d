import TenonDocuments
import TenonJSON
import TenonSQLite
import TenonValues

/// The table `changes`: the documents that changed, for the listeners in all processes. There is one row per
/// transaction.
///
/// Every change of a document has a number, which increases by 1 across all processes, because numbers are
/// assigned while the write lock is held. A row covers the numbers from `first` to `sequence`. `documents` is
/// a map in the format of `DocumentCoding`: the numbers of collections in decimal, each with the array of the
/// IDs of its changed documents. New states aren't part of the log; readers fetch them from `documents`.
///
/// A process compares the newest number with the newest one that it has processed. If rows in between have
/// been deleted, it must read everything again.
final class ChangeLog {
  /// The minimum number of newest changes that are kept. A listener that is further behind reruns its query.
  static let kept: Int64 = 20_000

  private let reader: DatabaseReader
  private let collections: CollectionTable
  /// The newest change that this process has processed; initially, the newest one when the database was
  /// opened.
  private var lastSeen: Int64
  /// The newest change before the open transaction, and the newest one of the transaction itself.
  private var range: (first: Int64, last: Int64) = (0, 0)
  /// The IDs of the documents that the open transaction has changed, by collection number. If documents
  /// aren't collected, an ID is listed once for each change of its document.
  private var names: [Int64: [String]] = [:]
  /// The documents that the open transaction has changed, in their current state; `nil` if they aren't
  /// collected.
  private var documents: [ResourcePath: StoredDocument?]?
  /// Whether the open transaction changes documents that aren't listed.
  private var isOfEverything = false
  /// Whether the changed documents are collected; otherwise only their names are recorded, for other
  /// processes.
  var collectsDocuments = true

  init(_ reader: DatabaseReader, collections: CollectionTable) throws {
    self.reader = reader
    self.collections = collections
    lastSeen = try Self.newest(reader)
  }

  /// Returns the number of the newest change; 0 if there is none.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the number is damaged; `SQLiteError`.
  private static func newest(_ reader: DatabaseReader) throws -> Int64 {
    let newest = try reader.first("SELECT max(sequence) FROM changes") { $0.integer(0) } ?? 0
    return try GlobalTable.counter(newest, "changes", in: reader.path)
  }

  // MARK: - The open transaction

  /// The documents that the open transaction has changed so far; empty if they aren't collected.
  var changedDocuments: [ResourcePath: StoredDocument?] { documents ?? [:] }

  /// Records that so many documents change that they aren't listed: all listeners but those of this process,
  /// whose views the caller updates, must read everything again.
  func changeEverything() { isOfEverything = true }

  /// The number of changed documents of the open transaction, by the number of their collection.
  var changeCounts: some Collection<(Int64, Int)> { names.lazy.map { ($0.key, $0.value.count) } }

  /// Reserves capacity for a number of changed documents.
  func reserveCapacity(_ count: Int) { documents?.reserveCapacity(count) }

  /// Records the new state of a document, as users see it. Called by ``DocumentTable`` with every change of
  /// its rows.
  ///
  /// - Parameters:
  ///   - document: the new state; `nil` if the document was deleted.
  ///   - path: the document.
  ///   - collection: the number of its collection.
  func add(_ document: StoredDocument?, at path: ResourcePath, in collection: Int64) {
    let isKnown = documents?.updateValue(document, forKey: path) != nil
    if !isKnown { names[collection, default: []].append(path.id) }
  }

  /// Inserts the row of a transaction, and deletes rows whose changes are all older than the newest ``kept``
  /// ones.
  ///
  /// - Parameters:
  ///   - last: the number of the newest change before the transaction.
  ///   - transaction: the transaction.
  /// - Returns: the number of the newest change; `last` if the transaction has changed no document.
  /// - Throws: `SQLiteError`.
  private func append(after last: Int64, in transaction: WriteTransaction) throws -> Int64 {
    if isOfEverything {
      // A gap in the numbers, as if rows had been deleted.
      let newest = last + 2
      try transaction.run("DELETE FROM changes")
      try transaction.run(
        "INSERT INTO changes (sequence, first, documents) VALUES (?, ?, ?)",
        [.integer(newest), .integer(newest), .blob(DocumentCoding.encode([:]))])
      return newest
    }
    let count = names.reduce(0) { $0 + $1.value.count }
    guard count > 0 else { return last }
    let documents = Fields(names.reduce(into: [:]) { $0["\($1.key)"] = .array($1.value.map(Value.string)) })
    // Checked: counters, and the number of changes in memory.
    let newest = last + Int64(clamping: count)
    try transaction.run(
      "INSERT INTO changes (sequence, first, documents) VALUES (?, ?, ?)",
      [.integer(newest), .integer(last + 1), .blob(DocumentCoding.encode(documents))])
    // Old rows are deleted once per thousand changes, regardless of the size of the transactions.
    if newest / 1000 != last / 1000 {
      // Checked: a counter.
      try transaction.run("DELETE FROM changes WHERE sequence <= ?", [.integer(newest - Self.kept)])
    }
    return newest
  }

  // MARK: - Changes of other processes

  /// Returns the documents that changed since the last call, in this process or another; `nil` if the log no
  /// longer contains all of these changes, so that everything must be read again. All changes up to now count
  /// as processed afterwards, in both cases.
  ///
  /// Changes of this process are left out if they directly follow the last processed one; its views have
  /// received them from the transaction itself. If another process wrote in between, the result contains them
  /// again.
  ///
  /// - Throws: `DocumentError` with the code `damaged` if a row can't be decoded; `SQLiteError`.
  /// - Complexity: O(1) if there are no changes; otherwise O(n) in their number.
  func changesSinceLastRead() throws -> Set<ResourcePath>? {
    let newest = try Self.newest(reader)
    guard newest != lastSeen else { return [] }
    defer { lastSeen = newest }
    let oldest = try reader.first("SELECT first FROM changes ORDER BY sequence LIMIT 1") { $0.integer(0) }
    if let oldest, oldest > lastSeen + 1 { return nil }
    var paths: Set<ResourcePath> = []
    try reader.forEachRow("SELECT documents FROM changes WHERE sequence > ?", [.integer(lastSeen)]) { row in
      for entry in try DocumentCoding.decode(row.blob(0)).entries {
        guard let collection = Int64(decimal: entry.name), case .array(let names) = entry.value else {
          continue
        }
        for case .string(let name) in names {
          paths.insert(try collections.path(of: collection).appending(name))
        }
      }
      return true
    }
    return paths
  }
}

extension ChangeLog: TransactionParticipant {
  func transactionBegins(_ transaction: WriteTransaction, at state: DatabaseState) {
    (documents, names, isOfEverything) = (collectsDocuments ? [:] : nil, [:], false)
    range = (state.newestChange, state.newestChange)
  }

  func transactionWillCommit(_ transaction: WriteTransaction) throws {
    range.last = try append(after: range.first, in: transaction)
  }

  func transactionCommitted() {
    // This process has seen its own changes; those of other processes are read later.
    if range.first == lastSeen { lastSeen = range.last }
    (documents, names) = (nil, [:])
  }

  func transactionRolledBack() { (documents, names) = (nil, [:]) }
}
