import TenonCore
import TenonStoreInterop

/// The listeners of an engine and their readers' channels.
final class EngineListeners {
  typealias SyncChannel = AsyncStream<Void>.Continuation

  private var listeners: [Int: QueryListener] = [:]
  private var channels: [Int: SnapshotChannel] = [:]
  /// Observers of consistent snapshots, with the ids that the sync engine gave them.
  private var syncObservers: [Int: (id: Int, channel: SyncChannel)] = [:]

  /// The number of listeners.
  var count: Int { listeners.count }
  var isEmpty: Bool { listeners.isEmpty }

  func add(_ listener: QueryListener, _ channel: SnapshotChannel, id: Int) {
    listeners[id] = listener
    channels[id] = channel
  }

  /// Removes a listener, and returns it.
  func remove(_ id: Int) -> QueryListener? {
    channels[id] = nil
    return listeners.removeValue(forKey: id)
  }

  func addSyncObserver(_ id: Int, _ channel: SyncChannel, to sync: SyncEngine) {
    syncObservers[id] = (sync.listeners.addSyncObserver { channel.yield() }, channel)
  }

  /// Removes an observer of consistent snapshots, and returns the id that the sync engine gave it.
  func removeSyncObserver(_ id: Int) -> Int? { syncObservers.removeValue(forKey: id)?.id }

  /// Ends every listener and observer.
  func finish(throwing error: (any Error)?) {
    for channel in channels.values { channel.finish(throwing: error) }
    for observer in syncObservers.values { observer.channel.finish() }
    listeners = [:]
    channels = [:]
    syncObservers = [:]
  }
}
