import TenonDocuments
package import TenonFoundation
import TenonSQLite
package import TenonStoreEngine
import TenonStoreInterop
package import TenonValues

/// Writes to the file of a database from outside an app, which may have it open: imports documents, and
/// cancels queued writes.
///
/// Nothing else is changed: neither the declared indexes nor how documents are shared. A file of another
/// version isn't opened. Not `Sendable`, and each method waits for the disk.
package final class StoreEditor {
  /// The result of importing documents.
  package struct Imported: Sendable {
    /// The number of documents that are final, because they exist only on this device.
    package fileprivate(set) var final = 0
    /// The number of documents whose writes were queued for the remote.
    package fileprivate(set) var queued = 0
  }

  /// The outcome of a cancellation.
  package enum Cancellation: Sendable {
    /// The batch was removed from the queue, and its effect was undone.
    case cancelled
    /// The batch isn't in the queue: it was answered or cancelled, or never existed.
    case unknown
    /// A process is sending writes of the database, and may have sent this one.
    case beingSent
    /// It may have reached the remote, which hasn't answered yet.
    case sent
  }

  private let path: String
  private let connection: Connection
  private let local: LocalDatabase
  private let time = TimeSource.system

  /// The user whose writes an import queues; `nil` for the signed-out user.
  package var user: String? { local.user }

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - key: the key of an encrypted database; `nil` if it isn't encrypted.
  /// - Throws: ``StoreError``, as ``StoreInspector/inspect(_:key:_:)``.
  package init(_ path: String, key: EncryptionKey? = nil) throws {
    let isShared = try StoreInspector.inspect(path, key: key) { $0.reader.hasRemote }
    self.path = Connection.followingLinks(path)
    do {
      connection = try StoreFile(path: path, key: key?.key).open()
      local = try LocalDatabase(
        connection, hasRemote: isShared, collection: .leastRecentlyUsed(threshold: nil))
      try local.tables.localCollections.load()
      if isShared { try local.tables.users.load() }
    } catch { throw StoreError.wrapping(error) }
    local.tracksChanges = false
  }

  /// Whether documents of a collection with an ID are final on this device. Writes of others are queued.
  package func isFinal(_ collectionID: String) -> Bool { local.isFinal(collectionID) }

  /// Sets documents, whose other fields are removed. Those that are final are written in one transaction;
  /// the others become one batch in the queue of the current user, which the remote applies completely or not
  /// at all.
  ///
  /// - Parameter documents: the documents, which satisfy Firestore's rules.
  /// - Returns: the numbers of documents written and queued, which survive a power failure.
  /// - Throws: ``StoreError``. The queued ones may have been written before the final ones couldn't be.
  package func set(_ documents: [(path: ResourcePath, fields: Fields)]) throws -> Imported {
    let writes = documents.map { DocumentWrite($0.path, .set($0.fields)) }
    let final = writes.filter { isFinal($0.document.parent?.id ?? "") }
    let queued = final.count == writes.count ? [] : writes.filter { !isFinal($0.document.parent?.id ?? "") }
    do {
      if !queued.isEmpty {
        _ = try local.enqueue(at: time.timestamp(), making: { BatchContent(queued) }, checking: { _, _ in })
      }
      if !final.isEmpty { _ = try local.commit(final, at: time.timestamp(), if: { true }) }
    } catch { throw StoreError.wrapping(error) }
    return Imported(final: final.count, queued: queued.count)
  }

  /// Removes a batch of any user from the queue, and undoes its effect on this device. An app that waits for
  /// its confirmation receives the cancellation.
  ///
  /// - Parameter id: the ID of the batch.
  /// - Throws: ``StoreError``.
  package func cancel(_ id: UUID) throws -> Cancellation {
    let lease = FileLock("\(path)-queue")
    let isAcquired: Bool
    do { isAcquired = try lease.acquire() } catch {
      throw StoreError(.unavailable, "\(lease.path) can't be locked. Make it writable.", underlying: error)
    }
    do {
      guard isAcquired else { return try local.hasBatch(id) ? .beingSent : .unknown }
      defer { lease.release() }
      return switch try local.cancel(id, at: time.timestamp()) {
      case true?: .cancelled
      case false?: .sent
      case nil: .unknown
      }
    } catch { throw StoreError.wrapping(error) }
  }

  /// Moves the log into the file, as far as no app reads it.
  package func finish() { _ = try? connection.trimLog() }
}
