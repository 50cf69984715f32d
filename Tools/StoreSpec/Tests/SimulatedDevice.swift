import Foundation
import TenonCore
import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStoreEngine
@testable import store_spec

/// A server, without a network in front of it.
final class SimulatedServer {
  var documents = MemoryDocuments(identity: "simulation", name: "(default)")
  /// The answers so far, so that a batch that is sent again isn't applied again.
  private var answers: [UUID: RemoteCommit] = [:]

  func apply(_ batch: RemoteBatch) throws -> RemoteCommit {
    if let answer = answers[batch.id] { return answer }
    let answer = try documents.commit(batch.writes)
    answers[batch.id] = answer
    return answer
  }
}

/// One device: an engine, and the messages between it and the server. Each step happens when the test says
/// so.
final class SimulatedDevice {
  let server: SimulatedServer
  let storage: SimulatedStorage
  private let clock = SimulatedClock()
  private(set) var local: LocalDatabase
  private(set) var sync: SyncEngine
  let timers = ScriptedTimers()
  private var streams = ScriptedStreams()
  private var responder: ListenResponder?
  private var events: [ListenEvent] = []
  private var answers: [RemoteCommit] = []
  private var listenOpening = 0
  private var writeOpening = 0
  private(set) var listeners: [ListenQuery: QueryListener] = [:]
  /// The results of the listeners, assembled from the changes that they got.
  private(set) var held: [ListenQuery: [ResourcePath: Fields]] = [:]
  private(set) var isFromCache: [ListenQuery: Bool] = [:]
  /// How often each write was answered.
  private(set) var settled: [Int: Int] = [:]
  private(set) var written = 0
  private(set) var user: String?

  init(_ server: SimulatedServer) throws {
    self.server = server
    timers.skipped = []
    storage = try SimulatedStorage()
    local = try LocalDatabase(storage.open(), sharing: .remote, now: .zero)
    sync = SyncEngine(local: local, environment: Self.environment(streams, timers, clock))
    sync.remote?.enableNetwork()
  }

  private static func environment(
    _ streams: ScriptedStreams, _ timers: ScriptedTimers, _ clock: SimulatedClock
  ) -> SyncEngine.Environment {
    SyncEngine.Environment(
      streams: streams, timers: timers, time: TimeSource(date: { clock.now.dateValue() }, random: { 0.5 }),
      logger: AppLogger(source: "simulation"), limboLimit: 3)
  }

  // MARK: - The user

  /// - Returns: whether the writes were made. This device may know that they can't be.
  @discardableResult
  func write(_ writes: [DocumentWrite]) throws -> Bool {
    written += 1
    let number = written
    do {
      try sync.write(writes) { [weak self] _ in self?.settled[number, default: 0] += 1 }
      return true
    } catch let error as StoreError where [.notFound, .alreadyExists].contains(error.code) {
      return false
    }
  }

  func listen(_ query: ListenQuery) {
    guard listeners[query] == nil else { return }
    let listener = QueryListener(
      query, QueryListener.Options(includesMetadataChanges: true),
      onSnapshot: { [weak self] in self?.take($0) },
      onError: { [weak self] _ in self?.forget(query) })
    listeners[query] = listener
    held[query] = [:]
    sync.listen(listener)
  }

  func unlisten(_ query: ListenQuery) throws {
    guard let listener = listeners.removeValue(forKey: query) else { return }
    try sync.unlisten(listener)
  }

  /// A listener has ended.
  private func forget(_ query: ListenQuery) {
    listeners[query] = nil
    held[query] = nil
    isFromCache[query] = nil
  }

  private func take(_ snapshot: ViewSnapshot) {
    isFromCache[snapshot.query] = snapshot.isFromCache
    for change in snapshot.changes.values {
      let fields = change.kind == .removed ? nil : change.document.fields
      held[snapshot.query, default: [:]][change.document.path] = fields
    }
  }

  func changeUser(to user: String?) {
    self.user = user
    sync.changeUser(to: user)
  }

  /// Changes which fields are indexed, and whether texts are; `seed` chooses. The indexes are built by
  /// ``buildIndexes(limit:)``.
  func setIndexing(_ seed: Int) throws {
    let overrides = [FieldOverride("c", "n", FieldOverride.Indexes(rawValue: seed / 3 % 4))]
    try local.fieldIndexing.apply(
      FieldIndexing.allCases[seed % 3], seed < 12 ? overrides : [], at: Int64(seed) * 86_400_000_000)
    try local.indexBuilding.declare(seed.isMultiple(of: 4) ? [] : [TextIndex("c", "t")])
  }

  /// Returns the documents that a search finds; `nil` if there currently is no text index.
  func search(_ text: String, among query: ResolvedQuery) throws -> [ResourcePath]? {
    guard !local.tables.indexes.textIndexes.isEmpty else { return nil }
    return try #require(try local.reader.search(text, among: query)).hits.map(\.document.path)
  }

