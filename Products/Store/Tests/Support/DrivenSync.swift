import Foundation
import TenonCore
import TenonDocuments
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport

@testable import TenonStore
@testable import TenonStoreEngine

/// A sync engine over a file, with timers and streams that a test controls.
final class DrivenSync {
  /// Timers that fire when the test requests it.
  final class Timers: SyncTimers {
    private(set) var waiting: [SyncTimer: (delay: Duration, action: () -> Void)] = [:]

    func schedule(_ timer: SyncTimer, after delay: Duration, _ action: @escaping () -> Void) {
      waiting[timer] = (delay, action)
    }
    func cancel(_ timer: SyncTimer) { waiting[timer] = nil }
    func fire(_ timer: SyncTimer) { waiting.removeValue(forKey: timer)?.action() }
  }

  /// Streams that record what is sent.
  final class Streams: RemoteStreams {
    /// The number of times that the listen stream was opened.
    private(set) var openings = 0
    /// The targets of the open listen stream.
    private(set) var targets: [ListenTarget] = []
    /// The batches that were sent.
    private(set) var batches: [RemoteBatch] = []
    let pipelineDepth: Int

    init(pipelineDepth: Int) { self.pipelineDepth = pipelineDepth }

    func openListen(for user: String?) {
      openings += 1
      targets = []
    }
    func send(_ request: ListenRequest) {
      switch request {
      case .add(let target): targets.append(target)
      case .remove(let id): targets.removeAll { $0.id == id }
      }
    }
    func closeListen() { targets = [] }
    func openWrite(token: Data?, for user: String?) {}
    func send(_ batch: RemoteBatch) { batches.append(batch) }
    func closeWrite() {}
  }

  let directory: TestDirectory
  let connection: Connection
  let local: LocalDatabase
  let timers = Timers()
  /// The clock, which doesn't fire the timers.
  let time = TestTime()
  /// Receives what is logged.
  let log = LogRecorder()
  let streams: Streams
  let sync: SyncEngine
  private let answered = Counter()
  /// The number of times that the engine has reported an answer of the remote.
  var answers: Int { answered.count }

  private final class Counter {
    var count = 0
  }

  init(disk: FaultyDisk? = nil, pipelineDepth: Int = 10) throws {
    streams = Streams(pipelineDepth: pipelineDepth)
    directory = try TestDirectory()
    connection = try Connection.open(
      directory.file, migrations: LocalSchema.migrations, disk: disk?.name,
      key: TestEncryption.key)
    local = try LocalDatabase(connection, sharing: .remote, now: .zero)
    sync = SyncEngine(
      local: local,
      environment: SyncEngine.Environment(
        streams: streams, timers: timers, time: time.source, logger: log.logger,
        report: { [answered] report in
          if case .remoteAnswered = report { answered.count += 1 }
        }))
    sync.remote?.enableNetwork()
  }

  /// Adds a listener to the collection `c`.
  ///
  /// - Parameter onSnapshot: called with the IDs of the documents.
  func listen(onSnapshot: @escaping ([String]) -> Void = { _ in }) throws -> QueryListener {
    let query = StructuredQuery(parent: ResourcePath(segments: []), collectionID: "c")
    let listener = QueryListener(
      ListenQuery(try RunnableQuery(query)), QueryListener.Options(),
      onSnapshot: { onSnapshot($0.documents.documents.map(\.path.id)) }, onError: { _ in })
    sync.listen(listener)
    return listener
  }

  /// Sends a consistent snapshot to all targets of the listen stream.
  ///
  /// - Parameters:
  ///   - seconds: the time of the snapshot; the resume token is the same number.
  ///   - documents: the IDs of the documents of the collection `c` that have changed.
  func sendSnapshot(at seconds: Int64, _ documents: [String] = []) throws {
    let (time, ids) = (Timestamp(seconds: seconds), streams.targets.map(\.id))
    for id in documents {
      let path = ResourcePath(segments: ["c", id])
      let document = RemoteDocument(path: path, fields: ["n": 1], createTime: time, updateTime: time)
      try sync.remote?.receive(.document(document, added: ids, removed: []))
    }
    let token = Data("\(seconds)".utf8)
    try sync.remote?.receive(.target(TargetChange(.current, targets: ids, token: token)))
    try sync.remote?.receive(.target(TargetChange(.noChange, readTime: time)))
  }

  /// Acknowledges the targets that were requested on the listen stream.
  func acknowledgeTargets() throws {
    try sync.remote?.receive(.target(TargetChange(.added, targets: streams.targets.map(\.id))))
  }

  /// The saved resume tokens.
  var savedTokens: [String] {
    get throws {
      try connection.rows("SELECT token FROM targets") { String(decoding: $0.blob(0), as: UTF8.self) }
    }
  }
}
