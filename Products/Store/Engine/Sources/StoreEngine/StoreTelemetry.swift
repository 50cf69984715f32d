import TenonFoundation
import TenonObservabilityInterop
import TenonSQLite
package import TenonStoreInterop
package import TenonTelemetry

/// What a database records for a provider of `ObservabilityInterop`: the queue, what the remote refuses,
/// outages, listeners, the work on indexes, commits, and requests to the remote. Without a provider, each
/// function compares a field with `nil`.
///
/// Names and attributes contain no path of a document: `db.namespace` is the ID of the database, and
/// `db.collection.name` that of a collection.
package struct StoreTelemetry: Sendable {
  private let telemetry: Telemetry
  /// The ID of the database.
  private let database: String

  /// Creates what a database records.
  ///
  /// - Parameters:
  ///   - telemetry: the telemetry of Store in the app.
  ///   - database: the ID of the database.
  package init(_ telemetry: Telemetry, database: String) {
    self.telemetry = telemetry
    self.database = database
  }

  /// Records nothing.
  package static let silent = StoreTelemetry(.silent, database: "")

  /// Whether there is a provider.
  var isRecording: Bool { telemetry.isRecording }

  /// The attributes of the database.
  private func attributes(_ others: TelemetryAttributes = [:]) -> TelemetryAttributes {
    others.merging(["db.namespace": .string(database)]) { first, _ in first }
  }

  /// The attributes of a request to the remote.
  private func attributes(ofRequest name: String, collection: String?) -> TelemetryAttributes {
    var attributes = attributes(["db.system.name": "firestore", "db.operation.name": .string(name)])
    attributes["db.collection.name"] = collection.map { .string($0) }
    return attributes
  }

  /// Records a commit, with the pages that the connection has written and read since the last one.
  func committed(_ pages: @autoclosure () -> Connection.PageCounts) {
    guard isRecording else { return }
    let pages = pages()
    telemetry.count("tenon.store.commits", attributes())
    telemetry.count("tenon.store.commit.pages", by: pages.written, attributes())
    if pages.missed > 0 { telemetry.count("tenon.store.cache.misses", by: pages.missed, attributes()) }
  }

  /// Records the queue.
  ///
  /// - Parameters:
  ///   - depth: the number of writes that wait for the remote's answer, those of all users.
  ///   - age: the age of the oldest one in seconds; 0 if there is none.
  func queue(depth: Int, age: Double) {
    telemetry.gauge("tenon.store.queue.depth", Double(depth), attributes())
    telemetry.gauge("tenon.store.queue.age", age, attributes())
  }

  /// Records that the remote has refused a write.
  func refused(_ error: StoreRemoteError) {
    telemetry.count("tenon.store.writes.rejected", attributes(["error.type": .string(error.code.rawValue)]))
  }

  /// Records that the remote can't be reached any more.
  func outageBegins(_ error: StoreRemoteError) {
    telemetry.count("tenon.store.sync.outages", attributes(["error.type": .string(error.code.rawValue)]))
  }

  /// Records that the remote answers again.
  func outageEnds(after duration: Duration) {
    telemetry.time("tenon.store.sync.outage.duration", duration, attributes())
  }

  /// Records the number of listeners.
  func listeners(_ count: Int) { telemetry.gauge("tenon.store.listeners", Double(count), attributes()) }

  /// Records that this process has received or given up the turn to send writes.
  func leaseChanged(isHeld: Bool) {
    telemetry.count("tenon.store.lease.changes", attributes(["tenon.store.lease.held": .bool(isHeld)]))
  }

  /// Records a step of building indexes.
  func indexesBuilt(for duration: Duration) {
    telemetry.time("tenon.store.index.build.duration", duration, attributes())
  }

  /// Performs a request to the remote, and records its duration and its span.
  ///
  /// - Parameters:
  ///   - name: the name of the operation.
  ///   - collection: the ID of the collection.
  ///   - operation: returns the answer; `nil` if there is none.
  nonisolated(nonsending) func request<Answer>(
    _ name: String, collection: @autoclosure () -> String?,
    _ operation: nonisolated(nonsending) () async throws -> Answer?
  ) async throws -> Answer? {
    try await telemetry.measure(
      "db.client.operation.duration", span: name, kind: .client,
      attributes(ofRequest: name, collection: collection()),
      outcome: { $0 == nil ? ["error.type": "unavailable"] : [:] }, operation)
  }
}

extension StoreRemoteError: TelemetryError {
  /// The code as text.
  package var telemetryCode: String { code.rawValue }
}

/// Samples the queue for a provider: a second after a write, and then every second while writes wait. Its
/// lifetime is that of the open database; confined to the engine's executor.
final class QueueSampling {
  /// The time between two samples.
  static let interval = Duration.seconds(1)

  private let time: TimeSource
  /// Records a sample on the engine's executor, and returns whether writes wait.
  private let sample: @Sendable () async -> Bool
  private var task: Task<Void, Never>?

  init(_ time: TimeSource, sample: @escaping @Sendable () async -> Bool) {
    self.time = time
    self.sample = sample
  }

  /// Begins to sample, unless it has begun. Called after each write.
  func databaseWritten() {
    guard task == nil else { return }
    task = Task { [time, sample] in await time.poll(every: QueueSampling.interval) { await sample() } }
  }

  /// Called when no write waits. The next one begins to sample again.
  func queueIsEmpty() { task = nil }

  func stop() { task?.cancel() }
}

extension StoreEngine {
  /// Records the queue.
  ///
  /// - Returns: whether writes wait; `false` also if the database was closed in the meantime.
  func sampleQueue() -> Bool {
    guard case .open(let running) = state else { return false }
    let queues = (try? running.local.queueLengths()) ?? []
    let depth = queues.reduce(0) { $0 + $1.count }
    let now = configuration.time.timestamp().microsecondsSince1970
    let oldest = queues.map(\.oldest.microsecondsSince1970).min() ?? now
    telemetry.queue(depth: depth, age: max(0, Double(now) - Double(oldest)) / 1_000_000)
    if depth == 0 { running.sampling?.queueIsEmpty() }
    return depth > 0
  }
}
