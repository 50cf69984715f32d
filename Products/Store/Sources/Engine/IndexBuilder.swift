import TenonCore

/// Builds composite indexes in the background, continuing where building stopped.
///
/// Each step is a transaction that also saves the progress, so building continues after a restart, and other
/// processes see what was built. Its lifetime is that of the open database; confined to the engine's executor.
final class IndexBuilder {
  /// The number of documents indexed per step, after which other work runs.
  static let stepSize = 200

  private let indexes: IndexBuilding
  private let logger: Logger
  private var task: Task<Void, Never>?

  /// - Parameters:
  ///   - indexes: performs the steps.
  ///   - logger: receives the error that stops building.
  init(_ indexes: IndexBuilding, _ logger: Logger) {
    self.indexes = indexes
    self.logger = logger
  }

  /// Starts building. Call it at most once.
  ///
  /// - Parameter wake: calls ``step()`` on the engine's executor, and returns its result. It is called until it
  ///   returns `false`.
  func start(wake: @escaping @Sendable () async -> Bool) {
    // Other work of the engine runs between two steps.
    task = Task {
      while !Task.isCancelled, await wake() { await Task.yield() }
    }
  }

  /// Performs one step of building.
  ///
  /// - Returns: whether there is more to do; `false` after an error, which is logged.
  func step() -> Bool {
    do { return try indexes.step(limit: Self.stepSize) } catch {
      // Queries are answered without the index. Building continues when the database is next opened.
      logger.warning("Declared indexes can't be built now: \(error)")
      return false
    }
  }

  /// Stops building after the step in progress, if there is one.
  func stop() { task?.cancel() }
}

extension StoreEngine {
  /// Performs one step of building indexes.
  ///
  /// - Parameter limit: the maximum number of documents to index.
  /// - Returns: whether there is more to do.
  /// - Throws: ``StoreError``; `CancellationError`.
  func buildIndexes(limit: Int = IndexBuilder.stepSize) async throws -> Bool {
    try await useAsUser { try $0.local.indexBuilding.step(limit: limit) }
  }

  /// Returns the composite indexes and the progress of building them.
  func indexProgress() async throws -> [IndexProgress] {
    try await useAsUser { try $0.local.indexBuilding.progress() }
  }
}
