import Foundation
import TenonCore
import TenonSQLite
import TenonStoreInterop

/// What the remote store reports to the engine above it.
protocol RemoteSyncer: TargetMetadata {
  func saveRemoteEvent(_ event: RemoteEvent) throws
  /// A stream has received something, or the network may be used again.
  func remoteAnswered()
  /// It became known whether the remote can be reached.
  func onlineStateChanged(to state: OnlineState)
  /// A target was refused.
  func rejectListen(target: Int, _ error: any Error) throws
  func acknowledgeWrite(_ batch: PendingBatch, _ commit: RemoteCommit, token: Data?) throws
  func rejectWrite(_ batch: PendingBatch, _ error: StoreRemoteError) throws
  /// Nothing will be sent or answered until the remote, or the database with the queue, has been repaired.
  func sendingFails(_ error: any Error)
  /// Returns the targets whose results lack a limbo document that was found. The remote or this device is wrong about their
  /// documents, although the count may be right.
  func targets(lacking document: BaseDocument, at path: ResourcePath) -> [Int]
}

/// Keeps the two streams to the remote: the targets that it listens to, and the batches that have been sent.
///
/// When the database fails, the network isn't used until the failed operation has been repeated with success: otherwise what the
/// remote sends meanwhile would be lost.
package final class RemoteStore {
  /// A reason not to use the network.
  private enum OfflineCause: Hashable {
    case userDisabled, databaseFailed, userChange, terminated, remoteFailed
  }

  /// The number of batches that may be sent before the first is answered.
  static let pipelineLimit = 10
  /// How often an idle process checks whether writes are pending that no process sends.
  static let queueTime = Duration.seconds(1)
  /// How soon a process whose writes are pending tries again to acquire the lease.
  static let leaseTime = Duration.milliseconds(100)

  let local: any LocalStorage
  private let streams: any RemoteStreams
  let timers: any SyncTimers
  private let retries: RetryQueue
  let onlineState: OnlineStateTracker
  unowned let syncer: any RemoteSyncer
  /// Decides which process sends; `nil` when no other process can use the database.
  let lease: (any SendingLease)?
  private let random: () -> Double
  private let logger: Logger

  private var offlineCauses: Set<OfflineCause> = [.userDisabled]
  /// The targets that the remote listens to, by their ids.
  private(set) var targets: [Int: TargetData] = [:]
  /// The batches that were sent and not answered, or are about to be sent. There are none while another process sends.
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
    timers: timers, backoffTimer: .listenBackoff, idleTimer: .listenIdle, backoff: Backoff(random: random),
    open: { [weak self] in self?.listenOpens() }, close: { [streams] in streams.closeListen() })

  private(set) lazy var writeStream = RemoteStream(
    timers: timers, backoffTimer: .writeBackoff, idleTimer: .writeIdle, backoff: Backoff(random: random),
    open: { [weak self] in self?.writeOpens() }, close: { [streams] in streams.closeWrite() })

  // MARK: - Network

  var usesNetwork: Bool { offlineCauses.isEmpty }
  /// Whether reads may ask the remote, which may be tried even after a failure.
  var mayBeRead: Bool { offlineCauses.subtracting([.remoteFailed]).isEmpty }

  /// Stops using the streams, because the remote has failed.
  func recordFailure(_ error: StoreRemoteError) {
    if failure != error.code {
      logger.error("The remote failed, and is not asked again until the app needs it: \(error.message)")
    }
    failure = error.code
    offlineCauses.insert(.remoteFailed)
    disconnect()
    onlineState.set(.unknown)
  }

  /// - Returns: whether the remote had failed.
  func clearFailure() -> Bool { offlineCauses.remove(.remoteFailed) != nil }

  /// Whether the network isn't used until the database works again.
  var waitsForDatabase: Bool { offlineCauses.contains(.databaseFailed) }

  package func enableNetwork() {
    offlineCauses.subtract([.userDisabled, .remoteFailed])
    connect()
  }

  package func disableNetwork() {
    offlineCauses.insert(.userDisabled)
    disconnect()
    onlineState.set(.offline)
  }

  package func terminate() {
    offlineCauses.insert(.terminated)
    disconnect()
    onlineState.set(.unknown)
  }

  func connect() {
    guard usesNetwork else { return }
    if needsListenStream { startListening() } else { onlineState.set(.unknown) }
    syncer.remoteAnswered()
    fillPipeline()
  }

  private func disconnect() {
    writeStream.stop()
    listenStream.stop()
    pipeline = []
    aggregator = nil
    timers.cancel(.queueLease)
    // An answer that the database couldn't record is still pending there: no other process may send that batch again.
    if !waitsForDatabase { releaseLease() }
  }

  /// Another user signs in: the streams are reopened with that user's credentials and writes.
  ///
  /// - Throws: what `change` throws; the network stays off until it has been done.
  func changeUser(_ change: () throws -> Void) throws {
    let usedNetwork = usesNetwork || offlineCauses == [.userChange]
    offlineCauses.insert(.userChange)
    disconnect()
    if usedNetwork { onlineState.set(.unknown) }
    try change()
    offlineCauses.remove(.userChange)
    connect()
  }

  /// The database failed: the network isn't used until `repair` succeeds.
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

  /// Runs an operation on the database; if it fails, it is repeated until the database works again.
  func recovering(_ body: @escaping () throws -> Void) throws {
    do { try body() } catch { try waitForDatabase(error, repair: body) }
  }

  // MARK: - Targets

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

  private func startListening() {
    aggregator = WatchChangeAggregator(syncer)
    listenStream.start()
    onlineState.streamStarts()
  }

  private func listenOpens() {
    streams.openListen(for: local.user)
    for id in targets.keys.sorted() { if let data = targets[id] { request(data) } }
  }

  private func request(_ data: TargetData) {
    aggregator?.requestSent(for: data.id)
    streams.send(.add(data.request(expecting: syncer.remoteKeys(of: data.id).count)))
  }

  private func requestEnd(of id: Int) {
    aggregator?.requestSent(for: id)
    streams.send(.remove(target: id))
  }

  // MARK: - The listen stream

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
      // Without its token the whole target is sent.
      guard var data = targets[id] else {
        event.mismatches[id] = nil
        continue
      }
      data.token = Data()
      targets[id] = data
      requestEnd(of: id)
      var anew = TargetData(id: id, target: data.target)
      anew.purpose = purpose
      request(anew)
    }
    try syncer.saveRemoteEvent(event)
  }

  /// The listen stream has ended.
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

  /// Sends pending batches as far as the pipeline has room, unless another process sends.
  package func fillPipeline() {
    guard usesNetwork else { return }
    do {
      guard try mayHaveToSend() else { return stopSending() }
      guard startSending() else { return watchQueue(after: Self.leaseTime) }
      // The queue is read with the lease held: until then, another process may send a batch and remove it.
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

  private func writeOpens() {
    streams.openWrite(token: (try? local.writeToken()) ?? nil, for: local.user)
  }

  private func send(_ batch: PendingBatch) {
    streams.send(RemoteBatch(id: batch.uuid, writes: batch.writes.map(\.write)))
  }

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
      // An answer to nothing is ignored.
      guard writeStream.isReady, !pipeline.isEmpty else { return }
      writeStream.succeeded()
      failure = nil
      let batch = pipeline.removeFirst()
      try recovering { [weak self] in try self?.syncer.acknowledgeWrite(batch, commit, token: token) }
      fillPipeline()
    }
  }

  /// The write stream has ended. If it was open, an error belongs to the first batch that wasn't answered.
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
