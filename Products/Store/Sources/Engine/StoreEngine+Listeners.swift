import TenonCore
import TenonDocuments
import TenonStoreInterop

extension StoreEngine {
  /// Adds a listener, which ends when what is returned is released.
  nonisolated func listen(to query: ViewQuery, _ options: QueryListener.Options) -> Listening {
    let channel = SnapshotChannel()
    let id = Self.nextListenerID()
    let listening = Listening(engine: self, id: id, channel: channel)
    Task { await addListener(id, channel, query, options) }
    return listening
  }

  /// Returns the first snapshot of a query.
  func first(_ query: ViewQuery, _ options: QueryListener.Options) async throws -> ViewSnapshot {
    let listening = listen(to: query, options)
    defer { listening.end() }
    guard let snapshot = try await listening.next() else {
      try Task.checkCancellation()
      throw StoreError(.closed, "The database was closed while it was read.")
    }
    return snapshot
  }

  private static let lastListenerID = Lock(0)

  private static func nextListenerID() -> Int {
    lastListenerID.withLock { last in
      last += 1
      return last
    }
  }

  private func addListener(
    _ id: Int, _ channel: SnapshotChannel, _ query: ViewQuery, _ options: QueryListener.Options
  ) async {
    do {
      try await useAsUser { running in
        guard !channel.isOver else { return }
        // Without a listener, nobody has read the changes so far, and the first result includes them.
        if running.sync.listeners.isEmpty { try running.local.skipChanges() }
        let listener = QueryListener(
          query, options, onSnapshot: { channel.send($0) },
          onError: { channel.finish(throwing: StoreError.wrapping($0)) })
        listeners.add(listener, channel, id: id)
        running.sync.listen(listener)
        startPolling(running)
      }
    } catch {
      channel.finish(throwing: error)
    }
  }

  func removeListener(_ id: Int) {
    guard let listener = listeners.remove(id) else { return }
    let result = listener.result
    // Releasing a large result takes a while, for which other work shouldn't wait.
    defer { Task.detached { withExtendedLifetime(result) {} } }
    do { try use { try $0.sync.unlisten(listener) } } catch {
      configuration.logger.warning("A listening can't be ended in order: \(error)")
    }
    stopPollingIfIdle()
  }

  func endListeners(throwing error: (any Error)?) {
    listeners.finish(throwing: error)
    rejections.finish(throwing: error)
    stopPollingIfIdle()
  }

  // MARK: - Writes that views don't include yet

  /// Updates the views after the work that waits already, the return of the write included.
  func updateViewsSoon() {
    hasUnseenWrites.withLock { $0 = true }
    Task { updateViews() }
  }

  /// Delivers what was written to the listeners.
  func updateViews() {
    // Afterwards, so that a reader that finds it cleared finds the snapshot as well.
    defer { hasUnseenWrites.withLock { $0 = false } }
    guard case .open(let running) = state else { return }
    running.sync.updateViews()
  }

  // MARK: - Consistent snapshots

  nonisolated func snapshotsInSync() -> AsyncStream<Void> {
    let (stream, channel) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let id = Self.nextListenerID()
    channel.onTermination = { [weak self] _ in Task { await self?.removeSyncObserver(id) } }
    Task { await addSyncObserver(id, channel) }
    return stream
  }

  private func addSyncObserver(_ id: Int, _ channel: AsyncStream<Void>.Continuation) {
    guard let sync = try? running().sync else { return channel.finish() }
    listeners.addSyncObserver(id, channel, to: sync)
  }

  private func removeSyncObserver(_ id: Int) {
    guard let observer = listeners.removeSyncObserver(id) else { return }
    try? running().sync.listeners.removeSyncObserver(observer)
  }

  // MARK: - Other processes

  /// Starts following the writes of other processes, as long as there are listeners or anyone waits for the remote.
  func startPolling(_ running: Running) {
    guard path != nil, !foreignChanges.isPolling else { return }
    foreignChanges.start(running.connection) { [weak self] in await self?.poll() }
    // What another process wrote while the first result was read.
    readForeignChanges(running)
  }

  func stopPollingIfIdle() { if !isPollingNeeded { foreignChanges.stop() } }

  /// Whether there are listeners, or anyone waits for an answer that another process may receive.
  private var isPollingNeeded: Bool {
    if !listeners.isEmpty || !rejections.isEmpty { return true }
    guard case .open(let running) = state else { return false }
    return running.sync.awaitsConfirmation
  }

  private func poll() {
    guard isPollingNeeded else { return stopPollingIfIdle() }
    guard let running = try? running(), foreignChanges.check(running.connection) else { return }
    readForeignChanges(running)
  }

  private func readForeignChanges(_ running: Running) {
    do {
      try running.sync.readForeignChanges()
      rejections.deliver(from: running.local)
    } catch {
      configuration.logger.error("Listening to \(path ?? "the database in memory") failed: \(error)")
      running.sync.listeners.failAll(error)
    }
  }
}
