import Foundation
import TenonCore
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

extension StoreEngine {
  /// Begins to listen; it goes on as long as somebody holds what is returned.
  nonisolated func listen(to query: ViewQuery, _ options: QueryListener.Options) -> Listening {
    let channel = SnapshotChannel()
    let id = Self.listenerNumbers.withLock { last in
      last += 1
      return last
    }
    let listening = Listening(engine: self, id: id, channel: channel)
    Task { await addListener(id, channel, query, options) }
    return listening
  }

  /// The first snapshot of a query.
  func first(_ query: ViewQuery, _ options: QueryListener.Options) async throws -> ViewSnapshot {
    let listening = listen(to: query, options)
    defer { listening.end() }
    guard let snapshot = try await listening.next() else {
      try Task.checkCancellation()
      throw StoreError(.closed, "The database was closed while it was read.")
    }
    return snapshot
  }

  private static let listenerNumbers = Lock(0)

  private func addListener(
    _ id: Int, _ channel: SnapshotChannel, _ query: ViewQuery, _ options: QueryListener.Options
  ) async {
    do {
      try await useAsUser { running in
        guard !channel.isOver else { return }
        if running.sync.events.isEmpty { _ = try running.local.reading { try running.local.takeChanges() } }
        let listener = QueryListener(
          query, options, onSnapshot: { channel.send($0) },
          onError: { channel.finish(throwing: StoreError.wrapping($0)) })
        listeners[id] = listener
        channels[id] = channel
        running.sync.events.listen(listener)
        startPolling(running)
      }
    } catch {
      channel.finish(throwing: error)
    }
  }

  // MARK: - Writes that views haven't taken in

  /// Updates the views after the work that waits already, the return of the write included.
  func updateViewsSoon() {
    hasUnseenWrites.withLock { $0 = true }
    Task { updateViews() }
  }

  /// Has listeners learn what was written.
  func updateViews() {
    // Afterwards, so that a reader that finds it cleared finds the snapshot as well.
    defer { hasUnseenWrites.withLock { $0 = false } }
    guard case .open(let running) = state else { return }
    running.sync.updateViews()
  }

  func removeListener(_ id: Int) {
    channels[id] = nil
    guard let listener = listeners.removeValue(forKey: id) else { return }
    let result = listener.result
    // Releasing a large result takes a while, for which nobody else should have to wait.
    defer { Task.detached { withExtendedLifetime(result) {} } }
    do { try use { try $0.sync.events.unlisten(listener) } } catch {
      configuration.logger.warning("A listening can't be ended in order: \(error)")
    }
    stopPollingIfIdle()
  }

  func endListening(throwing error: (any Error)?) {
    for channel in channels.values { channel.finish(throwing: error) }
    for observer in syncObservers.values { observer.channel.finish() }
    endRejections(throwing: error)
    listeners = [:]
    channels = [:]
    syncObservers = [:]
    stopPollingIfIdle()
  }

  // MARK: - Moments at which all listeners agree

  nonisolated func snapshotsInSync() -> AsyncStream<Void> {
    let (stream, channel) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let id = Self.listenerNumbers.withLock { last in
      last += 1
      return last
    }
    channel.onTermination = { [weak self] _ in Task { await self?.removeSyncObserver(id) } }
    Task { await addSyncObserver(id, channel) }
    return stream
  }

  private func addSyncObserver(_ id: Int, _ channel: AsyncStream<Void>.Continuation) {
    guard let sync = try? running().sync else { return channel.finish() }
    syncObservers[id] = (sync.events.addSyncObserver { channel.yield() }, channel)
  }

  private func removeSyncObserver(_ id: Int) {
    guard let observer = syncObservers.removeValue(forKey: id) else { return }
    try? running().sync.events.removeSyncObserver(observer.id)
  }

  // MARK: - Other processes

  /// Looks every 50 ms whether another process has written, as long as somebody listens or waits. SQLite answers that from
  /// memory that the processes share.
  func startPolling(_ running: Running) {
    guard path != nil, poller == nil else { return }
    lastDataVersion = (try? running.local.database.dataVersion) ?? 0
    poller = Task { [weak self] in
      while !Task.isCancelled {
        try? await Task.sleep(for: .milliseconds(50))
        await self?.poll()
      }
    }
    // What another process wrote while the first result was read.
    takeForeignChanges(running)
  }

  func stopPollingIfIdle() {
    guard !isPollingNeeded else { return }
    poller?.cancel()
    poller = nil
  }

  /// Somebody listens, or waits for an answer that another process may receive.
  private var isPollingNeeded: Bool {
    if !listeners.isEmpty || !rejectionObservers.isEmpty { return true }
    guard case .open(let running) = state else { return false }
    return running.sync.awaitsConfirmation
  }

  private func poll() {
    guard isPollingNeeded else { return stopPollingIfIdle() }
    guard let running = try? running(), let version = try? running.local.database.dataVersion,
      version != lastDataVersion
    else { return }
    lastDataVersion = version
    takeForeignChanges(running)
  }

  private func takeForeignChanges(_ running: Running) {
    do {
      try running.sync.takeForeignChanges()
      deliverRejections()
    } catch {
      configuration.logger.error("Listening to \(path ?? "the database in memory") failed: \(error)")
      running.sync.events.failAll(error)
    }
  }
}
