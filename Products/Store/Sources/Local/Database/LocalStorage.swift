import TenonDocuments
package import TenonStoreInterop

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What an operation that changes documents comes to.
package struct LocalOutcome<Result> {
  package let result: Result
  /// The documents that changed, as they are now; none if changes aren't tracked.
  let changes: [ResourcePath: StoredDocument?]
}

/// The persistence of the sync engine: each function is one operation, which is done wholly or not at all.
///
/// ``LocalDatabase`` is the one implementation; tests put one in front of it that fails.
package protocol LocalStorage: AnyObject {
  /// Whether documents come from and go to a remote. Otherwise the documents of this device are the truth.
  var hasRemote: Bool { get }
  /// The user whose writes are shown and sent.
  var user: String? { get }
  /// Whether operations return the documents that they change.
  var tracksChanges: Bool { get set }

  // MARK: - Targets and views

  /// Returns a target to listen to, under the id that it had before or a new one.
  func allocateTarget(_ target: SyncTarget) throws -> TargetData
  /// Saves the state of a target that isn't needed any more.
  func saveRelease(ofTarget id: Int) throws
  /// Ends listening to a target, which continues from its saved state the next time.
  func deactivateTarget(_ id: Int)
  /// Returns the documents of a view; see ``LocalReader/result(of:target:)``.
  func result(of query: ViewQuery, target: TargetData?) throws -> LocalResult
  /// Returns the documents that follow one in a query; see ``LocalReader/documents(of:beyond:limit:)``.
  func documents(of query: ViewQuery, beyond document: StoredDocument, limit: Int) throws -> [StoredDocument]?
  /// Records which documents views have begun and ceased to show, and which targets' results are complete. What has to be saved is
  /// saved with the next change, so that listeners don't wait for the disk.
  func viewsChanged(_ changes: [LocalViewChange]) throws
  /// Returns the documents that changed since the last call, in this process or another, as they are now; `nil` if there are so
  /// many changes that everything has to be read again.
  func changesSinceLastRead() throws -> [ResourcePath: StoredDocument?]?

  // MARK: - Writes

  /// Commits writes that no remote has to confirm, if `isAllowed` returns true in their transaction.
  ///
  /// - Returns: whether they were made.
  func commit(
    _ writes: [DocumentWrite], at time: Timestamp, if isAllowed: () throws -> Bool
  ) throws -> LocalOutcome<Bool>
  /// Appends the writes that `make` returns in their transaction to the queue.
  ///
  /// - Parameter check: gets each write with the overlay to which it is applied, and throws if it can't be made.
  /// - Returns: the batch; `nil` if `make` returned `nil`.
  func enqueue(
    at time: Timestamp, making make: () throws -> [DocumentWrite]?,
    checking check: (DocumentOverlay, DocumentWrite) throws -> Void
  ) throws -> LocalOutcome<PendingBatch?>
  /// Appends writes of any user to the queue, unless it has a batch of that id.
  ///
  /// - Returns: the number of documents.
  func restore(
    _ writes: [DocumentWrite], of user: String?, at time: Timestamp, uuid: UUID
  ) throws -> LocalOutcome<Int>
  /// Removes a batch that the remote has committed.
  func acknowledge(_ batch: PendingBatch, _ commit: RemoteCommit, token: Data?) throws -> LocalOutcome<Void>
  /// Removes a batch that the remote has rejected, and undoes its effect.
  func reject(
    _ batch: PendingBatch, _ error: StoreRemoteError, isListed: Bool
  ) throws -> LocalOutcome<Void>
  /// Removes a batch that wasn't sent, and undoes its effect.
  ///
  /// - Returns: whether it was in the queue.
  func cancel(_ batch: PendingBatch, at time: Timestamp) throws -> LocalOutcome<Bool>
  /// Shows and sends the writes of another user.
  func changeUser(to user: String?) throws -> LocalOutcome<Void>

  /// Returns the next batch of the user after one; the first one after 0.
  func nextBatch(after id: Int64) throws -> PendingBatch?
  /// Returns the id of the user's newest batch; 0 if there is none.
  func newestBatch() throws -> Int64
  /// Returns the id of the user's oldest batch; `nil` if there is none.
  func oldestBatch() throws -> Int64?
  /// Returns whether a batch is still pending.
  func hasBatch(_ id: Int64) throws -> Bool
  /// Returns a batch of any user that was rejected or cancelled; `nil` if it was neither.
  func rejection(_ uuid: UUID) throws -> RejectedBatch?
  /// Returns the last token of the user's write stream.
  func writeToken() throws -> Data?
  func saveWriteToken(_ token: Data?) throws

  // MARK: - The remote

  /// Returns the timestamp of the last consistent snapshot.
  func lastRemoteVersion() throws -> Timestamp
  /// Saves what the remote sent.
  func save(_ event: RemoteEvent) throws -> LocalOutcome<Void>

  // MARK: - Bundles

  /// Returns whether this bundle, or a newer one of the same id, was loaded already.
  func hasLoaded(_ bundle: Bundle) throws -> Bool
  /// Saves the documents of a bundle, all or none.
  func saveDocuments(of bundle: Bundle, reporting report: (Int) -> Void) throws -> LocalOutcome<Void>
  func saveQueries(of bundle: Bundle) throws
  /// Records that a bundle has been loaded.
  func markLoaded(_ bundle: Bundle) throws
}
