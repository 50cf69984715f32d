import Foundation
import TenonCore
import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonStoreEngine
import TenonStoreInterop

/// A case being run: the sync engine with its storage, streams and timers, and the observed events.
final class SpecRun {
  private let spec: SpecCase
  private let persistence: SpecCase.Persistence
  private let path: String?
  /// The disk of the file, which fails as requested by the script.
  private let disk = FaultyDisk()
  /// Whether the disk fails from the delivery of a snapshot to the end of the step.
  private var failsAfterDelivery = false
  private var connection: Connection
  private var local: LocalDatabase
  private var sync: SyncEngine
  private let timers = ScriptedTimers()
  private var streams = ScriptedStreams()
  /// The ID of the current user; `nil` if no user is signed in.
  private var user: String?
  /// Whether the network is enabled.
  private var usesNetwork = true

  /// The active listeners by their queries.
  private var listeners: [ListenQuery: QueryListener] = [:]
  /// The IDs of the observers for snapshots in sync.
  private var syncObservers: [Int] = []

  // What was observed during the current step.
  private var events: [SpecEvent] = []
  private var syncEvents = 0
  private var pendingWritesEvents = 0
  private var acknowledged: [String] = []
  private var rejected: [String] = []

  // The most recent expectations. They remain in force until the script changes them.
  private var expectedTargets: [Int: FirestoreJSON] = [:]
  private var expectedLimbo: Set<String> = []
  private var expectedLimboQueue: Set<String> = []

  /// Creates the engine and enables the network.
  ///
  /// - Parameters:
  ///   - spec: the case.
  ///   - persistence: the storage that the case expects.
  ///   - path: the database's file; `nil` for a database in memory.
  init(_ spec: SpecCase, _ persistence: SpecCase.Persistence, path: String?) throws {
    self.spec = spec
    self.persistence = persistence
    self.path = path
    connection = try Self.open(path, on: disk)
    local = try Self.local(connection, spec, persistence, user: nil)
    sync = SyncEngine(local: local, environment: Self.environment(spec, streams, timers))
    sync.remote?.enableNetwork()
    try settle()
  }

  /// Opens the file on a disk, or a database in memory.
  private static func open(_ path: String?, on disk: FaultyDisk) throws -> Connection {
    let connection = try Connection.open(path, durability: .normal, disk: path == nil ? nil : disk.name)
    try connection.migrate(LocalSchema.migrations)
    return connection
  }

  /// Creates the database for a user, with the garbage collection that the case requests.
  private static func local(
    _ connection: Connection, _ spec: SpecCase, _ persistence: SpecCase.Persistence, user: String?
  ) throws -> LocalDatabase {
    let isEager = persistence == .memory && spec.usesEagerCollection
    return try LocalDatabase(
      connection, sharing: .remote, collection: isEager ? .eager : .leastRecentlyUsed(threshold: nil),
      user: user, now: .zero)
  }

  /// Returns the environment of the engine, in which time and randomness are constant.
  private static func environment(
    _ spec: SpecCase, _ streams: ScriptedStreams, _ timers: ScriptedTimers
  ) -> SyncEngine.Environment {
    SyncEngine.Environment(
      streams: streams, timers: timers,
      time: TimeSource(date: { Date(timeIntervalSince1970: 1_000_000) }, random: { 0.5 }),
      logger: AppLogger(source: "store-spec"), limboLimit: spec.limboLimit ?? 100)
  }

  // MARK: - Steps

  /// Runs all steps. After each step, the observed events and the state are compared with the expected ones.
  ///
  /// - Throws: ``SpecError`` that names the step and the difference.
  func run() throws {
    for (index, step) in spec.steps.enumerated() {
      events = []
      syncEvents = 0
      pendingWritesEvents = 0
      acknowledged = []
      rejected = []
      do {
        try act(step)
        try settle()
        try check(step)
      } catch {
        throw SpecError("step \(index + 1) of \(spec.steps.count), \(Self.name(of: step)): \(error)")
      }
    }
  }

