import TenonCore

/// Garbage collection of what the cache no longer needs.
extension StoreEngine {
  /// Schedules garbage collection: one minute after opening the database, then every five minutes, as
  /// Firestore's clients do. Only databases with a remote and a size threshold are collected in this way.
  func scheduleCollection(_ running: Running, first: Bool = true) {
    guard running.local.hasRemote,
      case .leastRecentlyUsed(let threshold?) = configuration.settings.garbageCollection
    else { return }
    running.timers.schedule(.garbageCollection, after: first ? .seconds(60) : .seconds(300)) { [weak self] in
      self?.assumeIsolated { engine in engine.collectGarbage(over: threshold) }
    }
  }

  /// Collects garbage, and schedules the next collection. Errors are logged.
  ///
  /// - Parameter threshold: the size in bytes below which nothing is collected.
  private func collectGarbage(over threshold: Int) {
    guard case .open(let running) = state else { return }
    do { _ = try running.local.collectGarbage(over: threshold) } catch {
      configuration.logger.warning("The cache can't be made smaller: \(error)")
    }
    scheduleCollection(running, first: false)
  }
}
