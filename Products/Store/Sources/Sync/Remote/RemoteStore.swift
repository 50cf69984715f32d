import Foundation
import TenonCore
import TenonSQLite
import TenonStoreInterop

/// Receives the events of the remote store.
protocol RemoteSyncer: TargetMetadata {
  /// Saves a consistent snapshot of the remote.
  func saveRemoteEvent(_ event: RemoteEvent) throws
  /// Called when a stream has received something, or the network is enabled again.
  func remoteAnswered()
  /// Called when the reachability of the remote has changed.
  func onlineStateChanged(to state: OnlineState)
  /// Called when the remote has rejected a target.
  func rejectListen(target: Int, _ error: any Error) throws
  /// Called when the remote has committed a batch.
  func acknowledgeWrite(_ batch: PendingBatch, _ commit: RemoteCommit, token: Data?) throws
  /// Called when the remote has rejected a batch.
  func rejectWrite(_ batch: PendingBatch, _ error: StoreRemoteError) throws
  /// Called when nothing will be sent or answered until the remote, or the database with the queue, has been repaired.
  func sendingFails(_ error: any Error)
  /// Returns the targets whose results lack a limbo document that exists and matches. The remote and this device disagree about
  /// their documents, even though their numbers may be equal.
  func targets(lacking document: BaseDocument, at path: ResourcePath) -> [Int]
}

