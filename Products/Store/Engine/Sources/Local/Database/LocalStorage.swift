import TenonDocuments
package import TenonFoundation
package import TenonStoreInterop

/// The result of an operation that changes documents, from which the views are updated without reading the
/// documents again.
package struct LocalOutcome<Result> {
  /// The result of the operation itself.
  package let result: Result
  /// The changed documents in their current state, `nil` for deleted ones; empty if changes aren't tracked.
  /// Documents that garbage collection deleted at the end of the same transaction aren't among them; no view
  /// shows those.
  let changes: [ResourcePath: StoredDocument?]
}

/// The persistence layer of the sync engine. ``LocalDatabase`` is the only implementation; tests wrap it in
/// one that fails.
///
/// A method that returns a ``LocalOutcome`` is atomic: it is one transaction, which is applied completely or
/// not at all, and durable when the method returns. The engine confines the storage to its executor; no
/// method may be called concurrently with another.
///
/// All methods that throw may throw `SQLiteError`, and ``StoreError`` with ``StoreError/Code/dataLoss`` or
/// `DocumentError` with the code `damaged` if a row can't be decoded. Only further errors are listed with a
/// method.
package protocol LocalStorage: AnyObject {
  /// Whether documents are synchronized with a remote. Otherwise the documents on this device are
  /// authoritative.
  var hasRemote: Bool { get }
  /// The ID of the user whose writes are shown and sent; `nil` if no user is signed in. ``changeUser(to:)``
  /// changes it.
  var user: String? { get }
  /// Returns whether documents of collections with an ID are authoritative on this device: all of them
  /// without a remote, otherwise those of collections that exist only on this device.
  func isFinal(_ collectionID: String) -> Bool
  /// Whether operations return the documents that they change. If no view needs them, they aren't kept in
  /// memory. Setting it takes effect with the next transaction.
  var tracksChanges: Bool { get set }

  // MARK: - Targets and views

  /// Returns the target to listen to, with the ID that it had before or a new one. Active targets are found
  /// in memory; otherwise the target becomes active, and a new one is saved. Call ``saveRelease(ofTarget:)``
  /// and ``deactivateTarget(_:)`` when it is no longer needed.
  func allocateTarget(_ target: SyncTarget) throws -> TargetData
  /// Saves the state of a target that is no longer used. If documents are collected eagerly, the target is
  /// deleted instead, and its documents are released. It has no effect if the target isn't active.
  func saveRelease(ofTarget id: Int) throws
  /// Stops listening to a target, in memory only. It resumes from its saved state the next time.
  func deactivateTarget(_ id: Int)
  /// Returns the documents of a view; see ``LocalReader/result(of:target:)``.
  func result(of query: ViewQuery, target: TargetData?) throws -> LocalResult
  /// Returns the documents that follow a document in a query; see
  /// ``LocalReader/documents(of:beyond:limit:)``.
  func documents(of query: ViewQuery, beyond document: StoredDocument, limit: Int) throws -> [StoredDocument]?
  /// Records which documents views have started and stopped showing, and which targets have complete results.
  /// These changes are saved with the next transaction, so that listeners don't wait for the disk; eager
  /// collection runs one immediately if a document is no longer shown.
  ///
  /// - Parameter changes: one element for each view that changed.
  func viewsChanged(_ changes: [LocalViewChange]) throws
  /// Returns the documents that changed since the last call, in this process or another, in their current
  /// state; `nil` if there are so many changes that everything must be read again. Changes that this process
  /// has made and returned are omitted if no other process wrote before them.
  func changesSinceLastRead() throws -> [ResourcePath: StoredDocument?]?

  /// Returns whether this device knows nothing of a document: the remote has neither sent it nor reported it
  /// as missing, or a process has evicted or collected it since.
  func isUnknown(_ path: ResourcePath) throws -> Bool

  // MARK: - Writes

  /// Commits writes that need no confirmation by a remote, if `isAllowed` returns `true` within their
  /// transaction.
  ///
  /// - Parameters:
  ///   - writes: the writes, applied in order.
  ///   - time: the time at which the writes are made.
  ///   - isAllowed: called first, while no other process can write.
  /// - Returns: whether the writes were committed.
  /// - Throws: ``StoreError`` if a precondition doesn't hold: ``StoreError/Code/notFound``,
  ///   ``StoreError/Code/alreadyExists`` or ``StoreError/Code/failedPrecondition``; `DocumentError` if a
  ///   result isn't a valid document; what `isAllowed` throws.
  func commit(
    _ writes: [DocumentWrite], at time: Timestamp, if isAllowed: () throws -> Bool
  ) throws -> LocalOutcome<Bool>
  /// Appends the writes that `make` returns within the transaction to the queue.
  ///
  /// - Parameters:
  ///   - time: the time at which the writes are made.
  ///   - make: returns the writes; `nil` to enqueue nothing.
  ///   - check: called with each write and the overlay to which it is applied; throws if the write isn't
  ///     allowed.
  /// - Returns: the batch; `nil` if `make` returned `nil`.
  /// - Throws: what `make` and `check` throw; `DocumentError` if a result isn't a valid document.
  func enqueue(
    at time: Timestamp, making make: () throws -> [PendingWrite]?,
    checking check: (DocumentOverlay, DocumentWrite) throws -> Void
  ) throws -> LocalOutcome<PendingBatch?>
  /// Appends writes of any user to the queue, unless it already contains a batch with the ID. The current
  /// user remains current.
  ///
  /// - Parameters:
  ///   - writes: the writes.
  ///   - user: the ID of their user; `nil` for the signed-out user.
  ///   - time: the time at which the writes were made.
  ///   - uuid: the unique ID of the batch, which makes repetitions harmless while the batch is queued.
  /// - Returns: the number of documents written to; 0 if the batch was already queued.
  func restore(
    _ writes: [PendingWrite], of user: String?, at time: Timestamp, uuid: UUID
  ) throws -> LocalOutcome<Int>
  /// Removes batches that the remote has committed, and updates the documents with the results, in one
  /// transaction. A batch that is no longer in the queue, for example because another process has removed it,
  /// is passed over.
  ///
  /// - Parameter answers: the answers to batches of the current user, in the order of the batches.
  func acknowledge(_ answers: [CommittedBatch]) throws -> LocalOutcome<Void>
  /// Removes a batch that the remote has rejected, and undoes its effect. It has no effect if the batch is no
  /// longer in the queue.
  ///
  /// - Parameters:
  ///   - batch: a batch of the current user.
  ///   - error: the remote's reason.
  ///   - isListed: whether the batch is kept with the reason until the app has dismissed it.
  func reject(
    _ batch: PendingBatch, _ error: StoreRemoteError, isListed: Bool
  ) throws -> LocalOutcome<Void>
  /// Removes a batch that hasn't been sent, undoes its effect, and records the cancellation for other
  /// processes.
  ///
  /// - Parameters:
  ///   - batch: a batch of the current user.
  ///   - time: the current time; cancellations are kept for a day.
  /// - Returns: whether it was in the queue.
  func cancel(_ batch: PendingBatch, at time: Timestamp) throws -> LocalOutcome<Bool>
  /// Switches to another user, whose pending writes are shown and sent from then on. The documents to which
  /// either user writes are recomputed.
  ///
  /// - Parameter user: the user's ID; `nil` for the signed-out user.
  func changeUser(to user: String?) throws -> LocalOutcome<Void>

  /// Returns the current user's first batch with an ID greater than `id`; `nil` if there is none. 0 precedes
  /// all IDs.
  func nextBatch(after id: Int64) throws -> PendingBatch?
  /// Returns the ID of the current user's newest batch; 0 if there is none.
  func newestBatch() throws -> Int64
  /// Returns the ID of the current user's oldest batch; `nil` if there is none.
  func oldestBatch() throws -> Int64?
  /// Returns whether a batch of any user is still pending.
  func hasBatch(_ id: Int64) throws -> Bool
  /// Returns a batch of any user that was rejected or cancelled; `nil` if it was neither.
  func rejection(_ uuid: UUID) throws -> RejectedBatch?
  /// Returns the last stream token of the current user's write stream; `nil` if there is none.
  func writeToken() throws -> Data?
  /// Saves the stream token of the current user's write stream; `nil` removes it, so that the next stream
  /// begins without one.
  func saveWriteToken(_ token: Data?) throws

  // MARK: - The remote

  /// Checks that the database can be written, by committing a small transaction. Readers of the database see
  /// no change.
  func checkWritable() throws
  /// Returns the timestamp of the last consistent snapshot of all targets; 0 if there was none.
  func lastRemoteVersion() throws -> Timestamp
  /// Saves the documents and target changes that the remote sent, in one transaction.
  func save(_ event: RemoteEvent) throws -> LocalOutcome<Void>

  // MARK: - Bundles

  /// Returns whether the bundle, or a newer one with the same ID, was already loaded.
  func hasLoaded(_ bundle: Bundle) throws -> Bool
  /// Saves the documents of a bundle, all or none, as members of a target that belongs to the bundle. The
  /// target is allocated in a separate transaction before.
  ///
  /// - Parameters:
  ///   - bundle: the bundle.
  ///   - report: called with the number of documents saved so far, after every hundred. The transaction isn't
  ///     committed by then.
  /// - Throws: `CancellationError` if the task is cancelled; nothing was saved then.
  func saveDocuments(of bundle: Bundle, reporting report: (Int) -> Void) throws -> LocalOutcome<Void>
  /// Saves the named queries of a bundle, each in a separate transaction. Loading is complete only after
  /// ``markLoaded(_:)``; until then a repetition saves them again, with the same result.
  ///
  /// - Throws: ``StoreError`` if a query can't be decoded.
  func saveQueries(of bundle: Bundle) throws
  /// Records that a bundle has been loaded, so that ``hasLoaded(_:)`` returns `true` for it and for older
  /// ones with its ID.
  func markLoaded(_ bundle: Bundle) throws
}
