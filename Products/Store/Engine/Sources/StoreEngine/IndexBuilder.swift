import TenonCore
import TenonFoundation
import TenonSQLite
import TenonValues

/// Builds indexes in the background, continuing where building stopped, and deletes the entries of dropped
/// ones.
///
/// Each step is a transaction that also saves the progress, so building continues after a restart, and other
/// processes see what was built. Its lifetime is that of the open database; confined to the engine's
/// executor.
final class IndexBuilder {
  private let indexes: IndexBuilding
  private let time: TimeSource
  private let logger: AppLogger
  private let telemetry: StoreTelemetry
  private var task: Task<Void, Never>?
  /// Whether ``task`` has more to do.
  private var isBuilding = false

  /// - Parameters:
  ///   - indexes: performs the steps.
  ///   - time: limits them.
  ///   - logger: receives the error that stops building.
  ///   - telemetry: measures the steps.
  init(_ indexes: IndexBuilding, _ time: TimeSource, _ logger: AppLogger, _ telemetry: StoreTelemetry) {
    self.indexes = indexes
    self.time = time
    self.logger = logger
    self.telemetry = telemetry
  }

  /// Starts building, unless it is in progress.
  ///
  /// - Parameter wake: calls ``step()`` on the engine's executor, and returns its result. It is called until
  ///   it returns `false`.
  func start(wake: @escaping @Sendable () async -> Bool) {
    guard !isBuilding else { return }
    isBuilding = true
    // Other work of the engine runs between two steps.
    task = Task {
      while !Task.isCancelled, await wake() { await Task.yield() }
    }
  }

  /// Performs one step of building.
  ///
  /// - Parameter deleting: runs a deletion in a way that succeeds on a full disk.
  /// - Returns: whether there is more to do; `false` after an error, which is logged.
  func step(deleting: (() throws -> Bool) throws -> Bool) -> Bool {
    do {
      let start = try telemetry.isRecording && indexes.hasWork() ? time.now() : nil
      defer { if let start { telemetry.indexesBuilt(for: time.now() - start) } }
      do { isBuilding = try indexes.step(.usual(time)) } catch let error as SQLiteError where error.needsSpace
      {
        // The rows of dropped collections leave the space that indexes need. A smaller step needs less itself.
        guard try deleting({ try indexes.deleteDropped(limit: 50) }) else { throw error }
        isBuilding = true
      }
    } catch {
      // Queries are answered without the index. Building continues when a query next lacks one, or the
      // database is opened.
      logger.warning("Indexes can't be built now: \(error)")
      isBuilding = false
    }
    return isBuilding
  }

  /// Stops building after the step in progress, if there is one.
  func stop() { task?.cancel() }
}

extension IndexBuilding.Budget {
  /// The size of a step after which other work runs: up to 5,000 documents, which are read for at most 10 ms.
  /// The more documents a step indexes, the fewer pages of the index it changes for each.
  static func usual(_ time: TimeSource) -> Self {
    let end = time.now() + .milliseconds(10)
    return Self(documents: 5_000, entries: 1_000) { time.now() >= end }
  }

  /// A step of a number of documents and four times as many entries.
  static func documents(_ count: Int) -> Self { Self(documents: count, entries: count * 4) }
}

extension StoreEngine {
  /// Performs one step of building indexes.
  ///
  /// - Parameter limit: the maximum number of documents to index; `nil` for a step of the usual size.
  /// - Returns: whether there is more to do.
  /// - Throws: ``StoreError``; `CancellationError`.
  package func buildIndexes(limit: Int? = nil) async throws -> Bool {
    let time = configuration.time
    return try await useAsUser {
      try $0.local.indexBuilding.step(limit.map { .documents($0) } ?? .usual(time))
    }
  }

  /// Registers the indexes that queries have lacked, and begins to build them. Errors are logged: the next
  /// query that lacks an index tries again.
  package func fulfillIndexRequests() {
    guard case .open(let running) = state, !running.local.isReadOnly else { return }
    running.local.tables.indexRequests.add(readers.takeRequests())
    do {
      try running.local.fieldIndexing.fulfill(at: configuration.time.timestamp().microsecondsSince1970)
    } catch {
      configuration.logger.warning("An index that a query needs can't be registered now: \(error)")
    }
    startBuilding(running)
  }

  /// Starts building indexes in the background, if that is enabled and there is something to do.
  func startBuilding(_ running: Running) {
    guard configuration.buildsIndexes, !running.local.isReadOnly else { return }
    running.indexes.start { [weak self] in await self?.buildIndexesInBackground() ?? false }
  }

  /// Performs one step of building indexes.
  ///
  /// - Returns: whether there is more to do; `false` also if the database was closed in the meantime.
  private func buildIndexesInBackground() -> Bool {
    guard case .open(let running) = state else { return false }
    return running.indexes.step { try self.deleting($0) }
  }

  /// Returns the indexes of fields that have been registered, and the progress of building them.
  package func fieldIndexProgress() async throws -> [IndexProgress<CompositeIndex>] {
    try await useAsUser { try $0.local.indexBuilding.fieldProgress() }
  }

  /// Returns the composite indexes and the progress of building them.
  package func indexProgress() async throws -> [IndexProgress<CompositeIndex>] {
    try await useAsUser { try $0.local.indexBuilding.progress() }
  }
}
