import TenonCore
package import TenonFoundation
import TenonSQLite
import TenonValues

/// The steps of backups and restorations that need the open database.
extension StoreEngine {
  /// Opens the database if necessary, and gives its queue an identity, by which a restoration recognizes
  /// which pending writes were answered since. If that fails, for example because the disk is full, all of
  /// them are sent again.
  ///
  /// - Throws: ``StoreError``.
  package func prepareBackup() async throws {
    try await loadKey()
    try use { running in
      guard running.local.hasRemote else { return }
      do { try running.local.identify() } catch let error as SQLiteError where error.mayPass {
        configuration.logger.warning("The backup can't be marked as belonging to its database: \(error)")
      }
    }
  }

  /// Copies a database in memory to a file. Other operations wait until it ends.
  ///
  /// - Parameters:
  ///   - copy: the path of the file, which doesn't exist.
  ///   - report: called with the number of copied bytes and that of all.
  /// - Throws: `SQLiteError`; ``StoreError``; `CancellationError`.
  package func copyMemory(to copy: URL, reporting report: @Sendable (Int64, Int64) -> Void) throws {
    let running = try running()
    if let key {
      try running.connection.encrypt(into: copy.path, key: key.key)
      return
    }
    let target = try Connection.makeCopy(at: copy.path, checksums: false)
    try running.connection.copy(into: target) { completed, total in
      try Task.checkCancellation()
      report(completed, total)
    }
    try target.finishCopy()
  }

  /// Opens the database if necessary, and returns the user of the backup.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
  package func prepareRestoration() async throws -> (user: String?, isKnown: Bool) {
    try await useAsUser { _ in }
    return (session.user, session.isKnown)
  }

  /// Replaces the content of the database by that of a prepared backup, in one transaction of its file. Other
  /// operations wait until it ends, and then see the new content, as do listeners.
  ///
  /// The database is closed and opened again, because its parts keep values of the tables in memory. For the
  /// same reason no other process may have it open. Tasks that wait for confirmations receive an error.
  ///
  /// - Parameters:
  ///   - copy: the prepared backup.
  ///   - report: called with the number of copied bytes and that of all.
  /// - Throws: ``StoreError`` with ``StoreError/Code/unavailable`` if another connection has the file open;
  ///   `SQLiteError`; the error with which the database was closed permanently; `CancellationError`. The
  ///   content is unchanged then, and listeners continue.
  package func replaceContent(with copy: URL, reporting report: @Sendable (Int64, Int64) -> Void) throws {
    // Opens the database, which reports damage, and delivers what listeners haven't received yet.
    staysOffline = try running().sync.remote?.isDisabled ?? false
    updateViews()
    let connection = try StoreFile(path: copy.path, key: key?.key).open()
    guard let path else { return try replaceMemory(with: connection, reporting: report) }
    disconnect(Self.replaced)
    let result = Result { try replaceFile(path, with: connection, reporting: report) }
    reopen()
    try result.get()
  }

  /// Replaces the content of the file. The connection that locks it is closed when this returns.
  ///
  /// - Throws: as ``replaceContent(with:reporting:)``.
  private func replaceFile(
    _ path: String, with copy: Connection, reporting report: (Int64, Int64) -> Void
  ) throws {
    let target: Connection
    do { target = try Connection.openExclusively(path, disk: configuration.disk, key: key?.key) } catch let
      error
      as SQLiteError
      where error.code == .busy
    {
      throw StoreError(
        .unavailable,
        "The database \(path) can't be restored, because another process has it open, or it is being backed up. "
          + "Close it there, and restore it again. Nothing was changed.",
        underlying: error)
    }
    // Read while no other connection can write.
    try continueQueue(in: copy, after: try QueueHistory(target))
    try copy.copy(into: target) { completed, total in
      try Task.checkCancellation()
      report(completed, total)
    }
  }

  /// The error of tasks that wait for confirmations.
  private static let replaced = StoreError(
    .cancelled,
    "The database was restored from a backup while the confirmation of a write was awaited. "
      + "The write is sent only if the backup contains it.")

  /// Replaces a database in memory. The new one exists only while its connection is open.
  private func replaceMemory(
    with copy: Connection, reporting report: (Int64, Int64) -> Void
  ) throws {
    let history = try QueueHistory(try running().connection)
    try continueQueue(in: copy, after: history)
    disconnect(Self.replaced)
    _ = try running { try copy.copy(into: $0, reporting: report) }
    reopen()
  }

  /// Removes the pending writes of a backup that were answered since; see
  /// ``LocalDatabase/continueQueue(_:after:)``.
  private func continueQueue(in copy: Connection, after present: QueueHistory) throws {
    let restored = try QueueHistory(copy)
    guard configuration.sharing != .localOnly else { return }
    let local = try LocalDatabase(
      copy, sharing: configuration.sharing, user: session.user, isUserKnown: session.isKnown,
      now: configuration.time.timestamp())
    try local.continueQueue(restored, after: present)
  }

  /// Opens the database after a restoration, and moves listeners and streams to it. If that fails, they end
  /// with the error.
  private func reopen() {
    foreignChanges.stop()
    do {
      let running = try running()
      listeners.move(to: running.sync)
      rejections.deliver(from: running.local)
      if !listeners.isEmpty || !rejections.isEmpty { startPolling(running) }
    } catch {
      endListeners(throwing: StoreError.wrapping(error))
    }
  }
}
