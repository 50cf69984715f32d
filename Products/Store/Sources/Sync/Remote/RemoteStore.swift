import Foundation
import TenonCore
import TenonSQLite
import TenonStoreInterop

/// What the remote store tells the engine above it.
protocol RemoteSyncer: TargetMetadata {
  func applyRemoteEvent(_ event: RemoteEvent) throws
  /// A target was refused.
  func rejectListen(target: Int, _ error: any Error) throws
  func applySuccessfulWrite(_ batch: MutationBatch, _ commit: RemoteCommit, token: Data?) throws
  func rejectFailedWrite(_ batch: MutationBatch, _ error: StoreRemoteError) throws
}

/// Keeps the two streams to the remote: which targets are watched, and which batches have been sent.
///
/// When the database fails, the network is given up until what failed has been made good: what the remote tells in
/// between would be lost otherwise.
package final class RemoteStore {
  /// Why the network isn't used.
  private enum OfflineCause: Hashable { case userDisabled, databaseFailed, userChange, terminated }

  /// How many batches may be sent before the first is answered.
  static let pipelineLimit = 10
  /// How often it is tried to become the process that sends.
  private static let leaseTime = Duration.seconds(1)

  private let local: LocalStore
  private let streams: any RemoteStreams
  private let timers: any SyncTimers
  private let retries: RetryQueue
  let onlineState: OnlineStateTracker
  unowned var syncer: any RemoteSyncer
  /// Called when a stream has brought something, and when the network may be used again.
  var onHeard: () -> Void = {}
  private let maySend: () -> Bool
  private let random: () -> Double
  private let logger: Logger

  private var offlineCauses: Set<OfflineCause> = [.userDisabled]
  /// What is watched, by number.
  private(set) var targets: [Int: TargetData] = [:]
  /// The batches that were sent and not answered, or are about to be sent.
  package private(set) var pipeline: [MutationBatch] = []
  private var aggregator: WatchChangeAggregator?

  init(
    local: LocalStore, streams: any RemoteStreams, timers: any SyncTimers, retries: RetryQueue,
    syncer: any RemoteSyncer, random: @escaping () -> Double, maySend: @escaping () -> Bool, logger: Logger
  ) {
    self.local = local
    self.streams = streams
    self.timers = timers
    self.retries = retries
    self.syncer = syncer
    self.maySend = maySend
    self.logger = logger
    onlineState = OnlineStateTracker(timers: timers)
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

  package func enableNetwork() {
    offlineCauses.remove(.userDisabled)
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

  private func connect() {
    guard usesNetwork else { return }
    if needsListenStream { startListening() } else { onlineState.set(.unknown) }
    onHeard()
    fillPipeline()
  }

  private func disconnect() {
    writeStream.stop()
    listenStream.stop()
    pipeline = []
    aggregator = nil
  }

  /// Another user signs in: the streams begin anew with that user's credentials and writes.
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

  /// The database failed: nothing more is taken from the remote until `repair` succeeds.
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

  /// Does what the database may fail to take in; then it is done once the database works again.
  private func recovering(_ body: @escaping () throws -> Void) throws {
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
    aggregator?.noteRequest(for: data.id)
    streams.send(.add(data.asked(expecting: syncer.remoteKeys(of: data.id).count)))
  }

  private func requestEnd(of id: Int) {
    aggregator?.noteRequest(for: id)
    streams.send(.remove(target: id))
  }

  // MARK: - What the listen stream brings

  package func receive(_ event: ListenEvent) throws {
    guard listenStream.isOpen, aggregator != nil else { return }
    listenStream.succeeded()
    onlineState.set(.online)
    onHeard()
    do {
      switch event {
      case .target(let change):
        if case .removed(let error?) = change.kind { return try refuse(change.targets, error) }
        aggregator?.take(change)
        if change.targets.isEmpty, let version = change.readTime { try raiseSnapshot(at: version) }
      case .document(let document, let added, let removed):
        aggregator?.take(document, added: added, removed: removed)
      case .removed(let path, let targets): aggregator?.take(removal: path, from: targets)
      case .existenceFilter(let filter): aggregator?.take(filter)
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
        // It is asked for again once the database works, and refused again.
        targets[id] = data
        throw error
      }
    }
  }

  private func raiseSnapshot(at version: Timestamp) throws {
    guard try version.compare(local.lastRemoteVersion()) >= 0, var event = aggregator?.event(at: version)
    else {
      return
    }
    for (id, change) in event.targetChanges where !change.token.isEmpty {
      targets[id]?.token = change.token
      targets[id]?.version = version
    }
    for (id, purpose) in event.mismatches.sorted(by: { $0.key < $1.key }) {
      // Without its token the target is sent as a whole.
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
    try syncer.applyRemoteEvent(event)
  }

  /// The listen stream has ended.
  package func listenCloses(_ error: StoreRemoteError?) {
    aggregator = nil
    if let error {
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

  /// Sends what waits, as far as the pipeline has room.
  package func fillPipeline() {
    while usesNetwork, pipeline.count < Self.pipelineLimit {
      do {
        guard let batch = try local.nextBatch(after: pipeline.last?.id ?? 0) else {
          if pipeline.isEmpty { writeStream.becomeIdle() }
          break
        }
        pipeline.append(batch)
        if writeStream.isOpen {
          writeStream.becomeBusy()
          if writeStream.isReady { send(batch) }
        }
      } catch {
        do { try waitForDatabase(error) } catch {
          logger.error("The queue of writes can't be read: \(error)")
        }
        return
      }
    }
    if needsWriteStream { writeStream.start() }
  }

  private var needsWriteStream: Bool { usesNetwork && !writeStream.isStarted && !pipeline.isEmpty }

  private func writeOpens() {
    streams.openWrite(token: (try? local.writeToken()) ?? nil, for: local.user)
  }

  private func send(_ batch: MutationBatch) {
    streams.send(RemoteBatch(id: batch.uuid, writes: batch.writes.map(\.write)))
  }

  /// Whether a batch may have reached the remote.
  func isSent(_ id: Int64) -> Bool { writeStream.isReady && pipeline.contains { $0.id == id } }

  /// Takes a batch out that wasn't sent.
  func drop(_ id: Int64) { pipeline.removeAll { $0.id == id } }

  package func receive(_ event: WriteEvent) throws {
    guard writeStream.isOpen else { return }
    onHeard()
    switch event {
    case .opened(let token):
      guard !writeStream.isReady else { return }
      writeStream.isReady = true
      if let token { try recovering { [local] in try local.setWriteToken(token) } }
      guard writeStream.isReady else { return }
      for batch in pipeline { send(batch) }
    case .committed(let commit, let token):
      // An answer to nothing says nothing.
      guard writeStream.isReady, !pipeline.isEmpty else { return }
      writeStream.succeeded()
      let batch = pipeline.removeFirst()
      try recovering { [weak self] in try self?.syncer.applySuccessfulWrite(batch, commit, token: token) }
      fillPipeline()
    }
  }

  /// The write stream has ended. After it was open, an error belongs to the first batch that wasn't answered.
  package func writeCloses(_ error: StoreRemoteError?) throws {
    let wasReady = writeStream.isReady
    guard let error else {
      writeStream.ended()
      if needsWriteStream { writeStream.start() }
      return
    }
    writeStream.failed(exhausted: error.code == .resourceExhausted)
    if !pipeline.isEmpty {
      if wasReady, error.isPermanentForWrites {
        let batch = pipeline.removeFirst()
        writeStream.inhibitBackoff()
        try recovering { [weak self] in try self?.syncer.rejectFailedWrite(batch, error) }
        fillPipeline()
      } else if !wasReady, error.isPermanent {
        try recovering { [local] in try local.setWriteToken(nil) }
      }
    }
    if needsWriteStream { writeStream.start() }
  }
}

extension StoreRemoteError {
  /// Whether asking again can't help.
  var isPermanent: Bool {
    switch code {
    case .cancelled, .unknown, .deadlineExceeded, .resourceExhausted, .internal, .unavailable,
      .unauthenticated:
      false
    default: true
    }
  }

  /// Whether a batch is refused for good. What collided with others is tried again.
  var isPermanentForWrites: Bool { isPermanent && code != .aborted }
}