  /// Returns the action of a step, for messages.
  private static func name(of step: FirestoreJSON) -> String {
    guard case .object(let members) = step else { return "?" }
    return members.keys.map(\.string).filter { !$0.hasPrefix("expected") }.sorted().joined(separator: ", ")
  }

  /// Completes what scripts don't mention: fires skipped timers and reports open write streams to the client.
  private func settle() throws {
    if failsAfterDelivery { disk.heal() }
    timers.runSkipped()
    while streams.hasUnreportedOpening {
      streams.hasUnreportedOpening = false
      try sync.remote?.receive(.opened(token: nil))
    }
  }

  /// Performs the action of a step.
  private func act(_ step: FirestoreJSON) throws {
    guard case .object(let members) = step else { throw SpecError("A step is no object.") }
    for (name, argument) in members where !name.string.hasPrefix("expected") {
      try act(name.string, argument)
      return
    }
  }

  /// Performs an action.
  ///
  /// - Parameters:
  ///   - name: the name in the spec format, for example `userSet`.
  ///   - argument: the argument.
  private func act(_ name: String, _ argument: FirestoreJSON) throws {
    switch name {
    case "userListen": try listen(argument)
    case "userUnlisten":
      guard argument.array.count == 2 else { throw SpecError("A query is missing.") }
      let query = try argument.array[1].viewQuery()
      guard let listener = listeners.removeValue(forKey: query) else { throw SpecError("Nobody listens.") }
      try sync.unlisten(listener)
    case "userSet":
      let fields = argument.array.last?.plainFields ?? Fields()
      try write(DocumentWrite(try (argument.array.first ?? .null).path(), .set(fields)))
    case "userPatch":
      guard case .object(let members)? = argument.array.last else { throw SpecError("A patch is missing.") }
      var fields = Fields()
      var mask: [FieldPath] = []
      for (name, value) in members {
        let field = try FieldPath(dotted: name.string)
        // This string marks a field to be deleted.
        if value.string != "<DELETE>" { fields[field] = value.plainValue }
        mask.append(field)
      }
      let path = try (argument.array.first ?? .null).path()
      try write(DocumentWrite(path, .update(fields, mask: mask), precondition: .exists(true)))
    case "userDelete": try write(DocumentWrite(try argument.path(), .delete))
    case "addSnapshotsInSyncListener":
      syncObservers.append(sync.listeners.addSyncObserver { [weak self] in self?.syncEvents += 1 })
    case "removeSnapshotsInSyncListener":
      if let observer = syncObservers.popLast() { sync.listeners.removeSyncObserver(observer) }
    case "waitForPendingWrites":
      sync.waitForPendingWrites { [weak self] _ in self?.pendingWritesEvents += 1 }
    case "loadBundle": try sync.load(try Bundle(Data((argument.string ?? "").utf8)))
    case "changeUser":
      user = argument.string
      sync.changeUser(to: user)
    case "drainQueue": break
    case "enableNetwork":
      usesNetwork = argument.boolean ?? true
      if usesNetwork {
        sync.remote?.enableNetwork()
      } else {
        // Waiting batches are sent before the network is disabled.
        sync.remote?.fillPipeline()
        try settle()
        sync.remote?.disableNetwork()
      }
    case "runTimer": try runTimer(argument.string ?? "")
    case "restart": try restart()
    case "shutdown": sync.remote?.terminate()
    case "clearPersistence": try clear()
    case "triggerLruGC":
      _ = try local.collectGarbage(over: Int(argument.integer ?? 0), percent: 100, limit: 1000)
    case "failDatabase": try failDatabase(argument.array.compactMap(\.string))
    case "writeAck", "failWrite": try answerWrite(name, argument)
    default: try watch(name, argument)
    }
  }

