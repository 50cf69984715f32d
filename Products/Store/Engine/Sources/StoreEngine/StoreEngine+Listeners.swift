import TenonCore
import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonValues

extension StoreEngine {
  /// Adds a listener, which ends when the returned object is released.
  ///
  /// The listener is registered asynchronously. If that fails because the database can't be opened or the
  /// user can't be determined, it ends with the error.
  ///
  /// - Parameters:
  ///   - query: the document or query to listen to.
  ///   - options: what the listener receives, and whether the remote is listened to.
  package nonisolated func listen(to query: ListenQuery, _ options: QueryListener.Options) -> SnapshotReader {
    let channel = SnapshotChannel()
    let id = Self.nextListenerID()
    let reader = SnapshotReader(engine: self, id: id, channel: channel)
    Task { await addListener(id, channel, query, options) }
    return reader
  }

  /// Returns the first snapshot of a query.
  ///
  /// - Parameters:
  ///   - query: the document or query to read.
  ///   - options: decide whether the first snapshot waits for the remote.
  /// - Throws: the error with which the listener was ended; ``StoreError`` with ``StoreError/Code/closed`` if
  ///   the database is closed first; `CancellationError`.
  package func first(_ query: ListenQuery, _ options: QueryListener.Options) async throws -> ViewSnapshot {
    let reader = listen(to: query, options)
    defer { reader.end() }
    guard let snapshot = try await reader.next() else {
      try Task.checkCancellation()
      throw StoreError(.closed, "The database was closed while it was being read.")
    }
    return snapshot
  }

  /// The ID assigned last, to a listener or an observer of any engine.
  private static let lastListenerID = Lock(0)

  /// Returns an ID that is unique in the process.
  static func nextListenerID() -> Int {
    lastListenerID.withLock { last in
      last += 1
      return last
    }
  }

  /// Adds a listener once the signed-in user is known, unless its reader has ended it in the meantime.
  ///
  /// A first snapshot that need not wait for the remote is sent before this returns. An error ends the
  /// channel.
  ///
  /// - Parameters:
  ///   - id: the listener's ID.
  ///   - channel: the channel to its reader.
  ///   - query: the document or query to listen to.
  ///   - options: the listener's options.
  private func addListener(
    _ id: Int, _ channel: SnapshotChannel, _ query: ListenQuery, _ options: QueryListener.Options
  ) async {
    do {
      try await useAsUser { running in
        guard !channel.isOver else { return }
        // Without listeners, the changes so far haven't been read; the first result includes them.
        if running.sync.listeners.isEmpty { try running.local.skipChanges() }
        let listener = QueryListener(
          query, options, onSnapshot: { channel.send($0) },
          onError: { channel.finish(throwing: StoreError.wrapping($0)) })
        listeners.add(listener, channel, id: id)
        telemetry.listeners(listeners.count)
        running.sync.listen(listener)
        startPolling(running)
      }
    } catch {
      channel.finish(throwing: error)
    }
  }

  /// Removes a listener; no effect if it was already removed. Errors are logged.
  func removeListener(_ id: Int) {
    guard let listener = listeners.remove(id) else { return }
    telemetry.listeners(listeners.count)
    let result = listener.result
    // Deallocating a large result takes time, which would delay other work.
    defer { Task.detached { withExtendedLifetime(result) {} } }
    do { try use { try $0.sync.unlisten(listener) } } catch {
      configuration.logger.warning("The state of a listener that ends can't be saved: \(error)")
    }
    stopPollingIfIdle()
  }

  /// Ends all listeners and the streams of rejected writes.
  ///
  /// - Parameter error: the error that readers receive; `nil` to end their streams without one.
  func endListeners(throwing error: (any Error)?) {
    listeners.finish(throwing: error)
    telemetry.listeners(listeners.count)
    rejections.finish(throwing: error)
    stopPollingIfIdle()
  }

  // MARK: - Writes that views don't include yet

  /// Schedules an update of the views after the work that is already queued, including the return of the
  /// write.
  ///
  /// ``hasUnseenWrites`` is set before the write
  /// returns, so a reader that asks for its next snapshot afterwards doesn't miss it.
  func updateViewsSoon() {
    hasUnseenWrites.withLock { $0 = true }
    Task { updateViews() }
  }

  /// Delivers pending changes to the listeners.
  func updateViews() {
    // Cleared afterwards: a reader that sees `false` then finds the snapshot as well.
    defer { hasUnseenWrites.withLock { $0 = false } }
    guard case .open(let running) = state else { return }
    running.sync.updateViews()
  }

  // MARK: - Consistent snapshots

  /// Returns a stream of consistent snapshots; see ``Store/snapshotsInSync``. A slow reader receives one
  /// element for several snapshots.
  package nonisolated func snapshotsInSync() -> AsyncStream<Void> {
    let (stream, channel) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let id = Self.nextListenerID()
    let adding = Task { await addSyncObserver(id, channel) }
    // A reader may end the stream before the observer has been added.
    channel.onTermination = { [weak self] _ in
      Task {
        await adding.value
        await self?.removeSyncObserver(id)
      }
    }
    return stream
  }

  /// Registers the observer of a stream, which ends if the database can't be opened.
  private func addSyncObserver(_ id: Int, _ channel: AsyncStream<Void>.Continuation) {
    guard let sync = try? running().sync else { return channel.finish() }
    listeners.addSyncObserver(id, channel, to: sync)
  }

  /// Removes the observer of a stream that its reader has ended; no effect if it was already removed.
  private func removeSyncObserver(_ id: Int) {
    guard let observer = listeners.removeSyncObserver(id) else { return }
    try? running().sync.listeners.removeSyncObserver(observer)
  }

  // MARK: - Other processes

  /// Starts to follow the writes of other processes, while there are listeners or tasks that wait for the
  /// remote.
  ///
  /// No effect for a database in memory, or if already polling. Changes so far are delivered before this
  /// returns.
  func startPolling(_ running: Running) {
    guard path != nil, !foreignChanges.isPolling else { return }
    foreignChanges.start(running.connection) { [weak self] in await self?.poll() }
    // Another process may have written while the first result was read.
    readForeignChanges(running)
  }

  /// Stops polling if it is no longer needed.
  func stopPollingIfIdle() { if !isPollingNeeded { foreignChanges.stop() } }

  /// Whether there are listeners, or tasks that wait for an answer that another process may receive.
  private var isPollingNeeded: Bool {
    if !listeners.isEmpty || !rejections.isEmpty { return true }
    guard case .open(let running) = state else { return false }
    return running.sync.awaitsConfirmation
  }

  /// Checks whether another process has written, and delivers its changes. Stops polling if it is no longer
  /// needed.
  private func poll() {
    guard isPollingNeeded else { return stopPollingIfIdle() }
    guard let running = try? running() else { return }
    do { try running.connection.checkPlace() } catch { return noteMove(error) }
    if foreignChanges.check(running.connection) { readForeignChanges(running) }
  }

  /// Delivers the changes of other processes to the listeners. An error ends them.
  private func readForeignChanges(_ running: Running) {
    do {
      try running.sync.readForeignChanges()
      rejections.deliver(from: running.local)
    } catch {
      configuration.logger.error("Listening to \(path ?? "the database in memory") failed: \(error)")
      running.sync.failListeners(error)
      // Searches meet the error themselves.
      running.sync.onChange?(nil)
    }
  }
}
