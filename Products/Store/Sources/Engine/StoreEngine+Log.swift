import TenonCore
import TenonSQLite

extension StoreEngine {
  /// Empties the write-ahead log once nothing has been written for a while: a program that then just ends leaves none behind.
  func trimLogWhenIdle() {
    guard path != nil, let idleTime = configuration.logIdleTime else { return }
    lastWrite = .now
    guard logTrimming == nil else { return }
    logTrimming = Task { [weak self] in
      var isDone = false
      while !isDone {
        guard (try? await Task.sleep(for: idleTime)) != nil else { return }
        isDone = await self?.trimLog(ifIdleFor: idleTime) ?? true
      }
    }
  }

  /// - Returns: whether it has been long enough since the last write.
  private func trimLog(ifIdleFor time: Duration) -> Bool {
    guard ContinuousClock.now - lastWrite >= time else { return false }
    logTrimming = nil
    guard case .open(let running) = state else { return true }
    do { try running.local.database.trimLog() } catch {
      // The log stays as it is. If the disk is broken, the next write says so.
      configuration.logger.debug("The write-ahead log of \(path ?? "") can't be emptied: \(error)")
    }
    return true
  }
}
