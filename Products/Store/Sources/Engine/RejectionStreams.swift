import Foundation
import TenonCore

/// The streams of rejected writes.
final class RejectionStreams {
  typealias Channel = AsyncThrowingStream<RejectedWrite, any Error>.Continuation

  private struct Observer {
    let channel: Channel
    /// The rejections that were already delivered.
    var delivered: Set<UUID> = []
  }

  private let logger: Logger
  private var observers: [UUID: Observer] = [:]

  init(_ logger: Logger) { self.logger = logger }

  var isEmpty: Bool { observers.isEmpty }

  func add(_ id: UUID, _ channel: Channel) { observers[id] = Observer(channel: channel) }
  func remove(_ id: UUID) { observers[id] = nil }

  /// Delivers the rejected writes that observers have not received yet. An error ends all streams.
  func deliver(from local: LocalDatabase) {
    guard !observers.isEmpty else { return }
    do {
      let rejections = try local.rejections().map(RejectedWrite.init)
      for id in observers.keys {
        for rejection in rejections where observers[id]?.delivered.insert(rejection.id).inserted == true {
          observers[id]?.channel.yield(rejection)
        }
      }
    } catch {
      logger.error("The refused writes can't be read: \(error)")
      finish(throwing: StoreError.wrapping(error))
    }
  }

  /// Ends all streams.
  func finish(throwing error: (any Error)?) {
    for observer in observers.values { observer.channel.finish(throwing: error) }
    observers = [:]
  }
}

extension StoreEngine {
  /// Returns a stream of the current user's rejected writes; see ``Store/writeRejections``.
  nonisolated func writeRejections() -> AsyncThrowingStream<RejectedWrite, any Error> {
    let (stream, channel) = AsyncThrowingStream<RejectedWrite, any Error>.makeStream()
    let id = UUID()
    let isOver = Lock(false)
    channel.onTermination = { [weak self] _ in
      isOver.withLock { $0 = true }
      Task { await self?.removeRejectionStream(id) }
    }
    Task {
      do { try await addRejectionStream(id, channel) } catch { channel.finish(throwing: error) }
      // The stream may have ended before it was added.
      if isOver.withLock({ $0 }) { await removeRejectionStream(id) }
    }
    return stream
  }

  private func addRejectionStream(_ id: UUID, _ channel: RejectionStreams.Channel) async throws {
    try await useAsUser { running in
      rejections.add(id, channel)
      startPolling(running)
      rejections.deliver(from: running.local)
    }
  }

  private func removeRejectionStream(_ id: UUID) {
    rejections.remove(id)
    stopPollingIfIdle()
  }
}
