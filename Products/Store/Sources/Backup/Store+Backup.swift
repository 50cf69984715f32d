import TenonCore
import TenonFoundation
import TenonStorageInterop
import TenonStoreEngine

/// Backups of a database, in files and in Storage.
extension Store {
  /// Writes a consistent copy of the database to a file or to Storage, while others read and write it.
  ///
  /// ```swift
  /// try await store.backup(to: .file(URL(filePath: "/mnt/notes.sqlite")))
  /// let summary = try await store.backup(to: .storage(path: "backups/ann.sqlite")) {
  ///   print($0.fractionCompleted)
  /// }
  /// ```
  ///
  /// The backup contains the whole database at the time of the call: the documents and cached documents, the
  /// pending and rejected writes of **all** users who have signed in on this device, and the indexes. It
  /// contains no credentials. It is encrypted with the key of the database if that is encrypted; otherwise
  /// anyone who can read the file can read all documents. It is one file, an SQLite database.
  ///
  /// The copy is made by SQLite's online backup in a read transaction: writers don't wait, and the copy never
  /// starts over. The write-ahead log keeps growing while it is made. The copy is then read back, with the
  /// checksums of all pages, and only then moved to its place, where it replaces a former file atomically, or
  /// uploaded. After an error, a cancellation or the end of the process, the previous file or object is still
  /// there; what a killed process has left is removed by the next backup to the same file.
  ///
  /// - Parameters:
  ///   - location: the file or the object of Storage, which is replaced if it exists. A copy for Storage
  ///     needs space beside the database until it is uploaded.
  ///   - onProgress: called with the progress on an unspecified thread, at least every 256 KiB while the copy
  ///     is made. The backup waits for it.
  /// - Returns: what the backup contains.
  /// - Throws: ``StoreError`` with ``StoreError/Code/unavailable`` if the file can't be written, or the
  ///   location is in Storage and the product TenonStorage isn't linked; with
  ///   ``StoreError/Code/resourceExhausted`` if the disk is full; with ``StoreError/Code/invalidArgument`` if
  ///   the path is that of a directory or of a database in use; with ``StoreError/Code/dataLoss`` if the
  ///   database is damaged; with ``StoreError/Code/encryptionKey`` if it is encrypted and its key can't be
  ///   obtained; with ``StoreError/Code/unknown`` and Storage's error if the upload fails.
  ///   `CancellationError`.
  @discardableResult
  public func backup(
    to location: BackupLocation, onProgress: (@Sendable (OperationProgress) -> Void)? = nil
  ) async throws -> BackupSummary {
    let storage = try storage(for: location, "can't be written")
    let worker = BackupWorker(engine.configuration, key: try await engine.encryptionKey())
    do {
      let summary = try await makeBackup(worker, location, storage, onProgress)
      await worker.removeDraft()
      return summary
    } catch {
      await worker.removeDraft()
      throw StoreError.ofBackup("\(location.description) can't be written", error)
    }
  }

  /// Replaces the content of the database by that of a backup.
  ///
  /// The backup is fetched and checked completely before anything is changed: its structure, the checksums of
  /// all pages, its schema and its documents. Backups of older versions of this library are converted. The
  /// content is then replaced in one transaction, so that the end of the process or a power failure leaves
  /// either the old or the new content; other operations of this process wait until it ends. Listeners
  /// receive the difference as their next snapshot.
  ///
  /// Everything since the backup is lost, including pending writes that aren't in the backup. Pending writes
  /// of the backup are sent again, except those that this database knows to have been answered or cancelled
  /// since. A database that doesn't know that, because it is on another device or its files were deleted,
  /// sends all of them. Tenon's own remotes recognize a write that they have committed; with Cloud Firestore,
  /// a write without a precondition, for example an increment, takes effect again then.
  ///
  /// The content is encrypted if this database is, whether or not the backup was.
  ///
  /// No other process may have the database open, because it would continue with values of the previous
  /// content.
  ///
  /// - Parameters:
  ///   - location: the file or the object of Storage, which isn't changed. A copy needs space beside the
  ///     database, and the write-ahead log grows by the size of the backup.
  ///   - key: the key of an encrypted backup that was written before the key of this database was replaced;
  ///     `nil`, the default, if it has the key of this database or isn't encrypted.
  ///   - onProgress: called with the progress on an unspecified thread. The restoration waits for it.
  /// - Returns: what was restored; its number of pending writes includes those that aren't sent again.
  /// - Throws: ``StoreError`` with ``StoreError/Code/notFound`` if there is no such file or object; with
  ///   ``StoreError/Code/invalidArgument`` if it isn't a database of Store, or is one in use; with
  ///   ``StoreError/Code/dataLoss`` if the backup is damaged, or the present database is; with
  ///   ``StoreError/Code/failedPrecondition`` if the backup was written by a newer version, or belongs to a
  ///   remote and this database is local-only; with ``StoreError/Code/encryptionKey`` if the backup is
  ///   encrypted with another key than this database and `key`; with ``StoreError/Code/unavailable`` if
  ///   another process has the database open, or the location is in Storage and the product TenonStorage
  ///   isn't linked; with ``StoreError/Code/resourceExhausted`` if the disk is full; with
  ///   ``StoreError/Code/unknown`` and Storage's error if the download fails. `CancellationError`. Nothing
  ///   was changed in any of these cases.
  @discardableResult
  public func restore(
    from location: BackupLocation, key: EncryptionKey? = nil,
    onProgress: (@Sendable (OperationProgress) -> Void)? = nil
  ) async throws -> BackupSummary {
    let storage = try storage(for: location, "can't be read")
    let worker = BackupWorker(engine.configuration, key: try await engine.encryptionKey())
    do {
      let summary = try await restoreBackup(worker, location, key, storage, onProgress)
      await worker.removeDraft()
      return summary
    } catch {
      await worker.removeDraft()
      throw StoreError.ofBackup("\(location.description) can't be restored", error)
    }
  }