/// Manages the two streams to the remote: the targets that are listened to, and the batches that have been sent.
///
/// While the database fails, the network is not used until the failed operation has been repeated successfully; otherwise events
/// received in the meantime would be lost.
package final class RemoteStore {
  /// A reason not to use the network.
  private enum OfflineCause: Hashable {
    case userDisabled, databaseFailed, userChange, terminated, remoteFailed
  }

  /// The maximum number of unanswered batches.
  static let pipelineLimit = 10
  /// The interval at which an idle process checks for pending writes that no process sends.
  static let queueTime = Duration.seconds(1)
  /// The interval at which a process with pending writes tries to acquire the lease.
  static let leaseTime = Duration.milliseconds(100)

  let local: any LocalStorage
  private let streams: any RemoteStreams
  let timers: any SyncTimers
  private let retries: RetryQueue
  let onlineState: OnlineStateTracker
  unowned let syncer: any RemoteSyncer
  /// Decides which process sends; `nil` if no other process can use the database.
  let lease: (any SendingLease)?
  private let random: () -> Double
  private let logger: Logger

  private var offlineCauses: Set<OfflineCause> = [.userDisabled]
  /// The targets that are listened to, by ID.
  private(set) var targets: [Int: TargetData] = [:]
  /// The batches that are sent and not answered, or about to be sent. Empty while another process sends.
  package internal(set) var pipeline: [PendingBatch] = []
  /// Whether this process holds the lease.
  var isSending = false
  private var aggregator: WatchChangeAggregator?
  /// The failure that was logged; `nil` once the remote has answered.
  private var failure: StoreRemoteError.Code?

  init(
    local: any LocalStorage, streams: any RemoteStreams, timers: any SyncTimers, retries: RetryQueue,
    syncer: any RemoteSyncer, random: @escaping () -> Double, lease: (any SendingLease)?, logger: Logger
  ) {
    self.local = local
    self.streams = streams
    self.timers = timers
    self.retries = retries
    self.syncer = syncer
    self.lease = lease
    self.logger = logger
    onlineState = OnlineStateTracker(timers: timers) { [weak syncer] in syncer?.onlineStateChanged(to: $0) }
    self.random = random
  }

  private(set) lazy var listenStream = RemoteStream(
    timers: timers, backoffTimer: .listenBackoff, idleTimer: .listenIdle,
    backoff: RetryDelays(random: random),
    open: { [weak self] in self?.listenOpens() }, close: { [streams] in streams.closeListen() })

  private(set) lazy var writeStream = RemoteStream(
    timers: timers, backoffTimer: .writeBackoff, idleTimer: .writeIdle, backoff: RetryDelays(random: random),
    open: { [weak self] in self?.writeOpens() }, close: { [streams] in streams.closeWrite() })

  // MARK: - Network

  /// Whether the network may be used.
  var usesNetwork: Bool { offlineCauses.isEmpty }
  /// Whether reads may be sent to the remote. They may be tried even after a failure of the remote.
  var mayBeRead: Bool { offlineCauses.subtracting([.remoteFailed]).isEmpty }

  /// Closes the streams because the remote has failed.
  func recordFailure(_ error: StoreRemoteError) {
    if failure != error.code {
      logger.error("The remote failed, and is not asked again until the app needs it: \(error.message)")
    }
    failure = error.code
    offlineCauses.insert(.remoteFailed)
    disconnect()
    onlineState.set(.unknown)
  }

  /// Ends the state after a failure of the remote.
  ///
  /// - Returns: whether the remote had failed.
  func clearFailure() -> Bool { offlineCauses.remove(.remoteFailed) != nil }

  /// Whether the network is not used until the database works again.
  var waitsForDatabase: Bool { offlineCauses.contains(.databaseFailed) }

  /// Enables the network, and connects if necessary. Idempotent.
  package func enableNetwork() {
    offlineCauses.subtract([.userDisabled, .remoteFailed])
    connect()
  }

  /// Disables the network, and closes the streams. Idempotent.
  package func disableNetwork() {
    offlineCauses.insert(.userDisabled)
    disconnect()
    onlineState.set(.offline)
  }

  /// Closes the streams permanently.
  package func terminate() {
    offlineCauses.insert(.terminated)
    disconnect()
    onlineState.set(.unknown)
  }

  /// Opens the streams that are needed.
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
    pipeline = []
    aggregator = nil
    timers.cancel(.queueLease)
    // If the database could not record an answer, the batch is still pending there, and no other process may send it again.
    if !waitsForDatabase { releaseLease() }
  }

  /// Reopens the streams with the credentials and writes of another user.
  ///
  /// - Parameter change: changes the user in the database.
  /// - Throws: what `change` throws; the network is not used until the change has succeeded.
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
  /// - Throws: `error` if it is permanent.
  private func waitForDatabase(_ error: any Error, repair: (() throws -> Void)? = nil) throws {
    guard let error = error as? SQLiteError, error.mayPass else { throw error }
    logger.warning("The network waits until the database works again: \(error)")
    offlineCauses.insert(.databaseFailed)
    disconnect()
    onlineState.set(.offline)
    retries.enqueue { [weak self] in
      guard let self else { return }
      if let repair { try repair() } else { _ = try local.lastRemoteVersion() }
      offlineCauses.remove(.databaseFailed)
      connect()
    }
  }

  /// Runs a database operation; if it fails with a transient error, it is repeated until it succeeds.
  func recovering(_ body: @escaping () throws -> Void) throws {
    do { try body() } catch { try waitForDatabase(error, repair: body) }
  }

  // MARK: - Targets

  /// Starts listening to a target; no effect if it is already listened to.
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

  /// Stops listening to a target; no effect if it is not listened to.
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

  private var needsListenStream: Bool { usesNetwork && !listenStream.isStarted && !targets.isEmpty }

  /// Opens the listen stream, which requests all targets once open.
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

  /// Requests a target, with the number of documents known to belong to it.
  private func request(_ data: TargetData) {
    aggregator?.requestSent(for: data.id)
    streams.send(.add(data.request(expecting: syncer.remoteKeys(of: data.id).count)))
  }

  /// Requests the end of a target.
  private func requestEnd(of id: Int) {
    aggregator?.requestSent(for: id)
    streams.send(.remove(target: id))
  }

  // MARK: - The listen stream

  /// Processes an event of the listen stream.
  package func receive(_ event: ListenEvent) throws {
    guard listenStream.isOpen, aggregator != nil else { return }
    listenStream.succeeded()
    failure = nil
    onlineState.set(.online)
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
      try waitForDatabase(error)
    }
  }

  /// Ends targets that the remote has rejected.
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

  /// Ends the targets of listeners. Lookups of single documents end with the listeners that need them.
  func refuseAllTargets(_ error: any Error) throws {
    try refuse(targets.values.filter { $0.purpose != .limboResolution }.map(\.id).sorted(), error)
  }

  /// Saves the events received up to a consistent snapshot, and requests targets again whose documents differ.
  private func raiseSnapshot(at version: Timestamp) throws {
    guard try version.compare(local.lastRemoteVersion()) >= 0 else { return }
    for (path, document) in aggregator?.foundDocuments ?? [:] {
      for id in syncer.targets(lacking: document, at: path) { aggregator?.requestAgain(id) }
    }
    guard var event = aggregator?.event(at: version) else { return }
    for (id, change) in event.targetChanges where !change.token.isEmpty {
      targets[id]?.token = change.token
      targets[id]?.version = version
    }
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
      var anew = TargetData(id: id, target: data.target)
      anew.purpose = purpose
      request(anew)
    }
    try syncer.saveRemoteEvent(event)
  }

  /// Called when the listen stream has ended.
  package func listenCloses(_ error: StoreRemoteError?) throws {
    aggregator = nil
    if let error {
      if error.isPermanent { return try remoteFails(error) }
      listenStream.failed(exhausted: error.code == .resourceExhausted)
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

  // MARK: - Writes

  /// Sends pending batches up to the pipeline's limit, unless another process sends.
  package func fillPipeline() {
    guard usesNetwork else { return }
    do {
      guard try mayHaveToSend() else { return stopSending() }
      guard startSending() else { return watchQueue(after: Self.leaseTime) }
      // The queue is read while holding the lease: before that, another process may send a batch and remove it.
      while pipeline.count < Self.pipelineLimit,
        let batch = try local.nextBatch(after: pipeline.last?.id ?? 0)
      {
        pipeline.append(batch)
        if writeStream.isOpen {
          writeStream.becomeBusy()
          if writeStream.isReady { send(batch) }
        }
      }
    } catch {
      do { try waitForDatabase(error) } catch {
        logger.error("The queue of writes can't be read: \(error)")
        syncer.sendingFails(error)
      }
      return
    }
    if pipeline.isEmpty { return stopSending() }
    if needsWriteStream { writeStream.start() }
  }

  private var needsWriteStream: Bool { usesNetwork && !writeStream.isStarted && !pipeline.isEmpty }

  /// Opens the connection of the write stream with the last stream token.
  private func writeOpens() {
    streams.openWrite(token: (try? local.writeToken()) ?? nil, for: local.user)
  }

  private func send(_ batch: PendingBatch) {
    streams.send(RemoteBatch(id: batch.uuid, writes: batch.writes.map(\.write)))
  }

  /// Processes an event of the write stream.
  package func receive(_ event: WriteEvent) throws {
    guard writeStream.isOpen else { return }
    syncer.remoteAnswered()
    switch event {
    case .opened(let token):
      guard !writeStream.isReady else { return }
      writeStream.isReady = true
      if let token { try recovering { [local] in try local.saveWriteToken(token) } }
      guard writeStream.isReady else { return }
      for batch in pipeline { send(batch) }
    case .committed(let commit, let token):
      // An answer without a request is ignored.
      guard writeStream.isReady, !pipeline.isEmpty else { return }
      writeStream.succeeded()
      failure = nil
      let batch = pipeline.removeFirst()
      try recovering { [weak self] in try self?.syncer.acknowledgeWrite(batch, commit, token: token) }
      fillPipeline()
    }
  }

  /// Called when the write stream has ended. If it was ready, an error belongs to the first unanswered batch.
  package func writeCloses(_ error: StoreRemoteError?) throws {
    let wasReady = writeStream.isReady
    guard let error else {
      writeStream.ended()
      if needsWriteStream { writeStream.start() }
      return
    }
    writeStream.failed(exhausted: error.code == .resourceExhausted)
    if !pipeline.isEmpty {
      if wasReady, error.isPermanent {
        let batch = pipeline.removeFirst()
        writeStream.inhibitBackoff()
        try recovering { [weak self] in try self?.syncer.rejectWrite(batch, error) }
        fillPipeline()
      } else if !wasReady, error.mayConcernToken {
        let hadToken = ((try? local.writeToken()) ?? nil) != nil
        guard hadToken || !error.isPermanent else { return try remoteFails(error) }
        try recovering { [local] in try local.saveWriteToken(nil) }
      }
    }
    if needsWriteStream { writeStream.start() }
  }
}