  /// Lets operations of the database fail, which the script gives by the names of their transactions in the
  /// official clients; without names, everything succeeds again.
  ///
  /// Nothing else writes while they fail, so the disk refuses all writes. The exception is what records the
  /// documents that listeners see, which follows the delivery of a snapshot.
  private func failDatabase(_ operations: [String]) throws {
    failsAfterDelivery = operations == ["notifyLocalViewChanges"]
    guard !operations.isEmpty, !failsAfterDelivery else { return disk.heal() }
    let known: Set = [
      "Acknowledge batch", "Allocate target", "Apply remote event", "Get last remote snapshot version",
      "Handle user change", "Locally write mutations", "Release target",
    ]
    if let name = operations.first(where: { !known.contains($0) }) {
      throw SpecError("There is no operation \(name).")
    }
    disk.breakWrites()
  }

  /// Fires a timer by its name in the spec format.
  private func runTimer(_ name: String) throws {
    if name == "all" { return timers.runAll() }
    let timers: [String: SyncTimer] = [
      "online_state_timeout": .onlineState, "async_queue_retry": .databaseRetry,
      "listen_stream_connection_backoff": .listenBackoff, "listen_stream_idle": .listenIdle,
      "write_stream_connection_backoff": .writeBackoff, "write_stream_idle": .writeIdle,
    ]
    guard let timer = timers[name] else { throw SpecError("There is no timer \(name).") }
    self.timers.run(timer)
  }

  // MARK: - Users

  /// Adds a listener and checks the ID of its target.
  private func listen(_ argument: FirestoreJSON) throws {
    guard let json = argument["query"] else { throw SpecError("A query is missing.") }
    let query = try json.viewQuery()
    // `waitForSyncWhenOnline` occurs in some files, but the official runners ignore it, and the expectations
    // don't depend on it.
    let options = argument["options"]
    let listener = QueryListener(
      query,
      QueryListener.Options(
        includesMetadataChanges: options?["includeMetadataChanges"]?.boolean ?? true,
        asksRemote: options?["source"]?.string != "cache"),
      onSnapshot: { [weak self] in self?.received($0) },
      onError: { [weak self] error in
        self?.events.append(SpecEvent(query, error: error))
        self?.listeners[query] = nil
      })
    listeners[query] = listener
    sync.listen(listener)
    let expected = Int(argument["targetId"]?.integer ?? 0)
    let number = local.activeID(of: query.target) ?? 0
    guard listeners[query] == nil || number == expected else {
      throw SpecError("The target is \(number), not \(expected).")
    }
  }

  /// Records a snapshot of a listener.
  private func received(_ snapshot: ViewSnapshot) {
    events.append(SpecEvent(snapshot))
    if failsAfterDelivery { disk.breakWrites() }
  }

  /// Performs a write and records its acknowledgement or rejection.
  private func write(_ write: DocumentWrite) throws {
    let key = write.document.text
    do {
      try sync.write([write]) { [weak self] result in
        switch result {
        case .success: self?.acknowledged.append(key)
        case .failure: self?.rejected.append(key)
        }
      }
    } catch is SQLiteError {
      rejected.append(key)
    }
  }

  private func restart() throws {
    sync.remote?.terminate()
    listeners = [:]
    syncObservers = []
    streams = ScriptedStreams()
    disk.heal()
    if persistence == .disk { connection = try Self.open(path, on: disk) }
    local = try Self.local(connection, spec, persistence, user: user)
    sync = SyncEngine(local: local, environment: Self.environment(spec, streams, timers))
    if usesNetwork { sync.remote?.enableNetwork() }
  }

