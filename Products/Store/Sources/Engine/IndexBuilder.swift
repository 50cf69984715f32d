import TenonCore

/// Builds declared indexes beside other work, from where building was left.
final class IndexBuilder {
  /// The number of documents that are indexed before other work gets its turn.
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
  /// - Parameter wake: calls ``step()`` where the engine runs, and returns its result.
  func start(wake: @escaping @Sendable () async -> Bool) {
    // Work that arrives meanwhile is done between two steps.
    task = Task {
      while !Task.isCancelled, await wake() { await Task.yield() }
    }
  }

  /// Does one step of building.
  ///
  /// - Returns: whether there is more to do.
  func step() -> Bool {
    do { return try indexes.step(limit: Self.stepSize) } catch {
      // Queries are answered without the index; building continues when the database is next opened.
      logger.warning("Declared indexes can't be built now: \(error)")
      return false
    }
  }

  func stop() { task?.cancel() }
}

extension StoreEngine {
  /// Does one step of building indexes; returns whether there is more to do.
  func buildIndexes(limit: Int = IndexBuilder.stepSize) async throws -> Bool {
    try await useAsUser { try $0.local.indexBuilding.step(limit: limit) }
  }

  func indexProgress() async throws -> [IndexProgress] {
    try await useAsUser { try $0.local.indexBuilding.progress() }
  }
}
