package import TenonAuthInterop
package import TenonCore
package import TenonFoundation
import TenonSQLite
package import TenonStorageInterop
package import TenonStoreInterop
package import TenonTelemetry

/// One database. Its writes, reads and listeners are serialized on a dedicated dispatch queue, so that
/// waiting for the disk doesn't block the threads of the cooperative pool. While it is busy, reads run on
/// other connections; see ``ReaderPool``.
///
/// The engine connects its parts, each of which has its own state and is complete once constructed:
/// ``LocalDatabase`` stores documents and the queue, ``SyncEngine`` coordinates it with the remote,
/// ``EngineStreams`` holds the streams, and ``EngineTimers`` runs what happens later. These parts aren't
/// `Sendable` and belong to the engine's executor. Their closures refer to the engine weakly, and streams and
/// timers return to the executor before they call a part.
///
/// An operation waits until the signed-in user is known, opens the database if necessary, and then accesses
/// it without suspension, so that the accesses of different operations never interleave. The file is open
/// from the first operation until ``close()``, ``terminate()`` or ``disconnect(_:)``.
package actor StoreEngine {
  /// The serial queue on which the engine runs.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The configuration of an engine.
  package struct Configuration: Sendable {
    /// The path of the database file, not of a symbolic link to it; `nil` for a database in memory.
    package var path: String?
    /// The name of the SQLite VFS; see ``StoreFile``.
    var disk: String?
    /// The ID of the database at the remote.
    package var database: String
    /// Receives failures that no caller receives as an error.
    package var logger: AppLogger
    /// The metrics and spans; none by default.
    package var telemetry = Telemetry.silent
    /// The app's backend, for error messages.
    package var backend: AppBackend.Kind
    /// The remote; `nil` if no linked library provides one, or the database is local-only.
    package var remote: (any StoreRemote)?
    /// Whether the documents on this device are authoritative. Otherwise they wait for a remote if there is
    /// none.
    package var isLocalOnly: Bool
    /// Whether requests are those of an administrator, to whom no rules apply, and whose writes aren't
    /// attributed to users.
    package var isAdministrators = false
    /// Returns the provider of the signed-in user; `nil` if writes aren't attributed to users.
    package var auth: @Sendable () throws -> (any AuthInterop)?
    /// Returns the provider of Storage; `nil` if it isn't linked.
    package var storage: @Sendable () throws -> (any StorageInterop)?
    package var settings: StoreSettings
    /// Whether indexes are built in the background; otherwise only on request.
    var buildsIndexes: Bool
    /// The time without writes after which the write-ahead log is truncated; `nil` to never truncate it.
    var logIdleTime: Duration?
    /// The source of time and randomness.
    var time: TimeSource
    /// Returns a stream with an element when the network of this machine has changed.
    var networkChanges: @Sendable () -> AsyncStream<Void> = NetworkChanges.stream

    /// Creates a configuration, by default of a database in memory that waits for a remote. If the path is
    /// that of a symbolic link, it becomes that of the file, so that the files beside it have one name in all
    /// processes.
    package init(
      path: String? = nil, disk: String? = nil, database: String = "(default)", logger: AppLogger,
      backend: AppBackend.Kind = .production, remote: (any StoreRemote)? = nil, isLocalOnly: Bool = false,
      auth: @escaping @Sendable () throws -> (any AuthInterop)? = { nil },
      storage: @escaping @Sendable () throws -> (any StorageInterop)? = { nil },
      settings: StoreSettings = StoreSettings(), buildsIndexes: Bool = true,
      logIdleTime: Duration? = .seconds(2), time: TimeSource = .system
    ) {
      (self.path, self.disk) = (path.map(Connection.followingLinks), disk)
      (self.database, self.logger) = (database, logger)
      (self.backend, self.remote, self.isLocalOnly) = (backend, remote, isLocalOnly)
      (self.auth, self.storage, self.settings) = (auth, storage, settings)
      (self.buildsIndexes, self.logIdleTime, self.time) = (buildsIndexes, logIdleTime, time)
    }

    /// How the documents of the database are shared, which is recorded in the file.
    var sharing: Sharing { isLocalOnly ? .localOnly : remote == nil ? .awaitsRemote : .remote }
  }

  /// The parts whose lifetime is that of the open database. They are released when it is closed, which closes
  /// the file.
  struct Running {
    /// The connection to the file. Only `local` changes tables through it.
    let connection: Connection
    /// The documents, the queue and the state of targets.
    let local: LocalDatabase
    /// Coordinates writes, listeners and the remote.
    let sync: SyncEngine
    /// The timers of all parts.
    let timers: EngineTimers
    /// The streams to the remote; `nil` if there is none.
    let streams: EngineStreams?
    /// Decides which process sends writes; `nil` for a database in memory.
    let lease: QueueLease?
    /// Decides whether reads are sent to the remote; `nil` if there is no remote.
    let reach: ReadReach?
    /// Truncates the write-ahead log; `nil` if it isn't truncated.
    let log: LogTrimmer?
    /// Builds indexes in the background.
    let indexes: IndexBuilder
    /// Samples the queue; `nil` if nothing is recorded.
    let sampling: QueueSampling?
  }

  /// The state of the database: closed until it is needed, open, or closed permanently.
  ///
  /// ``StoreEngine/disconnect(_:)`` leads from open back to closed. Nothing leads out of the last state.
  enum State {
    /// The file isn't open. The next operation opens it.
    case closed
    /// The file is open.
    case open(Running)
    /// Closed permanently. Operations throw the error.
    case over(StoreError)
  }

  private nonisolated let executor = QueueExecutor(label: "tenon-store")
  package nonisolated let configuration: Configuration
  /// What is recorded for a provider of observability.
  nonisolated let telemetry: StoreTelemetry
  /// Why the remote can't be reached.
  nonisolated let outage: RemoteOutage
  /// Whether the state is ``State/over(_:)``, for readers on other threads.
  private nonisolated let over = Lock(false)
  private(set) var state = State.closed
  /// Whether the network is disabled when the database is next opened, because the app had disabled it before
  /// a restoration.
  var staysOffline = false
  /// The key; `nil` if the database isn't encrypted, or ``loadKey()`` hasn't obtained it. It is kept while
  /// the database is in use.
  var key: EncryptionKey?
  /// Obtains the key; `nil` if nobody waits for it.
  var keyRequest: SharedTask<EncryptionKey>?
  /// Follows the changes of the network while the database is open.
  var networkWatch: Task<Void, Never>?
  /// Whether the missing remote was logged.
  private var hasWarned = false

  /// The signed-in user.
  let session: UserSession
  /// The listeners, which outlive the open database until they are ended.
  let listeners = ListenerChannels()
  /// The streams of rejected writes.
  let rejections: RejectionStreams
  /// Reports the rejections that no caller receives.
  package nonisolated let unawaitedRejections: UnawaitedRejections
  /// The calls that wait for the remote's answer to their writes.
  let answers = AnswerWaiters()
  /// Reads while the engine is busy.
  nonisolated let readers = ReaderPool()
  /// The number of large writes that wait or run.
  nonisolated let largeWrites = Lock(0)
  /// Whether the remote may be in reach, as ``ReadReach`` last reported.
  private nonisolated let mayReachRemote = Lock(true)
  /// Detects the writes of other processes.
  let foreignChanges: ForeignChanges
  /// The IDs of the collections that exist only on this device; `nil` while the database is closed.
  nonisolated let localCollections = Lock<Set<String>?>(nil)
  /// The indexes that Firestore's server requires for the queries so far.
  package nonisolated let requiredIndexes = RequiredIndexes()
  /// Whether a write has returned that the views don't include yet.
  nonisolated let hasUnseenWrites = Lock(false)

  /// Creates an engine whose database is closed. Nothing is read or created before the first operation.
  ///
  /// - Parameters:
  ///   - configuration: the configuration.
  ///   - error: the error that every operation throws, for an engine without a database; `nil` by default.
  package init(_ configuration: Configuration, throwing error: StoreError? = nil) {
    self.configuration = configuration
    // The backend in the process fails only because the app is being deleted.
    let isLogged = configuration.backend != .embedded
    telemetry = StoreTelemetry(configuration.telemetry, database: configuration.database)
    outage = RemoteOutage(
      logger: isLogged ? configuration.logger : nil, telemetry: isLogged ? telemetry : .silent,
      time: configuration.time)
    if let error {
      state = .over(error)
      over.withLock { $0 = true }
    }
    session = UserSession(configuration)
    rejections = RejectionStreams(configuration.logger)
    unawaitedRejections = UnawaitedRejections(configuration.logger)
    foreignChanges = ForeignChanges(configuration.time)
  }

  /// The path of the database file; `nil` for a database in memory.
  var path: String? { configuration.path }
  /// The file of the database, also while it is closed.
  var file: StoreFile {
    StoreFile(path: configuration.path, disk: configuration.disk, key: key?.key, logger: configuration.logger)
  }
  /// The space that is kept for deletions; `nil` for a database in memory.
  var reserve: DiskReserve? { configuration.path.map { DiskReserve(database: $0) } }

  // MARK: - Opening and closing

  /// Returns the open database, opening it if necessary.
  ///
  /// Opening it enables the network, unless ``staysOffline`` is set, so that pending writes are sent, and
  /// schedules garbage collection and the building of indexes.
  ///
  /// - Parameter prepare: called with the connection if the database is opened, before anything is read from
  ///   it.
  /// - Throws: the error with which the database was closed permanently; errors of opening it, after which
  ///   the next operation tries again.
  func running(preparing prepare: (Connection) throws -> Void = { _ in }) throws -> Running {
    switch state {
    case .open(let running): return running
    case .over(let error): throw error
    case .closed:
      let running = try open(preparing: prepare)
      state = .open(running)
      followLocalCollections(of: running.local)
      if let path {
        readers.open(
          ReaderPool.Source(
            path: path, disk: configuration.disk, key: key?.key, hasRemote: running.local.hasRemote,
            registersIndexes: configuration.settings.fieldIndexing == .onFirstQuery,
            now: { [time = configuration.time] in time.timestamp().microsecondsSince1970 },
            auth: session.provider, user: running.local.user))
      }
      if staysOffline { running.sync.remote?.disableNetwork() } else { running.sync.remote?.enableNetwork() }
      running.reach?.networkChanged()
      if running.streams != nil { watchNetwork() }
      staysOffline = false
      scheduleCollection(running)
      startBuilding(running)
      return running
    }
  }

  /// How long an opening waits for the locks of other processes before it asks them to give way.
  private static let firstWait = Duration.milliseconds(500)

  /// Opens the file, and creates the parts of the engine; see ``open(waitingAtMost:preparing:)``. If other
  /// processes are busy, they give way (``OpeningTurn``); if the disk is full, the reserve for deletions is
  /// released, because the index of the log needs space.
  private func open(preparing prepare: (Connection) throws -> Void) throws -> Running {
    do {
      return try open(waitingAtMost: Self.firstWait, preparing: prepare)
    } catch let error as SQLiteError {
      switch error.code {
      case .busy:
        guard let path else { throw error }
        return try OpeningTurn(database: path).take(waitingAtMost: .seconds(10)) {
          try open(waitingAtMost: .seconds(10), preparing: prepare)
        }
      case _ where error.needsSpace:
        guard let reserve, reserve.release() else { throw error }
        return try open(waitingAtMost: Self.firstWait, preparing: prepare)
      default: throw error
      }
    }
  }

  /// Opens the file and creates the parts of the engine. The state isn't changed. A database that can't be
  /// written is opened for reading.
  ///
  /// - Parameters:
  ///   - limit: how long to wait for the locks of other processes.
  ///   - prepare: called with the connection before anything is read from the database.
  /// - Throws: as ``StoreFile/open()``; ``StoreError`` with ``StoreError/Code/failedPrecondition`` if the
  ///   database was used with a remote and is opened as a local-only one; what `prepare` throws.
  private func open(
    waitingAtMost limit: Duration, preparing prepare: (Connection) throws -> Void
  ) throws -> Running {
    let (time, logger) = (configuration.time, configuration.logger)
    let connection = try openFile(waitingAtMost: limit)
    try prepare(connection)
    let log = logTrimmer(connection)
    let turn = path.map { OpeningTurn(database: $0) }
    let sampling =
      telemetry.isRecording
      ? QueueSampling(time) { [weak self] in await self?.sampleQueue() ?? false } : nil
    let local = try LocalDatabase(
      connection, sharing: configuration.sharing, collection: configuration.settings.garbageCollection,
      user: session.user, isUserKnown: session.isKnown,
      localCollections: configuration.settings.localCollections, now: time.timestamp(),
      onCommit: { [telemetry] in
        log?.databaseWritten()
        turn?.giveWay()
        telemetry.committed(connection.takePageCounts())
        sampling?.databaseWritten()
      })
    if !hasWarned, let missingRemoteWarning {
      hasWarned = true
      logger.warning(missingRemoteWarning)
    }
    if !connection.isReadOnly {
      try declareIndexes(in: local)
      reserve?.fill()
    }
    connection.waitForLocks(upTo: .seconds(10))
    let timers = EngineTimers(time) { [weak self] in await self?.fire($0, $1) }
    let streams = configuration.remote.map {
      EngineStreams(
        $0, isAdministrators: configuration.isAdministrators, database: configuration.database,
        receiver: receiver)
    }
    let lease = path.map { QueueLease(database: $0, logger: logger, telemetry: telemetry) }
    var environment = SyncEngine.Environment(
      streams: streams, timers: timers, time: time, logger: logger, lease: lease,
      outage: outage, telemetry: telemetry,
      report: { [weak self] report in self?.assumeIsolated { $0.handle(report) } })
    let rules = configuration.isAdministrators ? nil : configuration.settings.rules
    environment.judge = rules.map { [session] rules in
      WriteJudge(
        rules: rules, database: configuration.database, logger: logger,
        author: { session.author(at: time.timestamp()) })
    }
    let sync = SyncEngine(local: local, environment: environment)
    let reach = sync.remote.map {
      ReadReach(
        $0, timers: timers, random: time.random, probe: { [weak self] in self?.probe($0) },
        report: { [weak self] mayReach in self?.mayReachRemote.withLock { $0 = mayReach } })
    }
    return Running(
      connection: connection, local: local, sync: sync, timers: timers, streams: streams, lease: lease,
      reach: reach, log: log,
      indexes: IndexBuilder(local.indexBuilding, time, logger, telemetry), sampling: sampling)
  }

  /// Makes the indexes those of the settings.
  private func declareIndexes(in local: LocalDatabase) throws {
    let (settings, time) = (configuration.settings, configuration.time)
    if let indexes = settings.indexes { try local.indexBuilding.declare(indexes) }
    if let indexes = settings.textIndexes { try local.indexBuilding.declare(indexes) }
    try local.fieldIndexing.apply(
      settings.fieldIndexing, settings.fieldOverrides, at: time.timestamp().microsecondsSince1970)
    let requests = local.tables.indexRequests
    requests.now = { time.timestamp().microsecondsSince1970 }
    // The query returns first.
    requests.onRequest = { [weak self] in Task { await self?.fulfillIndexRequests() } }
  }

  /// Returns the object that truncates the log; `nil` for a database in memory, or if truncation is disabled.
  private func logTrimmer(_ connection: Connection) -> LogTrimmer? {
    guard path != nil, !connection.isReadOnly, let idleTime = configuration.logIdleTime else { return nil }
    return LogTrimmer(connection, idleTime: idleTime, configuration.time, configuration.logger) {
      [weak self] in await self?.trimLogIfIdle() ?? true
    }
  }

  /// Handles a report of the sync engine. Called on the engine's executor, in the middle of an operation of
  /// the sync engine.
  private func handle(_ report: SyncReport) {
    guard case .open(let running) = state else { return }
    switch report {
    case .remoteAnswered: running.reach?.streamAnswered()
    case .onlineState(.offline):
      running.reach?.close()
      releaseTransactions()
    case .onlineState: break
    // The writes of transactions stay in the queue, but the transactions no longer wait for them.
    case .sendingFailed: releaseTransactions()
    case .rejected(let rejected): unawaitedRejections.report(rejected)
    case .rejectionsChanged: rejections.deliver(from: running.local)
    case .viewsOutdated: updateViewsSoon()
    }
  }

  /// Makes transactions return because the remote can't be reached, unless writes return when they are
  /// confirmed.
  private func releaseTransactions() { if !confirmsWrites { answers.releaseTransactions() } }

  /// Runs `body` on the open database, opening it if necessary.
  ///
  /// - Parameter body: runs without suspension, so no other operation can intervene.
  /// - Throws: errors of opening the database and of `body`. Those of SQLite, documents and the remote are
  ///   converted to ``StoreError``; others are thrown unchanged.
  func use<Result>(_ body: (Running) throws -> Result) throws -> Result {
    do { return try body(running()) } catch {
      noteMove(error)
      throw StoreError.wrapping(error)
    }
  }

  /// Runs `body` on the open database once the signed-in user is known, whose writes are shown and sent.
  ///
  /// - Parameter body: as for ``use(_:)``.
  /// - Throws: as ``refreshUser()`` and ``use(_:)``.
  func useAsUser<Result: Sendable>(_ body: (Running) throws -> Result) async throws -> Result {
    try await refreshUser()
    return try use(body)
  }

  /// Runs `body` on the open database once the author of writes is known: the signed-in user, with the claims
  /// that the rules of the app may ask for.
  ///
  /// - Parameter body: as for ``use(_:)``. It receives the engine, so that this can be called from outside.
  /// - Throws: as ``refreshUser()`` and ``use(_:)``.
  func useAsAuthor<Result: Sendable>(
    _ body: @Sendable (isolated StoreEngine, Running) throws -> Result
  ) async throws -> Result {
    try await refreshAuthor()
    return try use { try body(self, $0) }
  }

  /// Ends every listener and closes the database.
  package func close() {
    end(with: StoreError(.closed, "The database was closed, because its app was deleted."))
  }

  /// Ends every listener and closes the database. Pending writes stay in the file.
  package func terminate() {
    end(with: StoreError(.closed, "The database was terminated; get it again from Store.store(database:)."))
  }

  /// Whether the database was closed permanently.
  package nonisolated var isOver: Bool { over.withLock { $0 } }

  /// Closes the database permanently; operations throw the error from now on. Writes that have returned are
  /// delivered to the listeners before these end without an error.
  private func end(with error: StoreError) {
    updateViews()
    over.withLock { $0 = true }
    // Closing the last connection deletes the log; a log that other processes keep open is emptied. What they
    // are reading stays in it, and so does everything if the disk has failed.
    if case .open(let running) = state { _ = try? running.connection.trimLog() }
    disconnect(error)
    session.stop()
    endListeners(throwing: nil)
    key = nil
    state = .over(error)
  }

  /// Closes the file until it is next used. Tasks that wait for confirmations receive the error; the writes
  /// stay in the file.
  ///
  /// Transactions that wait for the remote return as if it couldn't be reached. The sending lease is
  /// released, so that another process can send the pending writes. Listeners aren't ended; the caller does
  /// that. No effect if the database is closed.
  ///
  /// - Parameter error: the error for tasks that wait for confirmations.
  func disconnect(_ error: StoreError) {
    guard case .open(let running) = state else { return }
    running.sync.stopWaiting(error)
    running.sync.remote?.terminate()
    running.reach?.stop()
    networkWatch?.cancel()
    running.timers.cancelAll()
    running.lease?.release()
    running.log?.stop()
    running.sampling?.stop()
    running.indexes.stop()
    readers.close()
    answers.releaseTransactions()
    localCollections.withLock { $0 = nil }
    state = .closed
  }

  /// Enables or disables the network; see ``Store/disableNetwork()``. Enabling it also ends the state after a
  /// failure of the remote.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
  package func setNetwork(enabled: Bool) async throws {
    try await useAsUser { running in
      if enabled { running.sync.remote?.enableNetwork() } else { running.sync.remote?.disableNetwork() }
      running.reach?.networkChanged()
    }
  }

  /// Deletes all files of the database, including pending writes, the lock files and the reserve. No effect
  /// for a database in memory.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` if the database is open, and with
  ///   ``StoreError/Code/unavailable`` if a file can't be deleted, in which case some files may have been
  ///   deleted.
  package func clearPersistence() throws {
    if case .open = state {
      throw StoreError(
        .failedPrecondition, "The database is in use; call terminate() first, then clear what it kept.")
    }
    guard let path else { return }
    for suffix in ["", "-wal", "-walmark", "-shm", "-queue", "-turn", "-reserve"] {
      do {
        try FileManager.default.removeItem(atPath: path + suffix)
      } catch let error as CocoaError where error.code == .fileNoSuchFile {
        continue
      } catch {
        throw StoreError(.unavailable, "\(path)\(suffix) can't be removed.", underlying: error)
      }
    }
  }

  // MARK: - Users

  /// The database and the user on whose behalf requests are sent.
  var context: RemoteContext {
    RemoteContext(
      database: configuration.database, user: session.user, isAdministrator: configuration.isAdministrators)
  }

  /// Reads which user is signed in; that user's writes are shown and sent from then on.
  ///
  /// Operations on documents and on the queue call it first, so that one that follows a sign-in runs as the
  /// new user even if the change hasn't been reported yet. It is also called when Auth reports a change, and
  /// before an event of a stream is processed.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/unauthenticated`` if the session has never been read and
  ///   can't be read; as ``loadKey()``; `CancellationError`.
  func refreshUser() async throws {
    try await loadKey()
    let isOther = try await session.refresh { [weak self] in try? await self?.refreshUser() }
    if isOver { session.stop() }
    guard isOther, case .open(let running) = state, running.local.user != session.user else { return }
    running.sync.changeUser(to: session.user)
    readers.show(running.local.user)
  }

  /// Reads which user is signed in, and the user's claims if the rules of the app may need them.
  ///
  /// - Throws: as ``refreshUser()``.
  func refreshAuthor() async throws {
    try await refreshUser()
    if configuration.settings.rules != nil { await session.readToken() }
  }

  /// Returns the database and the user who is currently signed in.
  ///
  /// - Throws: as ``refreshUser()``.
  func currentContext() async throws -> RemoteContext {
    try await refreshUser()
    return context
  }

  // MARK: - Reading

  /// Loads a bundle; see ``SyncEngine/load(_:reporting:)``.
  ///
  /// - Parameters:
  ///   - bundle: the bundle.
  ///   - report: called on the engine's executor with the number of documents saved so far; other operations
  ///     wait in the meantime.
  /// - Throws: ``StoreError``; `CancellationError`.
  package func load(_ bundle: Bundle, reporting report: @Sendable (Int) -> Void) async throws {
    try await useAsUser { try $0.sync.load(bundle, reporting: report) }
  }

  /// Whether reads don't wait for the operation that is running or about to run: it is a large write, or has
  /// taken a millisecond.
  nonisolated var isOccupied: Bool {
    largeWrites.withLock { $0 > 0 } || executor.isBusy(for: .milliseconds(1))
  }

  /// Whether the cache answers reads that may use it, instead of the remote: the remote is known to be out of
  /// reach, and asking it again would wait for the operation that is running.
  package nonisolated var prefersCache: Bool { isOccupied && !mayReachRemote.withLock { $0 } }

  /// Runs a read on the documents of this device, with the pending writes of the current user applied.
  ///
  /// While the engine is busy, the read runs on another connection and sees the last committed state, so that
  /// it doesn't wait for a large write; see ``ReaderPool``. Every write that has returned is committed.
  ///
  /// It is concurrent, because Swift 6.3 loses the return to the caller's actor when it specializes a
  /// function that inherits it.
  ///
  /// - Parameter body: performs the read, on the engine's executor or on that of a reader.
  /// - Throws: ``StoreError``; `CancellationError` if the task is cancelled, also in the middle of a long
  ///   query.
  @concurrent nonisolated func read<Result: Sendable>(
    _ body: @Sendable (LocalReader) throws -> Result
  ) async throws -> Result {
    if isOccupied, case .result(let result, let requests) = try await readers.read(body) {
      // The read returns first.
      if !requests.isEmpty { Task { await fulfillIndexRequests() } }
      return result
    }
    return try await useAsUser { try body($0.local.cancellableReader) }
  }
}
