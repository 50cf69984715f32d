import TenonDocuments
package import TenonStoreInterop

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The result of an operation that changes documents.
package struct LocalOutcome<Result> {
  package let result: Result
  /// The changed documents in their current state, `nil` for deleted ones; empty if changes are not tracked.
  let changes: [ResourcePath: StoredDocument?]
}

/// The persistence layer of the sync engine. Each method is atomic: it is applied completely or not at all.
///
/// ``LocalDatabase`` is the only implementation; tests wrap it in one that fails.
package protocol LocalStorage: AnyObject {
  /// Whether documents are synchronized with a remote. Otherwise the documents on this device are authoritative.
  var hasRemote: Bool { get }
  /// The ID of the user whose writes are shown and sent; `nil` if no user is signed in.
  var user: String? { get }
  /// Whether operations return the documents that they change.
  var tracksChanges: Bool { get set }

  // MARK: - Targets and views

  /// Returns the target to listen to, with the ID that it had before or a new one.
  func allocateTarget(_ target: SyncTarget) throws -> TargetData
  /// Saves the state of a target that is no longer used.
  func saveRelease(ofTarget id: Int) throws
  /// Stops listening to a target. It resumes from its saved state the next time.
  func deactivateTarget(_ id: Int)
  /// Returns the documents of a view; see ``LocalReader/result(of:target:)``.
  func result(of query: ViewQuery, target: TargetData?) throws -> LocalResult
  /// Returns the documents that follow a document in a query; see ``LocalReader/documents(of:beyond:limit:)``.
  func documents(of query: ViewQuery, beyond document: StoredDocument, limit: Int) throws -> [StoredDocument]?
  /// Records which documents views have started and stopped showing, and which targets have complete results. These changes are
  /// saved with the next transaction, so that listeners do not wait for the disk.
  func viewsChanged(_ changes: [LocalViewChange]) throws
  /// Returns the documents that changed since the last call, in this process or another, in their current state; `nil` if there
  /// are so many changes that everything must be read again.
  func changesSinceLastRead() throws -> [ResourcePath: StoredDocument?]?

  // MARK: - Writes

  /// Commits writes that need no confirmation by a remote, if `isAllowed` returns `true` within their transaction.
  ///
  /// - Returns: whether the writes were committed.
  /// - Throws: ``StoreError`` if a precondition does not hold.
  func commit(
    _ writes: [DocumentWrite], at time: Timestamp, if isAllowed: () throws -> Bool
  ) throws -> LocalOutcome<Bool>
  /// Appends the writes that `make` returns within the transaction to the queue.
  ///
  /// - Parameters:
  ///   - time: the time at which the writes are made.
  ///   - make: returns the writes; `nil` to enqueue nothing.
  ///   - check: called with each write and the overlay to which it is applied; throws if the write is not allowed.
  /// - Returns: the batch; `nil` if `make` returned `nil`.
  func enqueue(
    at time: Timestamp, making make: () throws -> [DocumentWrite]?,
    checking check: (DocumentOverlay, DocumentWrite) throws -> Void
  ) throws -> LocalOutcome<PendingBatch?>
  /// Appends writes of any user to the queue, unless it already contains a batch with the ID.
  ///
  /// - Returns: the number of documents written to; 0 if the batch was already queued.
  func restore(
    _ writes: [DocumentWrite], of user: String?, at time: Timestamp, uuid: UUID
  ) throws -> LocalOutcome<Int>
  /// Removes a batch that the remote has committed, and updates the documents with the results.
  func acknowledge(_ batch: PendingBatch, _ commit: RemoteCommit, token: Data?) throws -> LocalOutcome<Void>
  /// Removes a batch that the remote has rejected, and undoes its effect.
  ///
  /// - Parameters:
  ///   - batch: the batch.
  ///   - error: the remote's reason.
  ///   - isListed: whether the batch is kept with the reason until the app has dismissed it.
  func reject(
    _ batch: PendingBatch, _ error: StoreRemoteError, isListed: Bool
  ) throws -> LocalOutcome<Void>
  /// Removes a batch that has not been sent, and undoes its effect.
  ///
  /// - Returns: whether it was in the queue.
  func cancel(_ batch: PendingBatch, at time: Timestamp) throws -> LocalOutcome<Bool>
  /// Switches to another user, whose pending writes are shown and sent from then on.
  func changeUser(to user: String?) throws -> LocalOutcome<Void>

  /// Returns the current user's first batch with an ID greater than `id`; `nil` if there is none.
  func nextBatch(after id: Int64) throws -> PendingBatch?
  /// Returns the ID of the current user's newest batch; 0 if there is none.
  func newestBatch() throws -> Int64
  /// Returns the ID of the current user's oldest batch; `nil` if there is none.
  func oldestBatch() throws -> Int64?
  /// Returns whether a batch is still pending.
  func hasBatch(_ id: Int64) throws -> Bool
  /// Returns a batch of any user that was rejected or cancelled; `nil` if it was neither.
  func rejection(_ uuid: UUID) throws -> RejectedBatch?
  /// Returns the last stream token of the current user's write stream.
  func writeToken() throws -> Data?
  /// Saves the stream token of the current user's write stream.
  func saveWriteToken(_ token: Data?) throws

  // MARK: - The remote

  /// Returns the timestamp of the last consistent snapshot.
  func lastRemoteVersion() throws -> Timestamp
  /// Saves the documents and target changes that the remote sent.
  func save(_ event: RemoteEvent) throws -> LocalOutcome<Void>

  // MARK: - Bundles

  /// Returns whether the bundle, or a newer one with the same ID, was already loaded.
  func hasLoaded(_ bundle: Bundle) throws -> Bool
  /// Saves the documents of a bundle, all or none.
  ///
  /// - Parameters:
  ///   - bundle: the bundle.
  ///   - report: called with the number of documents saved so far.
  func saveDocuments(of bundle: Bundle, reporting report: (Int) -> Void) throws -> LocalOutcome<Void>
  /// Saves the named queries of a bundle.
  func saveQueries(of bundle: Bundle) throws
  /// Records that a bundle has been loaded.
  func markLoaded(_ bundle: Bundle) throws
}
