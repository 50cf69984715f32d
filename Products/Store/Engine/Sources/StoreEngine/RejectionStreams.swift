import TenonCore
import TenonFoundation

/// The streams of rejected writes.
///
/// Rejections are stored in the database until the app dismisses them. They are read again whenever they may
/// have changed, and a stream delivers each one that it hasn't delivered yet, those found together in the
/// order in which the writes were made. A stream therefore also delivers rejections that another process has
/// received, and those of another user who has signed in. Owned by ``StoreEngine`` and confined to its
/// executor.
final class RejectionStreams {
  typealias Channel = AsyncThrowingStream<RejectedWrite, any Error>.Continuation

  /// A stream and what it has delivered.
  private struct Observer {
    let channel: Channel
    /// The rejections that were already delivered.
    var delivered: Set<UUID> = []
  }

  /// Receives the error that ends the streams.
  private let logger: AppLogger
  private var observers: [UUID: Observer] = [:]

  init(_ logger: AppLogger) { self.logger = logger }

  var isEmpty: Bool { observers.isEmpty }

  /// Adds a stream, which receives nothing before the next call of ``deliver(from:)``.
  func add(_ id: UUID, _ channel: Channel) { observers[id] = Observer(channel: channel) }
  /// Removes a stream that its reader has ended; no effect if it was already removed.
  func remove(_ id: UUID) { observers[id] = nil }

  /// Delivers the rejected writes of the current user that streams haven't delivered yet. An error ends all
  /// streams.
  ///
  /// - Parameter local: the open database.
  /// - Complexity: O(n) in the number of rejected writes, all of which are read and decoded.
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

  /// Ends all streams, and removes them.
  ///
  /// - Parameter error: the error that readers receive after what is already buffered; `nil` to end without
  ///   one.
  func finish(throwing error: (any Error)?) {
    for observer in observers.values { observer.channel.finish(throwing: error) }
    observers = [:]
  }
}

extension StoreEngine {
  /// Returns a stream of the current user's rejected writes; see ``Store/writeRejections``.
  ///
  /// Its buffer is unbounded. The stream is registered asynchronously; if its reader ends it before that, it
  /// is removed again immediately. If the database can't be opened or the user can't be determined, it ends
  /// with that error.
  package nonisolated func writeRejections() -> AsyncThrowingStream<RejectedWrite, any Error> {
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

  /// Registers a stream, delivers the stored rejections, and follows those that other processes receive.
  ///
  /// - Throws: ``StoreError`` if the database can't be opened or the user can't be determined;
  ///   `CancellationError`.
  private func addRejectionStream(_ id: UUID, _ channel: RejectionStreams.Channel) async throws {
    try await useAsUser { running in
      rejections.add(id, channel)
      startPolling(running)
      rejections.deliver(from: running.local)
    }
  }

  /// Removes a stream, and stops following other processes if nothing else needs it.
  private func removeRejectionStream(_ id: UUID) {
    rejections.remove(id)
    stopPollingIfIdle()
  }
}
