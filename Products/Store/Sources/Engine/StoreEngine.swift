import Foundation
import TenonAuthInterop
import TenonCore
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// One database: writes, reads and listeners, one after the other, on a thread of its own.
actor StoreEngine {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// What an engine works with.
  struct Configuration: Sendable {
    /// The file; `nil` for a database in memory.
    var path: String?
    /// The disk as SQLite knows it; see ``StoreFile``.
    var disk: String?
    var database = Store.defaultDatabase
    var logger: Logger
    /// The app's backend, for messages.
    var backend = AppBackend.Kind.production
    /// Where documents come from and go to; `nil` when no linked library provides it, or the database is local-only.
    var remote: (any StoreRemote)?
    /// Whether what is on this device is the truth. Otherwise documents wait for a remote that isn't there now.
    var isLocalOnly = false
    /// Gives what knows whose writes are sent; they are nobody's in particular when it gives `nil`.
    var auth: @Sendable () throws -> (any AuthInterop)? = { nil }
    var settings = StoreSettings()
    /// Whether declared indexes are built beside other work; otherwise when somebody asks for it.
    var buildsIndexes = true
    /// After how long without a write the write-ahead log is emptied; never when `nil`.
    var logIdleTime: Duration? = .seconds(2)
    /// The clock that dates writes.
    var now: @Sendable () -> Timestamp = { Timestamp(date: Date()) }
    /// Lets time pass.
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    var sharing: Sharing { isLocalOnly ? .localOnly : remote == nil ? .awaitsRemote : .remote }
  }

  /// What there is while the database is open.
  struct Running {
    let local: LocalStore
    let sync: SyncEngine
    let timers: EngineTimers
    let connection: RemoteConnection?
    /// `nil` for a database in memory.
    let lease: QueueLease?
    /// `nil` when there is no remote.
    let reach: ReadReach?
  }

  enum State {
    case closed
    case open(Running)
    /// It stays closed.
    case over(StoreError)
  }

  private let executor = QueueExecutor(label: "tenon-store")
  nonisolated let configuration: Configuration
  private nonisolated let over = Lock(false)
  private(set) var state = State.closed
  private var userChanges: Task<Void, Never>?
  /// Kept by StoreEngine+Indexes.
  var indexBuilding: Task<Void, Never>?

  // Kept by StoreEngine+Log.
  var lastWrite = ContinuousClock.now
  var logTrimming: Task<Void, Never>?

  // Kept by StoreEngine+Transactions.
  var transactionWaiters: [UUID: CheckedContinuation<TransactionOutcome, Never>] = [:]

  // Kept by StoreEngine+Listeners.
  var listeners: [Int: QueryListener] = [:]
  var channels: [Int: SnapshotChannel] = [:]
  var syncObservers: [Int: (id: Int, channel: AsyncStream<Void>.Continuation)] = [:]
  var lastDataVersion: Int64 = 0
  var poller: Task<Void, Never>?
  /// Whether a write has returned that listeners don't know yet.
  nonisolated let hasUnseenWrites = Lock(false)

  // Kept by StoreEngine+Rejections.
  var rejectionObservers: [UUID: RejectionObserver] = [:]

  // Kept by StoreEngine+Remote.
  var hasWarned = false

  init(_ configuration: Configuration) { self.configuration = configuration }

  var path: String? { configuration.path }
  var file: StoreFile { StoreFile(path: configuration.path, disk: configuration.disk) }

  // MARK: - Opening and closing

  /// What is open; it is opened when it is first needed.
  func running() throws -> Running {
    switch state {
    case .open(let running): return running
    case .over(let error): throw error
    case .closed:
      let running = try open()
      state = .open(running)
      running.sync.remote?.enableNetwork()
      scheduleCollection(running)
      startBuildingIndexes()
      return running
    }
  }

  private func open() throws -> Running {
    let connection = try file.open()
    let timers = EngineTimers(sleep: configuration.sleep) { [weak self] timer, number in
      await self?.fire(timer, number)
    }
    let local = try LocalStore(
      connection, sharing: configuration.sharing, collection: configuration.settings.garbageCollection,
      user: user, isUserKnown: isUserKnown, now: configuration.now())
    local.onCommit = { [weak self] in self?.assumeIsolated { $0.trimLogWhenIdle() } }
    warnIfRemoteIsMissing()
    if let indexes = configuration.settings.indexes { try local.declare(indexes) }
    let streams = configuration.remote.map {
      RemoteConnection($0, database: configuration.database, receiver: receiver)
    }
    let lease = path.map { QueueLease(database: $0, logger: configuration.logger) }
    let sync = SyncEngine(
      local: local,
      environment: SyncEngine.Environment(
        streams: streams, timers: timers, now: configuration.now, random: { .random(in: 0..<1) },
        logger: configuration.logger, lease: lease,
        defersViews: { [weak self] in self?.assumeIsolated { $0.updateViewsSoon() } }))
    let reach = sync.remote.map {
      ReadReach($0, timers: timers, random: { .random(in: 0..<1) }) { [weak self] in self?.probe($0) }
    }
    sync.remote?.onHeard = { [weak reach] in reach?.heard() }
    sync.onOnlineState = { [weak self, weak reach] state in
      guard state == .offline else { return }
      reach?.close()
      self?.assumeIsolated { $0.letTransactionsGo() }
    }
    // Writes of transactions are queued, and no longer waited for.
    sync.onSendingFailure = { [weak self] in self?.assumeIsolated { $0.letTransactionsGo() } }
    sync.onRejectionsChange = { [weak self] in self?.assumeIsolated { $0.deliverRejections() } }
    return Running(
      local: local, sync: sync, timers: timers, connection: streams, lease: lease, reach: reach)
  }

  /// Runs `body` on what is open, and throws what users catch.
  func use<Result>(_ body: (Running) throws -> Result) throws -> Result {
    do { return try body(running()) } catch { throw StoreError.wrapping(error) }
  }

  /// Runs `body` once it is known who is signed in, whose writes are sent.
  func useAsUser<Result: Sendable>(_ body: (Running) throws -> Result) async throws -> Result {
    try await learnUser()
    return try use(body)
  }

  /// Ends every listening and closes the database.
  func close() {
    end(with: StoreError(.closed, "The database was closed, because its app was deleted."))
  }

  /// Ends every listening and closes the database. Writes that wait stay in the file.
  func terminate() {
    end(with: StoreError(.closed, "The database was terminated; get it anew from Store.store(database:)."))
  }

  /// Whether it was closed for good.
  nonisolated var isOver: Bool { over.withLock { $0 } }

  private func end(with error: StoreError) {
    updateViews()
    over.withLock { $0 = true }
    disconnect(error)
    userChanges?.cancel()
    indexBuilding?.cancel()
    endListening(throwing: nil)
    state = .over(error)
  }

  /// Closes the file until it is next needed. Who waits for confirmations gets the error; the writes stay in the file.
  func disconnect(_ error: StoreError) {
    guard case .open(let running) = state else { return }
    running.sync.stopWaiting(error)
    running.sync.remote?.terminate()
    running.reach?.stop()
    running.timers.cancelAll()
    running.lease?.release()
    logTrimming?.cancel()
    logTrimming = nil
    letTransactionsGo()
    state = .closed
  }

  func setNetwork(enabled: Bool) async throws {
    try await useAsUser { running in
      if enabled { running.sync.remote?.enableNetwork() } else { running.sync.remote?.disableNetwork() }
    }
  }

  /// Deletes everything, writes that wait included.
  func clearPersistence() throws {
    if case .open = state {
      throw StoreError(
        .failedPrecondition, "The database is in use; call terminate() first, then clear what it kept.")
    }
    guard let path else { return }
    for suffix in ["", "-wal", "-walmark", "-shm", "-queue"] {
      do {
        try FileManager.default.removeItem(atPath: path + suffix)
      } catch CocoaError.fileNoSuchFile {
        continue
      } catch {
        throw StoreError(.unavailable, "\(path)\(suffix) can't be removed.", underlying: error)
      }
    }
  }

  // MARK: - Users

  private var user: String?
  /// Of which database, and for whom, something is asked of the remote.
  var context: RemoteContext { RemoteContext(database: configuration.database, user: user) }
  private var knowsUser = false
  private var auth: (any AuthInterop)?
  /// Whether anything tells who is signed in; nobody is when Auth isn't linked.
  private var isUserKnown = true
  private var userChangeCount = 0

  /// Learns who is signed in now: what follows a sign-in is done as that user, whether or not anybody was told yet.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/unauthenticated`` when that was never known and can't be found out;
  ///   `CancellationError`.
  func learnUser() async throws {
    guard !configuration.isLocalOnly, let auth = try linkedAuth() else { return }
    watchUsers(of: auth)
    var newest: String?
    var count: Int
    repeat {
      count = userChangeCount
      do { newest = try await auth.currentUserID } catch {
        // A session that can't be read doesn't mean that nobody is signed in.
        if knowsUser { return }
        if error is CancellationError { throw error }
        throw StoreError(
          .unauthenticated,
          "Nobody can tell whose writes these are: the session can't be read. Signing out sets it aside.",
          underlying: error)
      }
      // An answer that came in meanwhile may be newer than this one.
    } while count != userChangeCount
    knowsUser = true
    guard newest != user else { return }
    user = newest
    userChangeCount += 1
    if case .open(let running) = state, running.local.user != newest { running.sync.changeUser(to: newest) }
  }

  /// What knows who is signed in; `nil` when Auth isn't linked.
  private func linkedAuth() throws -> (any AuthInterop)? {
    guard auth == nil, isUserKnown else { return auth }
    do { auth = try configuration.auth() } catch {
      guard configuration.remote == nil else {
        throw StoreError(
          .unauthenticated, "Nobody can be signed in, because Auth can't be used: \(error)", underlying: error
        )
      }
      // Nothing is sent for anybody: the writes of the user who was last known stay the ones that are shown.
      isUserKnown = false
    }
    return auth
  }

  /// Of which database, and for whoever is signed in now.
  func presentContext() async throws -> RemoteContext {
    try await learnUser()
    return context
  }

  private func watchUsers(of auth: any AuthInterop) {
    guard userChanges == nil, !isOver else { return }
    userChanges = Task { [weak self] in
      for await _ in auth.stateChanges { try? await self?.learnUser() }
    }
  }

  // MARK: - What comes from outside

  private func fire(_ timer: SyncTimer, _ number: Int) {
    guard case .open(let running) = state else { return }
    running.timers.fire(timer, number)
  }

  private nonisolated var receiver: RemoteConnection.Receiver {
    RemoteConnection.Receiver(
      listen: { [weak self] event, number in
        await self?.receive { running in
          guard running.connection?.listenNumber == number else { return }
          try running.sync.remote?.receive(event)
        }
      },
      listenClosed: { [weak self] error, number in
        await self?.receive { running in
          guard running.connection?.listenNumber == number else { return }
          try running.sync.remote?.listenCloses(error)
        }
      },
      write: { [weak self] event, number in
        await self?.receive { running in
          guard running.connection?.writeNumber == number else { return }
          try running.sync.remote?.receive(event)
        }
      },
      writeClosed: { [weak self] error, number in
        await self?.receive { running in
          guard running.connection?.writeNumber == number else { return }
          try running.sync.remote?.writeCloses(error)
        }
      })
  }

  private func receive(_ body: @Sendable (Running) throws -> Void) async {
    // Somebody else may have signed in since the stream was opened: then it has been closed by now.
    try? await learnUser()
    guard case .open(let running) = state else { return }
    do { try body(running) } catch {
      configuration.logger.error("What the remote told can't be taken in: \(error)")
    }
  }

  // MARK: - Collecting

  private func scheduleCollection(_ running: Running, first: Bool = true) {
    guard running.local.isShared, case .leastRecentlyUsed(let threshold?) = running.local.collection else {
      return
    }
    running.timers.schedule(.garbageCollection, after: first ? .seconds(60) : .seconds(300)) { [weak self] in
      self?.assumeIsolated { engine in engine.collect(over: threshold) }
    }
  }

  private func collect(over threshold: Int) {
    guard case .open(let running) = state else { return }
    do { _ = try running.local.collect(over: threshold) } catch {
      configuration.logger.warning("The cache can't be made smaller: \(error)")
    }
    scheduleCollection(running, first: false)
  }

  // MARK: - Writing

  /// Makes writes together or not at all. When this returns they are durable. Listeners take them in right after that, and
  /// before a listener is next asked for a snapshot.
  ///
  /// - Returns: what becomes of them at the remote.
  func commit(_ writes: [DocumentWrite]) async throws -> WriteConfirmation {
    try await useAsUser { running in
      // From here on the writes are made whole, whoever waits for them.
      try Task.checkCancellation()
      guard running.local.isShared else {
        _ = try running.sync.commit(writes) { true }
        return .confirmed
      }
      let confirmation = WriteConfirmation { [weak self] in try? await self?.learnUser() }
      confirmation.pause(missingRemote("The write can't be confirmed"))
      _ = try running.sync.write(
        making: { writes },
        observer: BatchObserver(settle: { confirmation.settle($0) }, pause: { confirmation.pause($0) }))
      startPolling(running)
      return confirmation
    }
  }

  /// Takes in a bundle.
  func load(_ bundle: Bundle, reporting report: @Sendable (Int) -> Void) async throws {
    try await useAsUser { try $0.sync.load(bundle, reporting: report) }
  }

  // MARK: - Reading

  /// Runs a read on what lies here.
  func read<Result: Sendable>(_ body: @Sendable (LocalStore) throws -> Result) async throws -> Result {
    try await useAsUser { running in try running.local.cancellable { try body(running.local) } }
  }
}
