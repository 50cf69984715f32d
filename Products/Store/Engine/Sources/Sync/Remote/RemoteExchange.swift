import TenonCore
import TenonDocuments
import TenonFoundation
import TenonSQLite
package import TenonStoreInterop

/// Manages the two streams to the remote: the targets that are listened to, and the batches that have been
/// sent.
///
/// The protocol is that of `google.firestore.v1`:
/// - One listen stream carries all targets. When it is opened, every target is requested with its resume
///   token, so that the remote sends only what has changed since. Events are collected and take effect
///   together at the next consistent snapshot, a target change without target IDs that has a read time. The
///   documents and the new tokens are saved in one transaction, so events that weren't saved are sent again.
/// - One write stream carries the batches of the current user in the order of their IDs, several of which may
///   be unanswered; see ``WritePipeline``. The remote answers in the same order. A stream that ends leaves
///   its unanswered batches in the queue; they are sent again on the next one, with the same batch IDs.
///
/// Of several processes that use the same file, each has its own listen stream, but only the holder of the
/// sending lease has a write stream and a pipeline.
///
/// After a transient failure of the database, both streams are closed. An answer that the remote doesn't
/// repeat is saved before they are opened again; a snapshot that wasn't saved is sent again by the remote.
///
/// Not thread-safe: ``SyncEngine`` owns it, on the engine's executor. The owner of the streams calls the
/// `receive` and `...Closes` methods for each event.
package final class RemoteExchange {
  /// A reason not to use the network. The network is used while there is none.
  ///
  /// - `userDisabled`: the app has disabled it, or it wasn't enabled yet.
  /// - `databaseFailed`: a database operation is being repeated.
  /// - `userChange`: the streams were closed for another user, whose queue isn't shown yet.
  /// - `terminated`: the database is closed.
  /// - `remoteFailed`: the remote itself has failed; see ``StoreRemoteError``.
  private enum OfflineCause: Hashable {
    case userDisabled, databaseFailed, userChange, terminated, remoteFailed
  }

  /// The interval at which an idle process checks for pending writes that no process sends.
  static let queueTime = Duration.seconds(1)
  /// The interval at which a process with pending writes tries to acquire the lease.
  static let leaseTime = Duration.milliseconds(100)

  let local: LocalDatabase
  let streams: any RemoteStreams
  let timers: any SyncTimers
  private let retries: RetryQueue
  let onlineState: OnlineStateTracker
  unowned let syncer: any RemoteSyncer
  /// Decides which process sends; `nil` if no other process can use the database.
  let lease: (any SendingLease)?
  let time: TimeSource
  let logger: AppLogger
  /// Why the remote can't be reached.
  let outage: RemoteOutage

  /// The reasons not to use the network; initially, that it wasn't enabled yet.
  private var offlineCauses: Set<OfflineCause> = [.userDisabled]
  /// The targets that are listened to, by ID, with the resume tokens of the last consistent snapshot that was
  /// saved. They are kept while there is no stream.
  private(set) var targets: [Int: TargetData] = [:]
  /// The batches that are sent and not answered, or about to be sent, in the order of the queue. Empty while
  /// another process sends, and while the network isn't used.
  package internal(set) lazy var pipeline = WritePipeline(depth: streams.pipelineDepth)
  /// The answers to batches that were applied in one commit, until the last of them has arrived. They count
  /// as lost if the write stream is closed before.
  var heldAnswers: [WriteEvent] = []
  /// Whether this process holds the lease.
  var isSending = false
  /// The oldest batch while another process holds the lease, since when it has been that one, and whether that
  /// was logged; `nil` if this process hasn't tried.
  var leaseWait: (oldest: Int64, since: ContinuousClock.Instant, isLogged: Bool)?
  /// The last batch that may have reached the remote before the present write stream was opened; `nil` if it
  /// isn't known.
  var sentBefore: Int64?
  /// The events of the current listen stream since the last consistent snapshot. Replaced when a stream is
  /// started.
  private var aggregator: WatchChangeAggregator?
  /// The failure of the remote for which the network isn't used; `nil` if there is none.
  private(set) var lastFailure: StoreRemoteError?
  /// The failure that was logged; `nil` once the remote has answered.
  var failure: StoreRemoteError.Code?

  /// Creates an exchange that doesn't use the network before ``enableNetwork()``.
  ///
  /// - Parameters:
  ///   - local: the documents, the queue and the state of targets.
  ///   - streams: the connections of the two streams.
  ///   - timers: the timers of the engine.
  ///   - retries: repeats failed database operations.
  ///   - syncer: receives the events. It owns this object, and isn't retained.
  ///   - time: the time, and the randomness of the backoff of the streams.
  ///   - lease: decides which process sends; `nil` if no other process can use the database.
  ///   - logger: receives failures.
  ///   - outage: is told whether the remote can be reached.
  init(
    local: LocalDatabase, streams: any RemoteStreams, timers: any SyncTimers, retries: RetryQueue,
    syncer: any RemoteSyncer, time: TimeSource, lease: (any SendingLease)?, logger: AppLogger,
    outage: RemoteOutage
  ) {
    self.local = local
    self.streams = streams
    self.timers = timers
    self.retries = retries
    self.syncer = syncer
    self.lease = lease
    self.logger = logger
    self.outage = outage
    onlineState = OnlineStateTracker(timers: timers) { [weak syncer] in syncer?.onlineStateChanged(to: $0) }
    self.time = time
  }

  /// The state of the listen stream, which is needed while there are targets.
  private(set) lazy var listenStream = StreamLifecycle(
    timers: timers, backoffTimer: .listenBackoff, idleTimer: .listenIdle,
    backoff: RetryDelays(random: time.random), now: time.now,
    open: { [weak self] in self?.listenOpens() }, close: { [streams] in streams.closeListen() })

  /// The state of the write stream, which is needed while the pipeline isn't empty.
  private(set) lazy var writeStream = StreamLifecycle(
    timers: timers, backoffTimer: .writeBackoff, idleTimer: .writeIdle,
    backoff: RetryDelays(random: time.random), now: time.now,
    open: { [weak self] in self?.writeOpens() }, close: { [streams] in streams.closeWrite() })

  // MARK: - Network

  /// Whether the network may be used.
  var usesNetwork: Bool { offlineCauses.isEmpty }
  /// Whether the app has disabled the network.
  var isDisabled: Bool { offlineCauses.contains(.userDisabled) }
  /// Whether reads may be sent to the remote. They may be tried even after a failure of the remote.
  var mayBeRead: Bool { offlineCauses.subtracting([.remoteFailed]).isEmpty }

  /// Closes the streams because the remote has failed. A failure with the same code as the last one isn't
  /// logged again until the remote has answered.
  func recordFailure(_ error: StoreRemoteError) {
    lastFailure = error
    if failure != error.code {
      logger.error(
        "The remote failed, and isn't asked again until the app needs it: \(error.message)",
        fields: ["error.type": error.code.rawValue])
    }
    failure = error.code
    offlineCauses.insert(.remoteFailed)
    disconnect()
    onlineState.set(.unknown)
  }

  /// Ends the state after a failure of the remote.
  ///
  /// - Returns: whether the remote had failed.
  func clearFailure() -> Bool {
    lastFailure = nil
    return offlineCauses.remove(.remoteFailed) != nil
  }

  /// Whether the network isn't used until the database works again.
  var waitsForDatabase: Bool { offlineCauses.contains(.databaseFailed) }

  /// Enables the network, and connects if necessary, also if the streams wait after failures.
  package func enableNetwork() {
    _ = clearFailure()
    offlineCauses.remove(.userDisabled)
    outage.setDisabled(false)
    connect()
    endBackoff()
  }

  /// Opens the streams now that wait after failures, because the app or the network has given reason to.
  func endBackoff() {
    if listenStream.waitsUntil != nil {
      listenStream.endBackoff()
      onlineState.streamStarts()
    }
    writeStream.endBackoff()
  }

  /// Called when the remote has answered anything: streams that wait after failures are opened soon, and so is
  /// a listen stream again that was opened a while ago and has received nothing.
  func remoteIsHeard() {
    outage.answered()
    listenStream.hurry()
    writeStream.hurry()
    if !targets.isEmpty, listenStream.stopsIfStale() { startListening() }
  }

  /// Records why a stream wasn't opened. That one ends which has worked is no outage, because servers end
  /// streams regularly; the next attempt tells. Neither are conflicts.
  func recordOutage(_ error: StoreRemoteError, of stream: StreamLifecycle) {
    if !stream.hasSucceeded, ![.aborted, .cancelled].contains(error.code) { outage.failed(error) }
  }

  /// Disables the network, and closes the streams. Idempotent. The remote counts as offline immediately.
  /// Targets and queued writes are kept for ``enableNetwork()``; answers to batches that are on their way are
  /// lost, and the batches are sent again.
  package func disableNetwork() {
    offlineCauses.insert(.userDisabled)
    outage.setDisabled(true)
    disconnect()
    onlineState.set(.offline)
  }

  /// Closes the streams permanently, and releases the sending lease unless an answer is still to be recorded.
  package func terminate() {
    offlineCauses.insert(.terminated)
    disconnect()
    onlineState.set(.unknown)
  }

  /// Opens the streams that are needed; no effect unless the network may be used.
  func connect() {
    guard usesNetwork else { return }
    if needsListenStream { startListening() } else { onlineState.set(.unknown) }
    syncer.remoteAnswered()
    fillPipeline()
  }

  /// Closes the streams, and releases the lease unless an answer is still to be recorded.
  private func disconnect() {
    writeStream.stop()
    listenStream.stop()
    pipeline.removeAll()
    heldAnswers = []
    aggregator = nil
    timers.cancel(.queueLease)
    // If the database couldn't record an answer, the batch is still pending there, and no other process may
    // send it again.
    if !waitsForDatabase { releaseLease() }
  }

  /// Reopens the streams with the credentials and writes of another user.
  ///
  /// Both streams are closed before the change, so that no batch is sent with the credentials of another
  /// user, and no answer is recorded in another user's queue.
  ///
  /// - Parameter change: changes the user in the database.
  /// - Throws: what `change` throws; the network isn't used until a later call has succeeded.
  func changeUser(_ change: () throws -> Void) throws {
    let usedNetwork = usesNetwork || offlineCauses == [.userChange]
    offlineCauses.insert(.userChange)
    disconnect()
    if usedNetwork { onlineState.set(.unknown) }
    try change()
    offlineCauses.remove(.userChange)
    connect()
  }

  /// Stops using the network until `repair` succeeds, after the database failed.
  ///
  /// - Parameters:
  ///   - error: the error of the failed operation.
  ///   - repair: repeats the operation.
  /// - Throws: `error` if it is permanent.
  func waitForDatabase(_ error: any Error, repair: @escaping () throws -> Void) throws {
    try stopForDatabase(error)
    retries.enqueue { [weak self] in
      try repair()
      self?.databaseWorks()
    }
  }

  /// Stops using the network until the database can be written, after a snapshot couldn't be saved. The
  /// remote sends again what wasn't saved.
  ///
  /// The listen stream is opened with backoff, which continues until a snapshot has been saved, because a
  /// database that can be written may still have no room for the snapshot.
  ///
  /// - Parameter error: the error of the failed operation.
  /// - Throws: `error` if it is permanent.
  private func waitUntilDatabaseIsWritable(_ error: any Error) throws {
    try stopForDatabase(error)
    retries.enqueueProbe { [weak self] in
      try self?.local.checkWritable()
      self?.databaseWorks()
    }
  }

  /// Stops using the network because the database failed.
  ///
  /// - Throws: `error` if it is permanent.
  private func stopForDatabase(_ error: any Error) throws {
    guard let error = error as? SQLiteError, error.mayPass else { throw error }
    logger.warning("The network isn't used until the database works again: \(error)")
    offlineCauses.insert(.databaseFailed)
    disconnect()
    onlineState.set(.offline)
  }

  /// Uses the network again.
  private func databaseWorks() {
    offlineCauses.remove(.databaseFailed)
    connect()
  }

  /// Runs a database operation; if it fails with a transient error, it is repeated with backoff until it
  /// succeeds.
  ///
  /// Used for answers that the remote doesn't repeat. The network isn't used in the meantime.
  ///
  /// - Parameter body: the operation, which must have no effect if it throws.
  /// - Throws: the error of the operation if it is permanent.
  func recovering(_ body: @escaping () throws -> Void) throws {
    do { try body() } catch { try waitForDatabase(error, repair: body) }
  }

  // MARK: - Targets

  /// Starts listening to a target; no effect if it is already listened to.
  ///
  /// - Parameter data: the target with its resume token. It is requested immediately if the stream is open,
  ///   and otherwise when the stream is next opened.
  func listen(to data: TargetData) {
    guard targets[data.id] == nil else { return }
    targets[data.id] = data
    if needsListenStream {
      startListening()
    } else if listenStream.isOpen {
      listenStream.becomeBusy()
      request(data)
    }
  }

  /// Requests a target again from the beginning, because another process has deleted documents of it on this
  /// device; no effect if it isn't listened to. Its views are incomplete until the remote has sent it as a
  /// whole.
  ///
  /// - Throws: the error of the database.
  func requestAgain(_ id: Int) throws {
    guard let data = targets[id] else { return }
    var renewed = TargetData(id: id, target: data.target)
    targets[id] = renewed
    var event = RemoteEvent(version: .zero)
    event.mismatches[id] = .existenceFilterMismatch
    event.targetChanges[id] = TargetState.Change(removed: syncer.remoteKeys(of: id))
    try syncer.saveRemoteEvent(event)
    guard listenStream.isOpen else { return }
    requestEnd(of: id)
    renewed.purpose = .existenceFilterMismatch
    request(renewed)
  }

  /// Stops listening to a target; no effect if it isn't listened to. The stream is closed when it has had no
  /// targets for the idle time.
  func unlisten(target id: Int) {
    guard targets.removeValue(forKey: id) != nil else { return }
    if listenStream.isOpen { requestEnd(of: id) }
    guard targets.isEmpty else { return }
    if listenStream.isOpen {
      listenStream.becomeIdle()
    } else if usesNetwork {
      onlineState.set(.unknown)
    }
  }

  /// Whether the listen stream must be opened.
  private var needsListenStream: Bool { usesNetwork && !listenStream.isStarted && !targets.isEmpty }

  /// Opens the listen stream, after a backoff if it has failed. What was collected from the previous stream
  /// is discarded; the remote sends it again, because the resume tokens are those of the last consistent
  /// snapshot.
  private func startListening() {
    aggregator = WatchChangeAggregator(syncer)
    listenStream.start()
    onlineState.streamStarts()
  }

  /// Opens the connection of the listen stream, and requests all targets in ascending order of their IDs.
  private func listenOpens() {
    streams.openListen(for: local.user)
    for id in targets.keys.sorted() { if let data = targets[id] { request(data) } }
  }

  /// Requests a target, with the number of documents known to belong to it. The number is sent only for a
  /// target that is resumed: it lets the remote add a bloom filter to an existence filter.
  private func request(_ data: TargetData) {
    aggregator?.requestSent(for: data.id)
    streams.send(.add(data.request(expecting: syncer.remoteKeys(of: data.id).count)))
  }

  /// Requests the end of a target. Until the remote has answered, its events are ignored.
  private func requestEnd(of id: Int) {
    aggregator?.requestSent(for: id)
    streams.send(.remove(target: id))
  }

  // MARK: - The listen stream

  /// Processes an event of the listen stream. Every event shows that the remote can be reached.
  ///
  /// A rejected target ends immediately; all other events take effect at the next consistent snapshot. After
  /// a transient database error, the stream is closed, and opened again with backoff once the database can be
  /// written; the remote then sends again what wasn't saved.
  ///
  /// - Parameter event: the event; ignored unless the stream is open.
  /// - Throws: a permanent error of the database.
  package func receive(_ event: ListenEvent) throws {
    guard listenStream.isOpen, aggregator != nil else { return }
    listenStream.succeeded()
    failure = nil
    onlineState.set(.online)
    remoteIsHeard()
    syncer.remoteAnswered()
    do {
      switch event {
      case .target(let change):
        if case .removed(let error?) = change.kind { return try refuse(change.targets, error) }
        aggregator?.update(change)
        if change.targets.isEmpty, let version = change.readTime { try raiseSnapshot(at: version) }
      case .document(let document, let added, let removed):
        aggregator?.add(document, added: added, removed: removed)
      case .removed(let path, let targets): aggregator?.remove(path, from: targets)
      case .existenceFilter(let filter): aggregator?.check(filter)
      }
    } catch {
      try waitUntilDatabaseIsWritable(error)
    }
  }

  /// Ends targets that the remote has rejected. Other targets of the stream are unaffected.
  ///
  /// - Parameters:
  ///   - ids: the targets; those that aren't listened to are ignored.
  ///   - error: the remote's reason, which the listeners receive.
  /// - Throws: the error of the database.
  private func refuse(_ ids: [Int], _ error: any Error) throws {
    for id in ids {
      guard let data = targets.removeValue(forKey: id) else { continue }
      aggregator?.removeTarget(id)
      do { try syncer.rejectListen(target: id, error) } catch {
        // It is requested again once the database works, and refused again.
        targets[id] = data
        throw error
      }
    }
  }

  /// Ends the targets of listeners, in ascending order of their IDs. Lookups of single documents end with the
  /// listeners that need them.
  func refuseAllTargets(_ error: any Error) throws {
    try refuse(targets.values.filter { $0.purpose != .limboResolution }.map(\.id).sorted(), error)
  }

  /// Saves the events received up to a consistent snapshot, and requests targets again whose documents
  /// differ.
  ///
  /// The timestamps of saved snapshots never decrease: an older snapshot is ignored, and what was collected
  /// takes effect with a later one. A target is requested again, without its resume token, after an existence
  /// filter mismatch, or if a limbo document turned out to exist and to match; its views are incomplete until
  /// the remote has sent it as a whole.
  ///
  /// - Parameter version: the read time of the snapshot.
  /// - Throws: the error of the database.
  private func raiseSnapshot(at version: Timestamp) throws {
    guard version.compare(local.lastRemoteVersion()) >= 0 else { return }
    for (path, document) in aggregator?.foundDocuments ?? [:] {
      for id in syncer.targets(lacking: document, at: path) { aggregator?.requestAgain(id) }
    }
    guard var event = aggregator?.event(at: version) else { return }
    for (id, purpose) in event.mismatches.sorted(by: { $0.key < $1.key }) {
      // Without its resume token, the whole target is sent.
      guard var data = targets[id] else {
        event.mismatches[id] = nil
        continue
      }
      data.token = Data()
      // It is requested again once the database works, and rejected again.
      targets[id] = data
      requestEnd(of: id)
      var renewed = TargetData(id: id, target: data.target)
      renewed.purpose = purpose
      request(renewed)
    }
    try syncer.saveRemoteEvent(event)
    retries.workSucceeded()
    // Only now: a target that is resumed from a token doesn't receive what precedes it again.
    for (id, change) in event.targetChanges where !change.token.isEmpty && event.mismatches[id] == nil {
      targets[id]?.token = change.token
      targets[id]?.version = version
    }
  }

  /// Called when the remote has ended the listen stream. It is opened again if there are targets: with
  /// backoff after a transient error, and immediately if there was none. A permanent error concerns all
  /// targets, and is a failure of the remote.
  ///
  /// - Parameter error: the error; `nil` if the remote has ended the stream without one.
  /// - Throws: a permanent error of the database.
  package func listenCloses(_ error: StoreRemoteError?) throws {
    aggregator = nil
    if let error {
      if error.isPermanent { return try remoteFails(error) }
      recordOutage(error, of: listenStream)
      listenStream.failed(exhausted: error.code == .resourceExhausted, unsent: error.isUnsent)
    } else {
      listenStream.ended()
    }
    if needsListenStream {
      onlineState.streamFails()
      startListening()
    } else {
      onlineState.set(.unknown)
    }
  }
}