  /// Builds indexes, or deletes entries of dropped ones.
  ///
  /// - Returns: whether there is more to do.
  func buildIndexes(limit: Int) throws -> Bool { try local.buildIndexes(limit: limit) }

  /// Sets the clock forward or back.
  func jump(bySeconds seconds: Int64) { clock.jump(bySeconds: seconds) }

  /// Restarts the process. Answers to earlier writes are lost.
  ///
  /// - Parameter isKilled: whether it ends without closing its database.
  func restart(isKilled: Bool) throws {
    storage.heal()
    sync.remote?.terminate()
    let queries = Array(listeners.keys)
    listeners = [:]
    held = [:]
    isFromCache = [:]
    streams = ScriptedStreams()
    (listenOpening, writeOpening) = (0, 0)
    forgetSession()
    answers = []
    if isKilled { try storage.kill() }
    local = try LocalDatabase(storage.open(), sharing: .remote, user: user, now: .zero)
    sync = SyncEngine(local: local, environment: Self.environment(streams, timers, clock))
    sync.remote?.enableNetwork()
    for query in queries { listen(query) }
  }

  // MARK: - The way to the server

  /// The steps between the device and the server.
  enum Step: CaseIterable {
    case openWrite, takeRequest, deliverChanges, receiveEvent, takeBatch, receiveAnswer
  }

  /// - Returns: whether there was something to do.
  func run(_ step: Step) throws -> Bool {
    forgetOldStreams()
    switch step {
    case .openWrite:
      guard streams.hasUnreportedOpening else { return false }
      streams.hasUnreportedOpening = false
      try sync.remote?.receive(.opened(token: nil))
    case .takeRequest:
      guard streams.isListenOpen, !streams.requests.isEmpty else { return false }
      try deliverChanges()
      let request = streams.requests.removeFirst()
      var responder = responder ?? ListenResponder(server.documents)
      events += try responder.take(request, server.documents)
      self.responder = responder
    case .deliverChanges:
      guard streams.isListenOpen, responder != nil, responder?.commitTime != server.documents.commitTime
      else {
        return false
      }
      try deliverChanges()
    case .receiveEvent:
      guard streams.isListenOpen, !events.isEmpty else { return false }
      try sync.remote?.receive(events.removeFirst())
    case .takeBatch:
      guard streams.isWriteOpen, !streams.hasUnreportedOpening, !streams.sent.isEmpty else {
        return false
      }
      let batch = streams.sent.removeFirst()
      do { answers.append(try server.apply(batch)) } catch let error as StoreRemoteError {
        // What was answered before arrives before.
        while try run(.receiveAnswer) {}
        streams.loseWrite()
        try sync.remote?.writeCloses(error)
      }
    case .receiveAnswer:
      guard streams.isWriteOpen, !answers.isEmpty else { return false }
      try sync.remote?.receive(.committed(answers.removeFirst(), token: nil))
    }
    return true
  }

  /// Drops the messages on streams that are closed.
  private func forgetOldStreams() {
    if !streams.isListenOpen || listenOpening != streams.listenOpenings { forgetSession() }
    if !streams.isWriteOpen || writeOpening != streams.writeOpenings { answers = [] }
    listenOpening = streams.listenOpenings
    writeOpening = streams.writeOpenings
  }

  private func deliverChanges() throws {
    guard var responder else { return }
    events += try responder.advance(server.documents)
    self.responder = responder
  }

  private func forgetSession() {
    responder = nil
    events = []
  }

  /// The listen stream breaks; messages on their way are lost.
  func dropListen() throws {
    guard streams.isListenOpen else { return }
    streams.closeListen()
    forgetSession()
    try sync.remote?.listenCloses(StoreRemoteError(.unavailable, "The connection was lost."))
  }

  /// The write stream breaks; answers that were on their way are lost.
  func dropWrite() throws {
    guard streams.isWriteOpen else { return }
    answers = []
    streams.loseWrite()
    try sync.remote?.writeCloses(StoreRemoteError(.unavailable, "The connection was lost."))
  }

  /// The server sends something unexpected.
  func receive(_ event: ListenEvent) throws { try sync.remote?.receive(event) }
  func receive(_ event: WriteEvent) throws { try sync.remote?.receive(event) }

  /// Runs all steps until nothing is left to do.
  func settle() throws {
    storage.heal()
    sync.remote?.enableNetwork()
    var isBusy = true
    while isBusy {
      isBusy = false
      for timer in [SyncTimer.listenBackoff, .writeBackoff, .databaseRetry, .acknowledgedDocuments]
      where timers.run(timer) {
        isBusy = true
      }
      for step in Step.allCases { while try run(step) { isBusy = true } }
    }
  }
}

/// The clock of a device.
final class SimulatedClock: Sendable {
  private let time = Lock(Timestamp(seconds: 1_000_000))

  var now: Timestamp { time.withLock { $0 } }

  func jump(bySeconds seconds: Int64) {
    time.withLock { $0 = Timestamp(seconds: max(0, $0.seconds + seconds), nanoseconds: $0.nanoseconds) }
  }
}
