import TenonCore
package import TenonFoundation
import TenonSQLite
import TenonValues

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(ucrt)
  import ucrt
#endif

/// Works on the incomplete copy of a database for one backup or restoration, on a dedicated queue, so that
/// neither the operations of the database nor the threads of the cooperative pool wait for the disk.
///
/// ``removeDraft()`` must be called at the end.
package actor BackupWorker {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let executor = QueueExecutor(label: "tenon-store-backup")
  private let configuration: StoreEngine.Configuration
  /// The key of the database and of the copy; `nil` if they aren't encrypted.
  private let key: DatabaseKey?
  private var draft: DraftDirectory?

  /// The number of bytes of a file that are copied in one step.
  private static let chunkSize = 1 << 18
  /// The first bytes of every SQLite database (https://sqlite.org/fileformat.html#the_database_header).
  private static let signature = Data("SQLite format 3\0".utf8)
  /// The first bytes of an encrypted database.
  private static let encryptedSignature = Data("Tenon encrypted\0".utf8)

  /// Creates a worker without a copy.
  ///
  /// - Parameters:
  ///   - configuration: the configuration of the database that is backed up or restored.
  ///   - key: the key of that database; `nil` if it isn't encrypted.
  package init(_ configuration: StoreEngine.Configuration, key: EncryptionKey?) {
    self.configuration = configuration
    self.key = key?.key
  }

  /// Creates the directory of the copy.
  ///
  /// - Parameter target: the file beside which the directory is created; that of the database by default, or
  ///   a file for temporary files if the database is in memory.
  /// - Returns: the path at which the copy is created.
  /// - Throws: the error of the file system.
  package func makeDraft(beside target: URL? = nil) throws -> URL {
    let database = configuration.path.map { URL(filePath: $0) }
    let target =
      target ?? database ?? FileManager.default.temporaryDirectory.appending(path: "tenon-store-\(UUID())")
    let draft = try DraftDirectory(beside: target, configuration.logger)
    self.draft = draft
    return draft.copy
  }

  /// Removes the copy, if there is one.
  package func removeDraft() {
    draft?.remove()
    draft = nil
  }

  // MARK: - Backups

  /// Checks that a file can become a backup, before anything is copied.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the URL isn't that of a file, or if
  ///   a directory, another kind of file, or a database in use is at the path.
  package func checkTarget(_ url: URL) throws {
    guard url.isFileURL else {
      throw StoreError(
        .invalidArgument, "\(url.absoluteString) isn't the URL of a file, to which a backup can be written.")
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
    guard let type = attributes?[.type] as? FileAttributeType else { return }
    guard type == .typeRegular else {
      throw StoreError(
        .invalidArgument,
        "\(url.path) isn't a regular file, so a backup can't replace it. Choose another path.")
    }
    try checkNotInUse(url)
  }

  /// Checks that a file is neither this database nor another one that is open or wasn't closed, both of which
  /// have a log.
  private func checkNotInUse(_ url: URL) throws {
    let own = configuration.path.map { URL(filePath: $0).resolvingSymlinksInPath().path }
    guard url.resolvingSymlinksInPath().path != own,
      !FileManager.default.fileExists(atPath: url.path + "-wal")
    else {
      throw StoreError(
        .invalidArgument,
        "\(url.path) is a database in use, not a backup. Choose another path, or copy that database with backup(to:)."
      )
    }
  }

  /// Copies the database from its file to the draft, while others read and write it.
  ///
  /// - Parameters:
  ///   - path: the path of the database, which is open.
  ///   - copy: the path of the copy.
  ///   - report: called with the number of copied bytes and that of all.
  /// - Throws: `SQLiteError`; `CancellationError`.
  package func copyDatabase(_ path: String, to copy: URL, reporting report: (Int64, Int64) -> Void) throws {
    let source = try Connection.open(path, disk: configuration.disk, key: key)
    let target = try Connection.makeCopy(at: copy.path, checksums: source.hasChecksums, key: key)
    try source.copy(into: target) { completed, total in
      try Task.checkCancellation()
      report(completed, total)
    }
    try target.finishCopy()
  }

  /// Reads a finished copy back: its structure, the checksum of each page, its schema and its documents.
  ///
  /// - Parameters:
  ///   - copy: the path of the copy, which no connection has open.
  ///   - location: the place of the backup, for errors.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the copy isn't intact; `SQLiteError`;
  ///   `CancellationError`.
  package func summary(of copy: URL, named name: String) throws -> BackupSummary {
    let summary: BackupSummary
    do {
      // Adds checksums to the copy of a database in memory, which has none.
      let connection = try StoreFile(path: copy.path, key: key, logger: configuration.logger).open()
      summary = try Self.check(connection, copy)
      try connection.finishCopy()
    } catch let error as StoreError where error.code == .dataLoss {
      throw StoreError(
        .dataLoss,
        "\(name) can't be written: what was copied can't be read back. "
          + "Check the disk, and whether setAsideDamagedFile() finds the database damaged.", underlying: error
      )
    }
    let size = try OpenFile(reading: copy).size()
    return BackupSummary(
      size: size, documents: summary.documents, pendingWrites: summary.pendingWrites,
      schemaVersion: summary.schemaVersion)
  }

  /// Moves a copy that was read back to its place, which makes it durable there.
  ///
  /// - Throws: `SystemError`.
  package func move(_ copy: URL, to target: URL) throws { try OpenFile.replace(target, with: copy) }

  // MARK: - Restorations

  /// Copies a backup from a file to the draft. The file isn't opened by SQLite, and isn't changed.
  ///
  /// - Parameters:
  ///   - url: the file.
  ///   - copy: the path of the copy.
  ///   - report: called with the number of copied bytes and that of all.
  /// - Throws: ``StoreError`` with ``StoreError/Code/notFound`` if there is no such file, and with
  ///   ``StoreError/Code/invalidArgument`` if it can't be a backup; `SystemError`; `CancellationError`.
  package func fetch(_ url: URL, to copy: URL, reporting report: (Int64, Int64) -> Void) throws {
    guard url.isFileURL else {
      throw StoreError(
        .invalidArgument, "\(url.absoluteString) isn't the URL of a file from which to restore.")
    }
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else {
      throw StoreError(.notFound, "There is no file \(url.path) to restore the database from.")
    }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw StoreError(
        .invalidArgument, "\(url.path) isn't a regular file. Restore from the file of a backup.")
    }
    try checkNotInUse(url)
    let source = try OpenFile(reading: url)
    let total = try source.size()
    try source.seek(to: 0)
    let target = try OpenFile(creating: copy)
    var completed: Int64 = 0
    while true {
      try Task.checkCancellation()
      let chunk = try source.bytes(upTo: Self.chunkSize)
      if chunk.isEmpty { return }
      try target.append(chunk)
      completed += Int64(chunk.count)
      report(completed, total)
    }
  }

  /// Checks a backup that was fetched, and brings it into the form in which this database is opened: its
  /// schema becomes the present one, and it becomes shared or local-only. Everything that can fail because of
  /// the backup fails here.
  ///
  /// - Parameters:
  ///   - copy: the path of the fetched backup.
  ///   - name: the backup in messages.
  ///   - formerKey: the key of the backup, if it isn't the one of the database, which replaces it.
  ///   - user: the signed-in user's ID; `nil` if no user is signed in.
  ///   - isUserKnown: whether `user` is known.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if it isn't a database of Store, with
  ///   ``StoreError/Code/dataLoss`` if it is damaged, and with ``StoreError/Code/failedPrecondition`` if it
  ///   was written by a newer version or belongs to a remote and this database is local-only; `SQLiteError`;
  ///   `CancellationError`.
  package func prepare(
    _ copy: URL, named name: String, writtenWith formerKey: EncryptionKey? = nil, user: String?,
    isUserKnown: Bool
  ) throws -> BackupSummary {
    let size = try OpenFile(reading: copy).size()
    do {
      if let key, let formerKey { try replaceKey(of: copy, formerKey.key, with: key) }
      try checkKind(copy, name)
      let connection = try StoreFile(path: copy.path, key: key, logger: configuration.logger).open()
      guard connection.hasChecksums else {
        throw StoreError(
          .resourceExhausted, "\(name) can't be restored: there isn't enough space.")
      }
      let checked = try Self.check(connection, copy)
      _ = try LocalDatabase(
        connection, sharing: configuration.sharing, user: user, isUserKnown: isUserKnown,
        localCollections: configuration.settings.localCollections, now: configuration.time.timestamp())
      return BackupSummary(
        size: size, documents: checked.documents, pendingWrites: checked.pendingWrites,
        schemaVersion: checked.schemaVersion)
    } catch {
      throw Self.restorationError(error, name)
    }
  }

  /// Replaces the key of a fetched backup. No effect if it is encrypted with another key, or not encrypted.
  private func replaceKey(of copy: URL, _ formerKey: DatabaseKey, with key: DatabaseKey) throws {
    do { try Connection.open(copy.path, disk: nil, key: formerKey).replaceKey(with: key) } catch let error
      as SQLiteError
      where [.keyWrong, .notEncrypted].contains(error.code)
    {}
  }

  /// Checks that a file is a database of Store, of a version that can be read.
  private func checkKind(_ copy: URL, _ name: String) throws {
    let head = try OpenFile(reading: copy).bytes(upTo: Self.signature.count)
    guard head == Self.signature || head == Self.encryptedSignature else { throw Self.foreign(name) }
    let connection = try Connection.open(
      copy.path, disk: nil, key: head == Self.encryptedSignature ? key : nil)
    guard try connection.first("PRAGMA quick_check(1)", [], { $0.text(0) }) == "ok" else {
      throw StoreError.damaged(copy.path, "its structure is inconsistent")
    }
    let version = try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0
    let tables = Set(
      try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") { $0.text(0) })
    guard version != 0, tables.isSuperset(of: ["documents", "collections"]) else {
      throw Self.foreign(name)
    }
  }

  /// Reads a whole database.
  ///
  /// - Returns: the numbers; the size is 0.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if it isn't intact; `SQLiteError`;
  ///   `CancellationError`.
  private static func check(_ connection: Connection, _ copy: URL) throws -> BackupSummary {
    try Task.checkCancellation()
    guard try connection.first("PRAGMA integrity_check(1)", [], { $0.text(0) }) == "ok" else {
      throw StoreError.damaged(copy.path, "its structure is inconsistent")
    }
    var documents = 0
    let scan = try StoredDocumentScan(connection) { _, _ in
      documents += 1
      if documents % 256 == 0 { try Task.checkCancellation() }
    }
    guard scan.isComplete else { throw StoreError.damaged(copy.path, "documents in it can't be read") }
    return BackupSummary(
      size: 0, documents: documents,
      pendingWrites: Int(
        clamping: try connection.first("SELECT count(*) FROM batches") { $0.integer(0) } ?? 0),
      schemaVersion: Int(clamping: try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0))
  }

  // MARK: - Errors

  private static func foreign(_ name: String) -> StoreError {
    StoreError(
      .invalidArgument,
      "\(name) isn't a backup of a Store database. Restore from what backup(to:) has written."
    )
  }

  /// Returns the error for a backup that can't be restored. The errors of the layers below name the draft,
  /// which no longer exists when a user reads them.
  private static func restorationError(_ error: any Error, _ name: String) -> any Error {
    func damaged(_ reason: String) -> StoreError {
      StoreError(
        .dataLoss,
        "\(name) is damaged, and wasn't restored: \(reason). Nothing was changed. Use another backup.",
        underlying: error)
    }
    switch error {
    case let error as SQLiteError where [.keyMissing, .keyWrong].contains(error.code):
      return StoreError(
        .encryptionKey,
        "\(name) can't be restored, because \(error.message). Nothing was changed. "
          + "Restore it into a database that has the key with which it was written.", underlying: error)
    case let error as SQLiteError where error.code == .newerSchema:
      return StoreError(
        .failedPrecondition,
        "\(name) can't be restored: \(error.message). Nothing was changed.", underlying: error
      )
    case let error as SQLiteError where [.damaged, .misuse].contains(error.code):
      return damaged(error.message)
    case let error as StoreError where error.underlying is LocalCollections.Conflict:
      return StoreError(
        .failedPrecondition,
        "\(name) can't be restored, and nothing was changed. \(error.message)",
        underlying: error.underlying)
    case let error as StoreError where error.code == .dataLoss: return damaged("its content is inconsistent")
    case let error as StoreError where error.code == .failedPrecondition:
      return StoreError(
        .failedPrecondition,
        "\(name) can't be restored: it is shared through a remote, and this database is local-only. "
          + "Restore it into a database with a remote.", underlying: error)
    default: return error
    }
  }
}

extension StoreError {
  /// Returns the error that users see for an error of a backup or a restoration.
  ///
  /// - Parameters:
  ///   - what: what has failed, without a full stop, for example `The backup /mnt/a can't be written`.
  ///   - error: the error. Errors of Store and cancellations are returned unchanged.
  package static func ofBackup(_ what: String, _ error: any Error) -> any Error {
    switch error {
    case is StoreError, is CancellationError: return error
    case let error as SQLiteError where error.code == .full: return full(what, error)
    case let error as SQLiteError:
      let known = wrapping(error) as? StoreError
      return StoreError(known?.code ?? .internal, "\(what): \(error.message).", underlying: error)
    case let error as SystemError where error.code == ENOSPC: return full(what, error)
    case let error as SystemError:
      return StoreError(.unavailable, "\(what): \(error.reason).", underlying: error)
    case let error as CocoaError where error.code == .fileWriteOutOfSpace: return full(what, error)
    case let error as CocoaError:
      let reason = error.systemCallReason ?? "the file system has refused it"
      return StoreError(.unavailable, "\(what): \(reason).", underlying: error)
    default: return wrapping(error)
    }
  }

  /// Returns the error for a full disk.
  private static func full(_ what: String, _ error: any Error) -> StoreError {
    StoreError(.resourceExhausted, "\(what): the disk is full. Nothing was changed.", underlying: error)
  }
}
