import TenonCore

/// Builds composite indexes in the background, continuing where building stopped.
final class IndexBuilder {
  /// The number of documents indexed per step, after which other work runs.
  static let stepSize = 200

  private let indexes: IndexBuilding
  private let logger: Logger
  private var task: Task<Void, Never>?

  init(_ indexes: IndexBuilding, _ logger: Logger) {
    self.indexes = indexes
    self.logger = logger
  }

  /// Starts building.
  ///
  /// - Parameter wake: calls ``step()`` on the engine's executor, and returns its result.
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

  func stop() { task?.cancel() }
}

extension StoreEngine {
  /// Performs one step of building indexes, and returns whether there is more to do.
  func buildIndexes(limit: Int = IndexBuilder.stepSize) async throws -> Bool {
    try await useAsUser { try $0.local.indexBuilding.step(limit: limit) }
  }

  /// Returns the composite indexes and the progress of building them.
  func indexProgress() async throws -> [IndexProgress] {
    try await useAsUser { try $0.local.indexBuilding.progress() }
  }
}
