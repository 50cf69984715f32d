import Foundation
import TenonCore

/// The stream of refused writes.
extension StoreEngine {
  /// One iteration over the refused writes.
  struct RejectionObserver {
    let channel: AsyncThrowingStream<RejectedWrite, any Error>.Continuation
    /// The refusals that were delivered.
    var delivered: Set<UUID> = []
  }

  nonisolated func writeRejections() -> AsyncThrowingStream<RejectedWrite, any Error> {
    let (stream, channel) = AsyncThrowingStream<RejectedWrite, any Error>.makeStream()
    let id = UUID()
    let isOver = Lock(false)
    channel.onTermination = { [weak self] _ in
      isOver.withLock { $0 = true }
      Task { await self?.removeRejectionObserver(id) }
    }
    Task {
      do { try await addRejectionObserver(id, channel) } catch { channel.finish(throwing: error) }
      // It may have ended before it was added.
      if isOver.withLock({ $0 }) { await removeRejectionObserver(id) }
    }
    return stream
  }

  private func addRejectionObserver(
    _ id: UUID, _ channel: AsyncThrowingStream<RejectedWrite, any Error>.Continuation
  ) async throws {
    try await useAsUser { running in
      rejectionObservers[id] = RejectionObserver(channel: channel)
      startPolling(running)
      deliverRejections()
    }
  }

  private func removeRejectionObserver(_ id: UUID) {
    rejectionObservers[id] = nil
    stopPollingIfIdle()
  }

  /// Delivers the refused writes that observers haven't received yet.
  func deliverRejections() {
    guard !rejectionObservers.isEmpty, case .open(let running) = state else { return }
    do {
      let rejections = try running.local.rejections().map(RejectedWrite.init)
      for id in rejectionObservers.keys {
        for rejection in rejections
        where rejectionObservers[id]?.delivered.insert(rejection.id).inserted == true {
          rejectionObservers[id]?.channel.yield(rejection)
        }
      }
    } catch {
      configuration.logger.error("The refused writes can't be read: \(error)")
      endRejections(throwing: StoreError.wrapping(error))
    }
  }

  func endRejections(throwing error: (any Error)?) {
    for observer in rejectionObservers.values { observer.channel.finish(throwing: error) }
    rejectionObservers = [:]
  }
}
