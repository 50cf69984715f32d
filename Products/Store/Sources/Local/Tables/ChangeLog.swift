import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// The documents that changed, for listeners in all processes: one row per transaction, in the table `changes`.
///
/// Every change has a number. A row has the numbers from `first` to `sequence`.
final class ChangeLog {
  /// The number of changes that are kept; a listener that is further behind reads its query again.
  static let kept: Int64 = 20_000

  private let reader: DatabaseReader
  private let collections: CollectionTable
  /// The newest change that the owner knows.
  private var lastSeen: Int64
  /// The newest change before the open transaction, and its own newest one.
  private var range: (first: Int64, last: Int64) = (0, 0)
  /// The ids of the documents that the open transaction changed, by the numbers of their collections.
  private var names: [Int64: [String]] = [:]
  /// The documents that the open transaction changed, as they are now; `nil` if they aren't collected.
  private var documents: [ResourcePath: StoredDocument?]?
  /// Whether the changed documents are collected; otherwise only their names are, for other processes.
  var collectsDocuments = true

  init(_ reader: DatabaseReader, collections: CollectionTable) throws {
    self.reader = reader
    self.collections = collections
    lastSeen = try Self.newest(reader)
  }

  /// The number of the newest change; 0 if there was none.
  private static func newest(_ reader: DatabaseReader) throws -> Int64 {
    try reader.first("SELECT max(sequence) FROM changes") { $0.integer(0) } ?? 0
  }

  // MARK: - The open transaction

  /// The documents that the open transaction has changed so far; none if they aren't collected.
  var changedDocuments: [ResourcePath: StoredDocument?] { documents ?? [:] }

  /// Makes room for a number of changes.
  func reserveCapacity(_ count: Int) { documents?.reserveCapacity(count) }

  /// Adds what users see of a document from now on; `nil` for a deleted one.
  func add(_ document: StoredDocument?, at path: ResourcePath, in collection: Int64) {
    let isKnown = documents?.updateValue(document, forKey: path) != nil
    if !isKnown { names[collection, default: []].append(path.id) }
  }

  /// Writes the row of a transaction.
  ///
  /// - Parameter last: the number of the newest change before it.
  /// - Returns: the number of the newest change now.
  private func append(after last: Int64, in transaction: WriteTransaction) throws -> Int64 {
    let count = names.reduce(0) { $0 + $1.value.count }
    guard count > 0 else { return last }
    let documents = Fields(names.reduce(into: [:]) { $0["\($1.key)"] = .array($1.value.map(Value.string)) })
    let newest = last + Int64(count)
    try transaction.run(
      "INSERT INTO changes (sequence, first, documents) VALUES (?, ?, ?)",
      [.integer(newest), .integer(last + 1), .blob(DocumentCoding.encode(documents))])
    // Once per thousand changes is enough, whatever the size of the transactions.
    if newest / 1000 != last / 1000 {
      try transaction.run("DELETE FROM changes WHERE sequence <= ?", [.integer(newest - Self.kept)])
    }
    return newest
  }

  // MARK: - Changes of other processes

  /// Returns the documents that changed since the last call, in this process or another; `nil` if there are so many changes
  /// that the log no longer has all of them, and everything has to be read again.
  func changesSinceLastRead() throws -> Set<ResourcePath>? {
    let newest = try Self.newest(reader)
    guard newest != lastSeen else { return [] }
    defer { lastSeen = newest }
    let oldest = try reader.first("SELECT first FROM changes ORDER BY sequence LIMIT 1") { $0.integer(0) }
    if let oldest, oldest > lastSeen + 1 { return nil }
    var paths: Set<ResourcePath> = []
    try reader.forEachRow("SELECT documents FROM changes WHERE sequence > ?", [.integer(lastSeen)]) { row in
      for entry in try DocumentCoding.decode(row.blob(0)).entries {
        guard let collection = Int64(entry.name), case .array(let names) = entry.value else { continue }
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
    (documents, names) = (collectsDocuments ? [:] : nil, [:])
    range = (state.newestChange, state.newestChange)
  }

  func transactionWillCommit(_ transaction: WriteTransaction) throws {
    range.last = try append(after: range.first, in: transaction)
  }

  func transactionCommitted() {
    // The owner learns of its own changes at once; those of other processes are read later.
    if range.first == lastSeen { lastSeen = range.last }
    (documents, names) = (nil, [:])
  }

  func transactionRolledBack() { (documents, names) = (nil, [:]) }
}