  private func clear() throws {
    guard persistence == .disk, let path else { return }
    for suffix in ["", "-wal", "-walmark", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
    connection = try Self.open(path, on: disk)
  }

  // MARK: - The remote

  /// Acknowledges or rejects the oldest batch that was sent.
  private func answerWrite(_ name: String, _ argument: FirestoreJSON) throws {
    guard streams.isWriteOpen, !streams.sent.isEmpty else { throw SpecError("No write has been sent.") }
    let batch = streams.sent.removeFirst()
    if name == "writeAck" {
      let version = argument["version"]?.version ?? .zero
      let commit = RemoteCommit(
        time: version, results: batch.writes.map { _ in RemoteCommit.Result(updateTime: version) })
      try sync.remote?.receive(.committed(commit, token: nil))
    } else {
      streams.loseWrite()
      try sync.remote?.writeCloses(argument["error"]?.remoteError)
    }
  }

  /// Delivers an event of the listen stream to the client.
  private func watch(_ name: String, _ argument: FirestoreJSON) throws {
    guard let remote = sync.remote else { throw SpecError("There is no remote.") }
    switch name {
    case "watchAck": try remote.receive(.target(TargetChange(.added, targets: argument.numbers)))
    case "watchCurrent":
      let token = argument.array.last?.string.map { Data($0.utf8) }
      try remote.receive(
        .target(TargetChange(.current, targets: argument.array.first?.numbers ?? [], token: token)))
    case "watchReset": try remote.receive(.target(TargetChange(.reset, targets: argument.numbers)))
    case "watchRemove":
      let ids = argument["targetIds"]?.numbers ?? []
      let cause = argument["cause"]?.remoteError
      if cause != nil { for id in ids { streams.activeTargets[id] = nil } }
      try remote.receive(.target(TargetChange(.removed(cause), targets: ids)))
    case "watchEntity":
      let added = argument["targets"]?.numbers ?? []
      let removed = argument["removedTargets"]?.numbers ?? []
      if let key = argument["key"] {
        try remote.receive(.removed(try key.path(), from: removed))
      } else {
        for document in argument["docs"]?.array ?? [argument["doc"]].compactMap({ $0 }) {
          let document = RemoteDocument(
            path: try (document["key"] ?? .null).path(), fields: document["value"].map(\.plainFields),
            updateTime: document["version"]?.version ?? .zero)
          try remote.receive(.document(document, added: added, removed: removed))
        }
      }
    case "watchFilter":
      let bits = argument["bloomFilter"]?["bits"]
      let names = argument["bloomFilter"].map { filter in
        BloomFilterBits(
          bitmap: Data(base64Encoded: bits?["bitmap"]?.string ?? "") ?? Data(),
          padding: Int(bits?["padding"]?.integer ?? 0), hashCount: Int(filter["hashCount"]?.integer ?? 0),
          prefix: "projects/test-project/databases/(default)/documents/")
      }
      for target in argument["targetIds"]?.numbers ?? [] {
        let count = argument["keys"]?.array.count ?? 0
        try remote.receive(.existenceFilter(ExistenceFilter(target: target, count: count, names: names)))
      }
    case "watchSnapshot":
      let token = argument["resumeToken"]?.string.map { Data($0.utf8) }
      try remote.receive(
        .target(
          TargetChange(
            .noChange, targets: argument["targetIds"]?.numbers ?? [], token: token,
            readTime: argument["version"]?.version)))
    case "watchStreamClose":
      streams.closeListen()
      try remote.listenCloses(argument["error"]?.remoteError)
      // As in the official runners, later attempts aren't delayed either.
      if argument["runBackoffTimer"]?.boolean ?? false { timers.skipped.insert(.listenBackoff) }
    default: throw SpecError("The step isn't known.")
    }
  }

  // MARK: - Expectations

  /// Compares the observed events and the state with the expectations of a step.
  ///
  /// - Throws: ``SpecError`` for the first difference.
  private func check(_ step: FirestoreJSON) throws {
    let expected = try (step["expectedSnapshotEvents"]?.array ?? []).map(SpecEvent.init)
    try compare(
      "events", events.map(\.description).sorted(), expected.map(\.description).sorted())
    try compare("snapshots in sync", syncEvents, Int(step["expectedSnapshotsInSyncEvents"]?.integer ?? 0))
    try compare(
      "pending writes", pendingWritesEvents, Int(step["expectedWaitForPendingWritesEvents"]?.integer ?? 0))
    let state = step["expectedState"]
    let callbacks = state?["userCallbacks"]
    try compare(
      "acknowledged", acknowledged, (callbacks?["acknowledgedDocs"]?.array ?? []).compactMap(\.string))
    try compare("rejected", rejected, (callbacks?["rejectedDocs"]?.array ?? []).compactMap(\.string))
    if let state { try check(state: state) }
    if usesNetwork { try checkTargets() }
    let active = Set(sync.activeLimboDocuments.keys.map(\.text))
    try compare("documents in limbo", active.sorted(), expectedLimbo.sorted())
    try compare(
      "documents waiting in limbo", sync.enqueuedLimboDocuments.map(\.text).sorted(),
      expectedLimboQueue.sorted())
  }

  /// Records the expected state, and compares the numbers that a step states for itself.
  private func check(state: FirestoreJSON) throws {
    if case .object(let targets)? = state["activeTargets"] {
      expectedTargets = Dictionary(
        uniqueKeysWithValues: targets.compactMap { key, value in Int(key.string).map { ($0, value) } })
    }
    if let documents = state["activeLimboDocs"] { expectedLimbo = Set(documents.array.compactMap(\.string)) }
    if let documents = state["enqueuedLimboDocs"] {
      expectedLimboQueue = Set(documents.array.compactMap(\.string))
    }
    if let count = state["numOutstandingWrites"]?.integer {
      try compare("outstanding writes", sync.remote?.pipeline.count ?? 0, Int(count))
    }
    if let count = state["writeStreamRequestCount"]?.integer {
      try compare("requests on the write stream", streams.writeRequests, Int(count))
    }
    if let count = state["watchStreamRequestCount"]?.integer {
      try compare("requests on the listen stream", streams.listenRequests, Int(count))
    }
  }

  /// Compares the active targets with the expected ones, including their purposes, resume tokens and read
  /// times.
  private func checkTargets() throws {
    try compare("active targets", streams.activeTargets.keys.sorted(), expectedTargets.keys.sorted())
    for (id, expected) in expectedTargets {
      guard let target = streams.activeTargets[id], let json = expected["queries"]?.array.first else {
        continue
      }
      let wanted = TargetData(id: id, target: try json.viewQuery().target)
      try compare(
        "target \(id)", "\(target.content)", "\(wanted.request(expecting: nil).content)")
      let purpose: ListenTarget.Purpose =
        switch expected["targetPurpose"]?.string {
        case "TargetPurposeLimboResolution": .limboResolution
        case "TargetPurposeExistenceFilterMismatch": .existenceFilterMismatch
        case "TargetPurposeExistenceFilterMismatchBloom": .existenceFilterMismatchBloom
        default: .listen
        }
      try compare("purpose of target \(id)", "\(target.purpose)", "\(purpose)")
      let token = expected["resumeToken"]?.string ?? ""
      if let readTime = expected["readTime"] {
        try compare(
          "read time of target \(id)", "\(target.resumption as Any)",
          "\(ListenTarget.Resumption.readTime(readTime.version) as Any? as Any)")
      } else {
        var seen = ""
        if case .token(let bytes) = target.resumption { seen = String(decoding: bytes, as: UTF8.self) }
        try compare("token of target \(id)", seen, token)
      }
      if let count = expected["expectedCount"]?.integer {
        try compare("expected count of target \(id)", target.expectedCount ?? -1, Int(count))
      }
    }
  }

  /// Throws an error that names the difference if two values aren't equal.
  private func compare<Element: Equatable>(_ what: String, _ seen: Element, _ expected: Element) throws {
    guard seen == expected else { throw SpecError("\(what): saw \(seen), expected \(expected)") }
  }
}
