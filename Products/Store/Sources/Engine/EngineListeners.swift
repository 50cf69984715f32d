import TenonCore
import TenonStoreInterop

/// The listeners of an engine, and the channels to their readers.
final class EngineListeners {
  typealias SyncChannel = AsyncStream<Void>.Continuation

  private var listeners: [Int: QueryListener] = [:]
  private var channels: [Int: SnapshotChannel] = [:]
  /// Observers of consistent snapshots, with the IDs that the sync engine assigned.
  private var syncObservers: [Int: (id: Int, channel: SyncChannel)] = [:]

  /// The number of listeners.
  var count: Int { listeners.count }
  var isEmpty: Bool { listeners.isEmpty }

  /// Adds a listener with the channel to its reader.
  func add(_ listener: QueryListener, _ channel: SnapshotChannel, id: Int) {
    listeners[id] = listener
    channels[id] = channel
  }

  /// Removes a listener and returns it; `nil` if it was not added or already removed.
  func remove(_ id: Int) -> QueryListener? {
    channels[id] = nil
    return listeners.removeValue(forKey: id)
  }

  /// Adds an observer of consistent snapshots.
  func addSyncObserver(_ id: Int, _ channel: SyncChannel, to sync: SyncEngine) {
    syncObservers[id] = (sync.listeners.addSyncObserver { channel.yield() }, channel)
  }

  /// Removes an observer of consistent snapshots, and returns the ID that the sync engine assigned.
  func removeSyncObserver(_ id: Int) -> Int? { syncObservers.removeValue(forKey: id)?.id }

  /// Ends all listeners and observers.
  func finish(throwing error: (any Error)?) {
    for channel in channels.values { channel.finish(throwing: error) }
    for observer in syncObservers.values { observer.channel.finish() }
    listeners = [:]
    channels = [:]
    syncObservers = [:]
  }
}
