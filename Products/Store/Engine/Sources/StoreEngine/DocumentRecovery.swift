import TenonCore
import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonValues

/// The result of recovering documents from a damaged file.
public struct RecoveredDocuments: Sendable, Hashable {
  /// The number of documents written to the current database.
  public let saved: Int
  /// Whether the whole file was readable. If not, documents may be missing, and their number can't be
  /// determined.
  public let isComplete: Bool
}

extension StoreEngine {
  /// Moves the damaged file to another name, and ends all listeners; see ``Store/setAsideDamagedFile()``.
  ///
  /// The database is closed before the file is moved, so that listeners and tasks that wait for confirmations
  /// receive an error with ``StoreError/Code/dataLoss``, also if the file can't be moved. If it was moved,
  /// the next operation opens a new, empty database at the same path.
  ///
  /// - Returns: the new path of the file.
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` if the database is in memory or
  ///   intact, in which case it stays open, or one of another program, and with
  ///   ``StoreError/Code/unavailable`` if another process has the file open; the error with which the
  ///   database was closed permanently; the error of the file system if the file can't be moved.
  /// - Complexity: O(n) in the size of the file, all of which is checked.
  package func setAsideDamagedFile() async throws -> String {
    try await loadKey()
    do {
      guard let path = file.path else {
        throw StoreError(.failedPrecondition, "The database is in memory; there is no file to set aside.")
      }
      if case .over(let error) = state { throw error }
      if case .open(let running) = state { try running.connection.checkPlace() }
      guard try file.isDamaged() else {
        throw StoreError(
          .failedPrecondition,
          "The database \(path) is sound and was left where it is; nothing needs to be set aside.")
      }
      disconnect(StoreError(.dataLoss, "The database \(path) is damaged and is being set aside."))
      let aside: String
      do { aside = try file.setAside(path, at: configuration.time.date()) } catch {
        // They belong to the database that was closed, and would receive nothing from the next one.
        endListeners(
          throwing: StoreError(
            .dataLoss,
            "The damaged database \(path) was closed, but couldn't be set aside. Set it aside, and listen again."
          ))
        throw error
      }
      configuration.logger.error("The damaged database \(path) was set aside as \(aside).")
      endListeners(
        throwing: StoreError(.dataLoss, "The damaged database was set aside as \(aside). Listen again."))
      return aside
    } catch {
      throw StoreError.wrapping(error)
    }
  }

  /// Recovers what can be read from a file that was set aside: in a local-only database, the documents that
  /// don't exist here; otherwise the pending writes and such documents of collections that exist only on this
  /// device, because the remote has the others.
  ///
  /// The file isn't changed. Recovery can be repeated after an error: documents that exist and writes that
  /// are queued are skipped.
  ///
  /// - Parameter path: the path that ``setAsideDamagedFile()`` returned.
  /// - Returns: the number of recovered documents, and whether everything could be read.
  /// - Throws: ``StoreError`` with ``StoreError/Code/notFound`` if there is no such file; errors of copying
  ///   and reading the file, and of writing to this database; `CancellationError`. What was recovered before
  ///   the error is kept.
  package func recoverDocuments(from path: String) async throws -> RecoveredDocuments {
    try await useAsUser { running in
      guard FileManager.default.fileExists(atPath: path) else {
        throw StoreError(.notFound, "There is no file \(path) to recover documents from.")
      }
      let recovery = DocumentRecovery(local: running.local, sync: running.sync)
      return try StoreFile.withCopy(of: path, key: file.key) { try recovery.recover(from: $0, isSound: $1) }
    }
  }
}

/// Recovers documents and pending writes from a damaged database.
///
/// It reads a copy of the damaged file, and writes to the open database in several transactions. Rows that
/// can't be read or decoded are skipped; see ``SalvagedRows`` for the order in which they are read.
struct DocumentRecovery {
  let local: LocalDatabase
  let sync: SyncEngine

  /// Recovers the documents or the pending writes, depending on whether this database has a remote.
  ///
  /// - Parameters:
  ///   - copy: a copy of the damaged database.
  ///   - isSound: whether SQLite finds no damage in it.
  /// - Returns: the number of recovered documents, and whether everything could be read.
  /// - Throws: errors of reading the copy and of writing to this database, except damage that is found while
  ///   the copy is read; `CancellationError`.
  func recover(from copy: Connection, isSound: Bool) throws -> RecoveredDocuments {
    let hasDeclarations = try declareLocalCollections(of: copy)
    guard local.hasRemote else {
      let documents = try recoverDocuments(from: copy, isSound: isSound) { _ in true }
      return RecoveredDocuments(
        saved: documents.saved, isComplete: documents.isComplete && hasDeclarations)
    }
    let queue = try recoverQueue(from: copy, isSound: isSound)
    let documents = try recoverDocuments(from: copy, isSound: isSound) { local.isFinal($0.parent?.id ?? "") }
    return RecoveredDocuments(
      saved: queue.saved + documents.saved,
      isComplete: queue.isComplete && documents.isComplete && hasDeclarations)
  }

  /// Declares the collections that exist only on this device according to the copy.
  ///
  /// - Returns: whether all of them could be read, and none has documents of the remote here.
  private func declareLocalCollections(of copy: Connection) throws -> Bool {
    do {
      // Older files have no such table.
      let exists = try copy.first("SELECT 1 FROM sqlite_schema WHERE name = 'local_collections'") { _ in true
      }
      guard exists ?? false else { return true }
      let ids = try copy.rows("SELECT collection_id FROM local_collections") { $0.text(0) }
      try local.declareLocalCollections(adding: Set(ids))
      return true
    } catch let error as SQLiteError where SalvagedRows.isDamage(error) {
      return false
    } catch let error as StoreError where error.underlying is LocalCollections.Conflict {
      return false
    }
  }

  /// Recovers the documents that satisfy a condition and don't exist here, in groups of 500 per commit.
  ///
  /// An existing document is never overwritten, even if the one in the copy is newer. Recovered documents
  /// count as created now, because they are written again.
  private func recoverDocuments(
    from copy: Connection, isSound: Bool, where isWanted: (ResourcePath) -> Bool
  ) throws -> RecoveredDocuments {
    var saved = 0
    var pending: [DocumentWrite] = []
    func save() throws {
      _ = try sync.commit(pending)
      saved += pending.count
      pending = []
    }
    let scan = try StoredDocumentScan(copy) { path, fields in
      try Task.checkCancellation()
      guard isWanted(path), try local.reader.document(path) == nil else { return }
      pending.append(DocumentWrite(path, .set(fields)))
      if pending.count == 500 { try save() }
    }
    try save()
    return RecoveredDocuments(saved: saved, isComplete: isSound && scan.isComplete)
  }

  /// Recovers the pending writes of all users, in their order.
  ///
  /// Batches keep their unique IDs, times and users, and are appended to the present queue, each in a
  /// separate transaction. A batch that is already queued is skipped. The count is that of the documents
  /// written to, once per batch.
  private func recoverQueue(from copy: Connection, isSound: Bool) throws -> RecoveredDocuments {
    var rows: [(id: Int64, user: String, uuid: UUID?, time: Int64, content: Data)] = []
    let hasAllPages = try SalvagedRows.forEach("user, uuid, time, content", of: "batches", in: copy) { row in
      rows.append((row.integer(0), row.text(1), UUID(uuidString: row.text(2)), row.integer(3), row.blob(4)))
    }
    var saved = 0
    var isComplete = isSound && hasAllPages
    for row in rows.sorted(by: { $0.id < $1.id }) {
      guard let uuid = row.uuid, let content = try? WriteCoding.decode(row.content) else {
        isComplete = false
        continue
      }
      let user = row.user.isEmpty ? nil : row.user
      saved += try sync.restore(
        content, of: user, at: Timestamp(microsecondsSince1970: row.time), uuid: uuid)
    }
    return RecoveredDocuments(saved: saved, isComplete: isComplete)
  }
}
