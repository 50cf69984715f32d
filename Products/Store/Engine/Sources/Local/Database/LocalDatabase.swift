package import TenonFoundation
package import TenonSQLite
package import TenonStoreInterop

/// An open database: its tables, and the operations that span several tables, each in one transaction.
///
/// The structs to which the methods delegate (``LocalCommit``, ``WriteQueueing``, ``BatchResolution``,
/// ``RemoteEventSaving``, ``BundleLoading``) contain the rules; this class contains the transaction
/// boundaries. A method that returns a ``LocalOutcome`` is one transaction, which is applied completely or
/// not at all, and durable when the method returns.
///
/// Not `Sendable`: its owner confines it to one isolation domain. ``StoreEngine`` owns it while the database
/// is open; in-memory state, such as the documents that views show, is lost when it is released.
///
/// All methods that throw may throw `SQLiteError`, and ``StoreError`` with ``StoreError/Code/dataLoss`` or
/// `DocumentError` with the code `damaged` if a row can't be decoded. Methods that throw other errors list
/// them.
package final class LocalDatabase {
  /// Whether documents are synchronized with a remote. Otherwise the documents on this device are
  /// authoritative.
  package let hasRemote: Bool
  /// Whether the database can only be read. All writes throw; see ``Transactions/write(_:)``.
  let isReadOnly: Bool
  /// Runs all transactions of the connection.
  let transactions: Transactions
  /// Performs reads for views, which aren't cancelled.
  let reader: LocalReader
  /// Performs reads that throw when their task is cancelled.
  let cancellableReader: LocalReader
  /// Declares the composite indexes, and builds all indexes.
  let indexBuilding: IndexBuilding
  /// Decides which fields have an index.
  package let fieldIndexing: FieldIndexRegistration

  package let tables: LocalTables
  private let localCommit: LocalCommit
  private let queueing: WriteQueueing
  private let resolution: BatchResolution
  private let events: RemoteEventSaving
  let collector: GarbageCollector
  let loading: BundleLoading

  /// Opens a database whose schema is up to date, and converts it from the way in which it was last opened;
  /// see ``DatabaseOpening``.
  ///
  /// - Parameters:
  ///   - connection: the connection. No other object may write through it.
  ///   - sharing: whether documents are synchronized with a remote.
  ///   - collection: which documents are deleted when nothing uses them.
  ///   - user: the signed-in user's ID; `nil` if no user is signed in.
  ///   - isUserKnown: whether `user` is known; otherwise the last user remains current.
  ///   - localCollections: the collections that exist only on this device; `nil` keeps those declared last.
  ///   - now: the current time, for documents that become pending because the database now has a remote.
  ///   - onCommit: called after each transaction that writes.
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` if the database contains documents
  ///   of a remote and is opened as a local-only one, or if `localCollections` contradicts its documents;
  ///   `SQLiteError`.
  /// - Complexity: O(1) if it was last opened in the same way and by the same user; O(n) in the number of
  ///   documents if a local-only database is opened with a remote for the first time.
  package convenience init(
    _ connection: Connection, sharing: Sharing,
    collection: StoreSettings.GarbageCollection = .leastRecentlyUsed(threshold: nil),
    user: String? = nil, isUserKnown: Bool = true, localCollections: Set<String>? = nil, now: Timestamp,
    onCommit: @escaping () -> Void = {}
  ) throws {
    try self.init(connection, hasRemote: sharing != .localOnly, collection: collection, onCommit: onCommit)
    if connection.isReadOnly {
      try opening().openReadOnly(as: sharing)
    } else {
      try opening().open(
        as: sharing, user: user, isUserKnown: isUserKnown, localCollections: localCollections, at: now)
    }
  }

  /// Reads the tables. The database may not be used before it was opened with ``opening()``.
  ///
  /// - Parameters:
  ///   - connection: the connection.
  ///   - hasRemote: whether documents are synchronized with a remote; only then are transactions numbered.
  ///   - collection: which documents are deleted when nothing uses them.
  ///   - onCommit: called after each transaction that writes.
  /// - Throws: `SQLiteError`.
  package init(
    _ connection: Connection, hasRemote: Bool, collection: StoreSettings.GarbageCollection,
    onCommit: @escaping () -> Void = {}
  ) throws {
    let tables = try LocalTables(connection, collection: collection)
    let overlays = tables.overlays
    self.hasRemote = hasRemote
    isReadOnly = connection.isReadOnly
    self.tables = tables
    collector = GarbageCollector(
      tables.reader, targets: tables.targets, uses: tables.uses, overlays: overlays, pins: tables.pins,
      localCollections: tables.localCollections)
    transactions = try Transactions(
      connection, globals: tables.globals, indexes: tables.indexes, isNumbered: hasRemote,
      // The collector changes documents, so it precedes the tables of entries and changes.
      participants: [
        tables.collections, tables.fields, tables.indexes, tables.users, tables.targets, tables.uses,
        tables.localCollections, tables.pins, collector, tables.entries,
        ExpectedIndexes(tables.indexRequests, changes: tables.changes, collections: tables.collections),
        tables.changes,
      ], onCommit: onCommit)
    reader = LocalReader(tables, transactions, hasRemote: hasRemote, isCancellable: false)
    collector.documents = reader
    cancellableReader = LocalReader(tables, transactions, hasRemote: hasRemote, isCancellable: true)
    indexBuilding = IndexBuilding(
      transactions: transactions, indexes: tables.indexes, documents: tables.documents,
      collections: tables.collections, entries: tables.entries, texts: tables.texts,
      dropped: tables.droppedRows)
    fieldIndexing = FieldIndexRegistration(
      transactions: transactions, indexes: tables.indexes, fields: tables.fields,
      collections: tables.collections, requests: tables.indexRequests)
    localCommit = LocalCommit(
      collections: tables.collections, documents: tables.documents, changes: tables.changes)
    queueing = WriteQueueing(
      documents: tables.documents, queue: tables.queue, users: tables.users, overlays: overlays,
      changes: tables.changes)
    resolution = BatchResolution(
      queue: tables.queue, rejections: tables.rejections, users: tables.users, uses: tables.uses,
      overlays: overlays)
    events = RemoteEventSaving(
      targets: tables.targets, uses: tables.uses, overlays: overlays,
      localCollections: tables.localCollections)
    loading = BundleLoading(bundles: tables.bundles, targets: tables.targets, events: events)
  }

  /// Performs one step of building indexes; see ``IndexBuilding/step(_:)``.
  ///
  /// - Parameter limit: the maximum number of documents to index.
  package func buildIndexes(limit: Int) throws -> Bool { try indexBuilding.step(.documents(limit)) }

  /// Returns the operation that opens the database. It determines whether the database is new.
  ///
  /// - Throws: `SQLiteError`.
  func opening() throws -> DatabaseOpening {
    try DatabaseOpening(tables, transactions: transactions, writes: queueing)
  }

  /// Runs `body` in a transaction, and returns its result with the documents that it changed.
  ///
  /// - Throws: as ``Transactions/write(_:)``.
  func changing<Result>(
    _ body: (WriteTransaction) throws -> Result
  ) throws -> LocalOutcome<Result> {
    try transactions.write { transaction in
      let result = try body(transaction)
      return LocalOutcome(result: result, changes: tables.changes.changedDocuments)
    }
  }

  /// The ID of the user whose writes are shown and sent; `nil` if no user is signed in. ``changeUser(to:)``
  /// changes it.
  package var user: String? { tables.users.current }

  /// Returns whether documents of collections with an ID are authoritative on this device: all of them
  /// without a remote, otherwise those of collections that exist only on this device.
  package func isFinal(_ collectionID: String) -> Bool {
    !hasRemote || tables.localCollections.ids.contains(bytesOf: collectionID)
  }

  /// Returns whether writes are final, because all of them concern collections that exist only on this
  /// device.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if they also concern other
  ///   collections.
  func areFinal(_ writes: [DocumentWrite]) throws -> Bool {
    try !hasRemote || tables.localCollections.containsAll(writes)
  }

  /// Declares further collections as ones that exist only on this device.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition``; see
  ///   ``LocalCollections/declare(_:isShared:in:)``.
  func declareLocalCollections(adding ids: Set<String>) throws {
    let declared = tables.localCollections.ids.union(ids)
    guard declared != tables.localCollections.ids else { return }
    try transactions.write {
      try tables.localCollections.declare(declared, isShared: hasRemote, in: $0)
    }
  }

  /// Whether operations return the documents that they change. If no view needs them, they aren't kept in
  /// memory. Setting it takes effect with the next transaction.
  package var tracksChanges: Bool {
    get { tables.changes.collectsDocuments }
    set { tables.changes.collectsDocuments = newValue }
  }

  // MARK: - Targets and views

  /// Returns the target to listen to, with the ID that it had before or a new one. Active targets are found
  /// in memory; otherwise the target becomes active, and a new one is saved. Call ``saveRelease(ofTarget:)``
  /// and ``deactivateTarget(_:)`` when it is no longer needed.
  package func allocateTarget(_ target: SyncTarget) throws -> TargetData {
    if let data = tables.targets.active(target) { return data }
    return try transactions.write { try tables.targets.activate(target, in: $0) }
  }

  /// Saves the state of a target that is no longer used. If documents are collected eagerly, the target is
  /// deleted instead, and its documents are released. It has no effect if the target isn't active.
  package func saveRelease(ofTarget id: Int) throws {
    guard var data = tables.targets.active(id) else { return }
    try transactions.write { transaction in
      if try tables.uses.collectsEagerly && !tables.pins.contains(data.target) {
        tables.uses.release(try tables.targets.documents(of: id))
        try tables.targets.remove(id, in: transaction)
      } else if try tables.targets.isSaved(id) {
        // Otherwise another process has deleted it with the list of its documents; it is requested again next
        // time.
        data.sequence = transaction.number
        try tables.targets.save(data, in: transaction)
      }
    }
  }

  /// Stops listening to a target, in memory only. It resumes from its saved state the next time.
  package func deactivateTarget(_ id: Int) { tables.targets.deactivate(id) }

  /// Returns the ID of a target that is listened to; `nil` if it isn't.
  package func activeID(of target: SyncTarget) -> Int? { tables.targets.active(target)?.id }

  /// Returns the documents of a view; see ``LocalReader/result(of:target:)``.
  package func result(of query: ListenQuery, target: TargetData?) throws -> LocalResult {
    try reader.result(of: query, target: target)
  }

  /// Returns the documents that follow a document in a query; see
  /// ``LocalReader/documents(of:beyond:limit:)``.
  package func documents(
    of query: ListenQuery, beyond document: StoredDocument, limit: Int
  ) throws -> [StoredDocument]? { try reader.documents(of: query, beyond: document, limit: limit) }

  /// Records which documents views have started and stopped showing, and which targets have complete results.
  /// These changes are saved with the next transaction, so that listeners don't wait for the disk; eager
  /// collection runs one immediately if a document is no longer shown.
  ///
  /// The completeness of a target is recorded in memory: its `completeVersion` becomes the version up to
  /// which its documents are known. It is saved when the target is next saved. If the process ends before
  /// that, the next result of the query is compared with an older version, and contains more documents whose
  /// current state is unknown.
  ///
  /// - Parameter changes: one element for each view that changed.
  package func viewsChanged(_ changes: [LocalViewChange]) throws {
    for change in changes {
      tables.uses.count(change)
      guard !change.isFromCache, var data = tables.targets.active(change.target) else { continue }
      data.completeVersion = data.version
      tables.targets.update(data)
    }
    // With eager collection, the database keeps only what is in use.
    if tables.uses.collectsEagerly, tables.uses.hasUnviewedDocuments, !isReadOnly {
      try transactions.write { _ in }
    }
  }

  /// Returns the documents that changed since the last call, in this process or another, in their current
  /// state; `nil` if there are so many changes that everything must be read again. Changes that this process
  /// has made and returned are omitted if no other process wrote before them.
  package func changesSinceLastRead() throws -> [ResourcePath: StoredDocument?]? {
    try transactions.read {
      guard let paths = try tables.changes.changesSinceLastRead() else { return nil }
      var changes: [ResourcePath: StoredDocument?] = [:]
      for path in paths { changes.updateValue(try reader.document(path), forKey: path) }
      return changes
    }
  }

  /// Marks all changes so far as processed, for callers that read the documents after this.
  func skipChanges() throws { _ = try transactions.read { try tables.changes.changesSinceLastRead() } }

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
  package func commit(
    _ writes: [DocumentWrite], at time: Timestamp, if isAllowed: () throws -> Bool
  ) throws -> LocalOutcome<Bool> {
    try changing { transaction in
      guard try isAllowed() else { return false }
      if hasRemote { try tables.localCollections.check(writes, areFinal: true) }
      try localCommit.commit(writes, at: time, in: transaction)
      return true
    }
  }

  /// Drops a large collection whose deletion is final; see ``CollectionDeletion/drop(_:in:)``. Which documents
  /// have changed isn't collected.
  ///
  /// - Returns: the number of documents; `nil` if nothing was dropped.
  /// - Throws: `SQLiteError`.
  func drop(_ collection: ResourcePath) throws -> Int? {
    // Usually the collection is small, and counting takes no write lock.
    let count = try transactions.read {
      try tables.collections.number(of: collection).map {
        try tables.documents.count(in: $0, limit: CollectionDeletion.droppedSize)
      }
    }
    guard count == CollectionDeletion.droppedSize else { return nil }
    return try transactions.write { try tables.deletion.drop(collection, in: $0) }
  }

  /// Deletes documents of a collection whose documents are final, in one transaction; see
  /// ``CollectionDeletion``.
  ///
  /// - Throws: as ``CollectionDeletion/deletePage(of:after:limit:in:)``.
  func deletePage(
    of collection: ResourcePath, after key: Data, limit: Int = CollectionDeletion.limit
  ) throws -> LocalOutcome<CollectionDeletion.Page> {
    try changing { try tables.deletion.deletePage(of: collection, after: key, limit: limit, in: $0) }
  }

  /// Appends the writes that `make` returns within the transaction to the queue.
  ///
  /// - Parameters:
  ///   - time: the time at which the writes are made.
  ///   - make: returns the writes; `nil` to enqueue nothing.
  ///   - decide: called with the writes and what reads the documents before them; throws if the writes aren't
  ///     allowed. By default, they are.
  ///   - check: called with each write and the overlay to which it is applied; throws if the write isn't
  ///     allowed.
  /// - Returns: the batch; `nil` if `make` returned `nil`.
  /// - Throws: what `make`, `decide` and `check` throw; `DocumentError` if a result isn't a valid document.
  package func enqueue(
    at time: Timestamp, making make: () throws -> BatchContent?,
    deciding decide: (BatchContent, (ResourcePath) throws -> DocumentOverlay?) throws -> Void = { _, _ in },
    checking check: (DocumentOverlay, DocumentWrite) throws -> Void
  ) throws -> LocalOutcome<PendingBatch?> {
    try changing { transaction in
      guard let content = try make() else { return nil }
      try tables.localCollections.check(content.writes, areFinal: false)
      try decide(content) { path in
        // The server has nothing of the collections of this device.
        tables.localCollections.contains(path) ? nil : try tables.overlays.overlay(of: path)
      }
      return try queueing.append(content, at: time, in: transaction, checking: check)
    }
  }

  /// Appends writes of any user to the queue, unless it already contains a batch with the ID. The current
  /// user remains current.
  ///
  /// - Parameters:
  ///   - content: the writes and their conditions.
  ///   - user: the ID of their user; `nil` for the signed-out user.
  ///   - time: the time at which the writes were made.
  ///   - uuid: the unique ID of the batch, which makes repetitions harmless while the batch is queued.
  /// - Returns: the number of documents written to; 0 if the batch was already queued.
  package func restore(
    _ content: BatchContent, of user: String?, at time: Timestamp, uuid: UUID
  ) throws -> LocalOutcome<Int> {
    try changing {
      try tables.localCollections.check(content.writes, areFinal: false)
      return try queueing.restore(content, of: user, at: time, uuid: uuid, in: $0)
    }
  }

  /// Removes batches that the remote has committed, and updates the documents with the results, in one
  /// transaction. A batch that is no longer in the queue, for example because another process has removed it,
  /// is passed over.
  ///
  /// - Parameter answers: the answers to batches of the current user, in the order of the batches.
  package func acknowledge(_ answers: [CommittedBatch]) throws -> LocalOutcome<Void> {
    try changing { try resolution.acknowledge(answers, in: $0) }
  }

  /// Removes a batch that the remote has rejected and the transactions that depend on it, and undoes their
  /// effect. It has no effect if the batch is no longer in the queue.
  ///
  /// - Parameters:
  ///   - batch: a batch of the current user.
  ///   - error: the remote's reason.
  ///   - isListed: returns whether a batch is kept with the reason until the app has dismissed it.
  /// - Returns: the batches that were removed, in queue order.
  package func reject(
    _ batch: PendingBatch, _ error: StoreRemoteError, isListed: (PendingBatch) -> Bool
  ) throws -> LocalOutcome<[RefusedBatch]> {
    try changing { try resolution.reject(batch, error, isListed: isListed, in: $0) }
  }

  /// Removes a batch that hasn't been sent and the transactions that depend on it, undoes their effect, and
  /// records the cancellation for other processes.
  ///
  /// - Parameters:
  ///   - batch: a batch of the current user.
  ///   - time: the current time; cancellations are kept for a day.
  ///   - isListed: returns whether a transaction is kept among the rejected ones until the app has dismissed
  ///     it.
  /// - Returns: the transactions that were removed with it, in queue order; `nil` if it wasn't in the queue.
  package func cancel(
    _ batch: PendingBatch, at time: Timestamp, isListed: (PendingBatch) -> Bool
  ) throws -> LocalOutcome<[RefusedBatch]?> {
    try changing { try resolution.cancel(batch, at: time, isListed: isListed, in: $0) }
  }

  /// Removes a batch of any user as ``cancel(_:at:isListed:)`` does, unless it may have reached the remote.
  /// The current user remains current.
  ///
  /// - Parameters:
  ///   - uuid: the unique ID of the batch.
  ///   - time: the current time.
  /// - Returns: whether it was removed; `nil` if it isn't in the queue.
  package func cancel(_ uuid: UUID, at time: Timestamp) throws -> Bool? {
    try transactions.write { transaction in
      guard let (owner, batch) = try tables.queue.batch(uuid) else { return nil }
      let (user, present) = (owner.isEmpty ? nil : owner, tables.users.current)
      // The writes of other users aren't visible.
      if user != present { try tables.overlays.showWrites(of: user, in: transaction) }
      let isUnsent = try batch.id > tables.users.lastSent()
      if isUnsent { _ = try resolution.cancel(batch, at: time, isListed: { _ in true }, in: transaction) }
      if user != present { try tables.overlays.showWrites(of: present, in: transaction) }
      return isUnsent
    }
  }

  /// Returns whether a batch of any user is in the queue.
  package func hasBatch(_ uuid: UUID) throws -> Bool { try tables.queue.contains(uuid) }

  /// Switches to another user, whose pending writes are shown and sent from then on. The documents to which
  /// either user writes are recomputed.
  ///
  /// - Parameter user: the user's ID; `nil` for the signed-out user.
  package func changeUser(to user: String?) throws -> LocalOutcome<Void> {
    try changing { try tables.overlays.showWrites(of: user, in: $0) }
  }

  /// Returns the current user's first batch with an ID greater than `id`; `nil` if there is none. 0 precedes
  /// all IDs.
  package func nextBatch(after id: Int64) throws -> PendingBatch? {
    try tables.queue.next(after: id, of: user)
  }

  /// Returns the current user's batches, in queue order. All of them are decoded.
  func batches() throws -> [PendingBatch] { try tables.queue.batches(of: user) }

  /// Returns the current user's batches that write to a document, in queue order.
  func batches(writing path: ResourcePath) throws -> [PendingBatch] {
    try tables.queue.batches(writing: path, of: user)
  }

  /// Returns the number of each user's batches, and the time of the oldest. The signed-out user's ID is empty.
  func queueLengths() throws -> [(user: String, count: Int, oldest: Timestamp)] {
    var lengths: [(user: String, count: Int, oldest: Timestamp)] = []
    try tables.queue.forEachLength { lengths.append(($0, Int(clamping: $1), $2)) }
    return lengths
  }

  /// Returns the ID of the current user's newest batch; 0 if there is none.
  package func newestBatch() throws -> Int64 { try tables.queue.newest(of: user) }
  /// Returns the ID of the current user's oldest batch; `nil` if there is none.
  package func oldestBatch() throws -> Int64? { try tables.queue.oldest(of: user) }
  /// Returns whether a batch of any user is still pending.
  package func hasBatch(_ id: Int64) throws -> Bool { try tables.queue.contains(id) }

  /// Returns the current user's rejected batches, oldest first.
  func rejections() throws -> [RejectedBatch] { try tables.rejections.rejections(of: user) }
  /// Returns a batch of any user that was rejected or cancelled; `nil` if it was neither.
  package func rejection(_ uuid: UUID) throws -> RejectedBatch? { try tables.rejections.rejection(uuid) }

  /// Deletes a rejected batch that the app has dismissed. Deleting one that doesn't exist isn't an error.
  func dismissRejection(_ uuid: UUID) throws {
    try transactions.write { try tables.rejections.remove(uuid, in: $0) }
  }

  /// Returns the ID of the last batch of the current user that may have reached the remote, and with it all
  /// before it; 0 if there is none.
  package func lastSent() throws -> Int64 { try tables.users.lastSent() }

  /// Records that a batch of the current user, and with it all before it, may have reached the remote.
  package func recordSent(_ id: Int64) throws {
    guard try id > tables.users.lastSent() else { return }
    try transactions.writeUnsynced { try tables.users.setLastSent(id, in: $0) }
  }

  /// Records that no batch after one has reached the remote.
  package func forgetSent(after id: Int64) throws {
    guard try id < tables.users.lastSent() else { return }
    try transactions.writeUnsynced { try tables.users.setLastSent(id, in: $0) }
  }

  /// Refuses the current user's conditional batches that weren't sent, and whose documents others have
  /// changed as far as this device knows; see ``BatchResolution/refuseOvertaken(isListed:in:)``.
  ///
  /// - Parameter isListed: returns whether a batch is kept among the rejected ones until the app has
  ///   dismissed it.
  /// - Returns: the batches that were removed, in queue order.
  package func refuseOvertaken(
    isListed: (PendingBatch) -> Bool
  ) throws -> LocalOutcome<[RefusedBatch]> {
    try changing { try resolution.refuseOvertaken(isListed: isListed, in: $0) }
  }

  /// Returns the last stream token of the current user's write stream; `nil` if there is none.
  package func writeToken() throws -> Data? { try tables.users.writeToken() }

  /// Saves the stream token of the current user's write stream; `nil` removes it, so that the next stream
  /// begins without one.
  package func saveWriteToken(_ token: Data?) throws {
    try transactions.write { try tables.users.setWriteToken(token, in: $0) }
  }

  // MARK: - The remote

  /// Checks that the database can be written, by committing a small transaction, which writes its own number,
  /// so that it reaches the disk. Readers of the database see no change.
  package func checkWritable() throws {
    try transactions.write { try tables.globals.set("sequence", .integer($0.number), in: $0) }
  }

  /// Returns the timestamp of the last consistent snapshot of all targets; 0 if there was none.
  package func lastRemoteVersion() -> Timestamp { tables.targets.remoteVersion }

  /// Saves the documents and target changes that the remote sent, in one transaction.
  package func save(_ event: RemoteEvent) throws -> LocalOutcome<Void> {
    try changing { try events.save(event, in: $0) }
  }

  /// Returns whether the remote has already sent the same version of a document, so that saving it would
  /// change nothing. A document that the remote reports as missing is known if its last known state is
  /// missing, at any version.
  func isKnown(_ document: RemoteDocument) throws -> Bool { try events.isKnown(document) }

  /// Deletes the least recently used targets and documents if the database has reached a size.
  ///
  /// - Parameters:
  ///   - threshold: the size in bytes at which collection starts.
  ///   - percent: the maximum percentage of the targets and unowned documents to delete.
  ///   - limit: the maximum number of targets and unowned documents to delete.
  /// - Returns: the numbers of deleted targets and documents.
  /// - Throws: `SQLiteError`.
  /// - Complexity: O(1) while the database is smaller than the threshold; otherwise see
  ///   ``GarbageCollector/collect(percent:limit:in:)``.
  package func collectGarbage(
    over threshold: Int, percent: Int = 10, limit: Int = 1000
  ) throws -> CollectionResult {
    guard try collector.size() >= threshold else { return CollectionResult() }
    return try transactions.write { try collector.collect(percent: percent, limit: limit, in: $0) }
  }
}

extension SQLiteError {
  /// Whether the operation may succeed later: the disk was full or failed, the file was moved away and may be
  /// put back, or another connection held the lock. For all other codes, repeating the operation would fail
  /// in the same way.
  var mayPass: Bool { [.busy, .full, .io, .cannotOpen, .moved].contains(code) }
}