  /// Returns the provider of Storage for a location; `nil` if it is a file.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/unavailable`` if it isn't linked; the error of the app's
  ///   container.
  private func storage(for location: BackupLocation, _ problem: String) throws -> (any StorageInterop)? {
    guard case .storage = location else { return nil }
    if let storage = try engine.configuration.storage() { return storage }
    throw StoreError(
      .unavailable,
      "\(location.description) \(problem), because no linked library provides Storage. Link the product TenonStorage, "
        + "or use a file: .file(url).")
  }

  /// Copies the database, checks the copy, and brings it to its place.
  private func makeBackup(
    _ worker: BackupWorker, _ location: BackupLocation, _ storage: (any StorageInterop)?,
    _ onProgress: (@Sendable (OperationProgress) -> Void)?
  ) async throws -> BackupSummary {
    let meter = BackupProgressMeter(steps: storage == nil ? 1 : 2, onProgress)
    let copy: URL
    if case .file(let target) = location {
      try await worker.checkTarget(target)
      copy = try await worker.makeDraft(beside: target)
    } else {
      copy = try await worker.makeDraft()
    }
    try await engine.prepareBackup()
    if let path = engine.configuration.path {
      try await worker.copyDatabase(path, to: copy) { meter.report($0, of: $1, in: 0) }
    } else {
      try await engine.copyMemory(to: copy) { meter.report($0, of: $1, in: 0) }
    }
    let summary = try await worker.summary(of: copy, named: location.description)
    try Task.checkCancellation()
    switch location {
    case .file(let target): try await worker.move(copy, to: target)
    case .storage(let path, let bucket):
      do {
        try await storage?.upload(
          contentsOf: copy, to: path, bucket: bucket, contentType: "application/vnd.sqlite3",
          progress: { meter.report($0, of: $1, in: 1) })
      } catch { throw Self.storageError("\(location.description) can't be uploaded", error) }
    }
    return summary
  }

  /// Fetches a backup, checks and converts it, and replaces the content of the database.
  private func restoreBackup(
    _ worker: BackupWorker, _ location: BackupLocation, _ key: EncryptionKey?,
    _ storage: (any StorageInterop)?, _ onProgress: (@Sendable (OperationProgress) -> Void)?
  ) async throws -> BackupSummary {
    let meter = BackupProgressMeter(steps: 2, onProgress)
    let (user, isUserKnown) = try await engine.prepareRestoration()
    let copy = try await worker.makeDraft()
    switch location {
    case .file(let url): try await worker.fetch(url, to: copy) { meter.report($0, of: $1, in: 0) }
    case .storage(let path, let bucket):
      let exists: Bool?
      do {
        exists = try await storage?.download(
          path, bucket: bucket, to: copy, progress: { meter.report($0, of: $1, in: 0) })
      } catch { throw Self.storageError("\(location.description) can't be downloaded", error) }
      guard exists == true else { throw StoreError(.notFound, "\(location.description) doesn't exist.") }
    }
    let summary = try await worker.prepare(
      copy, named: location.description, writtenWith: key, user: user, isUserKnown: isUserKnown)
    try Task.checkCancellation()
    try await engine.replaceContent(with: copy) { meter.report($0, of: $1, in: 1) }
    return summary
  }

  /// Returns the error of a failed transfer.
  private static func storageError(_ what: String, _ error: any Error) -> any Error {
    if error is CancellationError { return error }
    return StoreError(.unknown, "\(what): \(error)", underlying: error)
  }
}
