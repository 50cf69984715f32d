import TenonCore

extension StoreEngine {
  /// How many documents are taken into an index before others get their turn.
  private static let indexStep = 200

  /// Builds declared indexes beside other work, from where it was left.
  func startBuildingIndexes() {
    guard configuration.buildsIndexes else { return }
    // Anything that the task would have to wait for comes between two steps.
    indexBuilding = Task { [weak self] in
      while !Task.isCancelled {
        guard await self?.buildIndexesInBackground() == true else { return }
        await Task.yield()
      }
    }
  }

  private func buildIndexesInBackground() -> Bool {
    guard case .open(let running) = state else { return false }
    do { return try running.local.buildIndexes(limit: Self.indexStep) } catch {
      // Queries are answered without the index; the next opening goes on.
      configuration.logger.warning("Declared indexes can't be built now: \(error)")
      return false
    }
  }

  /// One step of building; whether there is more to do.
  func buildIndexes(limit: Int = indexStep) async throws -> Bool {
    try await useAsUser { try $0.local.buildIndexes(limit: limit) }
  }

  func indexProgress() async throws -> [IndexProgress] {
    try await useAsUser { try $0.local.indexProgress() }
  }
}
