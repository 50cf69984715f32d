import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreEngine
import TenonStoreInterop

/// A storage whose operations fail when a script requests it (`failDatabase`).
///
/// Operations are identified by the names of their transactions in the official clients. All others are
/// passed to the database.
final class FaultyStorage: LocalStorage {
  let database: LocalDatabase
  private let path: String?
  /// The names of the operations that currently fail.
  var failing: Set<String> = []

  /// Creates a storage without failures.
  ///
  /// - Parameters:
  ///   - database: the underlying database.
  ///   - path: the path of the database's file, for errors; `nil` if it is in memory.
  init(_ database: LocalDatabase, path: String?) {
    self.database = database
    self.path = path
  }

  /// Throws a disk I/O error if an operation is to fail.
  private func attempt(_ name: String) throws {
    guard failing.contains(name) else { return }
    throw SQLiteError(
      code: .io, message: "disk I/O error, as the script says", resultCode: 10, sql: nil, path: path)
  }

  var hasRemote: Bool { database.hasRemote }
  var user: String? { database.user }
  func isFinal(_ collectionID: String) -> Bool { database.isFinal(collectionID) }

  var tracksChanges: Bool {
    get { database.tracksChanges }
    set { database.tracksChanges = newValue }
  }

  // MARK: - Targets and views

  func allocateTarget(_ target: SyncTarget) throws -> TargetData {
    // An active target is in memory, so allocating it again doesn't access the database.
    if database.activeID(of: target) == nil { try attempt("Allocate target") }
    return try database.allocateTarget(target)
  }

  func saveRelease(ofTarget id: Int) throws {
    try attempt("Release target")
    try database.saveRelease(ofTarget: id)
  }

  func deactivateTarget(_ id: Int) { database.deactivateTarget(id) }

  func result(of query: ViewQuery, target: TargetData?) throws -> LocalResult {
    try attempt("Execute query")
    return try database.result(of: query, target: target)
  }

  func documents(
    of query: ViewQuery, beyond document: StoredDocument, limit: Int
  ) throws -> [StoredDocument]? {
    try attempt("Execute query")
    return try database.documents(of: query, beyond: document, limit: limit)
  }

  func viewsChanged(_ changes: [LocalViewChange]) throws {
    try attempt("notifyLocalViewChanges")
    try database.viewsChanged(changes)
  }

  func changesSinceLastRead() throws -> [ResourcePath: StoredDocument?]? {
    try database.changesSinceLastRead()
  }

  func isUnknown(_ path: ResourcePath) throws -> Bool { try database.isUnknown(path) }

  // MARK: - Writes

  func commit(
    _ writes: [DocumentWrite], at time: Timestamp, if isAllowed: () throws -> Bool
  ) throws -> LocalOutcome<Bool> {
    try attempt("Locally write mutations")
    return try database.commit(writes, at: time, if: isAllowed)
  }

  func enqueue(
    at time: Timestamp, making make: () throws -> [PendingWrite]?,
    checking check: (DocumentOverlay, DocumentWrite) throws -> Void
  ) throws -> LocalOutcome<PendingBatch?> {
    try attempt("Locally write mutations")
    return try database.enqueue(at: time, making: make, checking: check)
  }

  func restore(
    _ writes: [PendingWrite], of user: String?, at time: Timestamp, uuid: UUID
  ) throws -> LocalOutcome<Int> {
    try attempt("Locally write mutations")
    return try database.restore(writes, of: user, at: time, uuid: uuid)
  }

  func acknowledge(_ answers: [CommittedBatch]) throws -> LocalOutcome<Void> {
    try attempt("Acknowledge batch")
    return try database.acknowledge(answers)
  }

  func reject(
    _ batch: PendingBatch, _ error: StoreRemoteError, isListed: Bool
  ) throws -> LocalOutcome<Void> {
    try attempt("Reject batch")
    return try database.reject(batch, error, isListed: isListed)
  }

  func cancel(_ batch: PendingBatch, at time: Timestamp) throws -> LocalOutcome<Bool> {
    try database.cancel(batch, at: time)
  }

  func changeUser(to user: String?) throws -> LocalOutcome<Void> {
    try attempt("Handle user change")
    return try database.changeUser(to: user)
  }

  func nextBatch(after id: Int64) throws -> PendingBatch? {
    try attempt("Get next mutation batch")
    return try database.nextBatch(after: id)
  }

  func newestBatch() throws -> Int64 {
    try attempt("Get highest unacknowledged batch id")
    return try database.newestBatch()
  }

  func oldestBatch() throws -> Int64? { try database.oldestBatch() }
  func hasBatch(_ id: Int64) throws -> Bool { try database.hasBatch(id) }
  func rejection(_ uuid: UUID) throws -> RejectedBatch? { try database.rejection(uuid) }
  func writeToken() throws -> Data? { try database.writeToken() }

  func saveWriteToken(_ token: Data?) throws {
    try attempt("Set last stream token")
    try database.saveWriteToken(token)
  }

  // MARK: - The remote

  // The official clients check by reading the version whether the database works.
  func checkWritable() throws {
    try attempt("Get last remote snapshot version")
    try database.checkWritable()
  }

  func lastRemoteVersion() throws -> Timestamp {
    try attempt("Get last remote snapshot version")
    return database.lastRemoteVersion()
  }

  func save(_ event: RemoteEvent) throws -> LocalOutcome<Void> {
    try attempt("Apply remote event")
    return try database.save(event)
  }

  // MARK: - Bundles

  func hasLoaded(_ bundle: TenonStoreEngine.Bundle) throws -> Bool { try database.hasLoaded(bundle) }

  func saveDocuments(
    of bundle: TenonStoreEngine.Bundle, reporting report: (Int) -> Void
  ) throws -> LocalOutcome<Void> {
    try attempt("Save bundle")
    return try database.saveDocuments(of: bundle, reporting: report)
  }

  func saveQueries(of bundle: TenonStoreEngine.Bundle) throws {
    try attempt("Save named query")
    try database.saveQueries(of: bundle)
  }

  func markLoaded(_ bundle: TenonStoreEngine.Bundle) throws { try database.markLoaded(bundle) }
}
