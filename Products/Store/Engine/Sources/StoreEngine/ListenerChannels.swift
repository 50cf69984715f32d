import TenonCore
import TenonDocuments
import TenonValues

/// The listeners of an engine, and the channels to their readers.
///
/// It maps the IDs under which readers end a listener to the listeners of the sync engine. Owned by
/// ``StoreEngine`` and confined to its executor. It outlives the open database: ``finish(throwing:)`` empties
/// it when the database is closed.
final class ListenerChannels {
  typealias SyncChannel = AsyncStream<Void>.Continuation
  typealias ChangeChannel = AsyncThrowingStream<Void, any Error>.Continuation

  private var listeners: [Int: QueryListener] = [:]
  private var channels: [Int: SnapshotChannel] = [:]
  /// Observers of consistent snapshots, with the IDs that the sync engine assigned.
  private(set) var syncObservers: [Int: (id: Int, channel: SyncChannel)] = [:]

  /// Observers of the changes of documents, with the ID of the collections that they observe.
  private var changeObservers: [Int: (collection: ResourcePath, channel: ChangeChannel)] = [:]

  /// The number of listeners.
  var count: Int { listeners.count }
  /// Whether there is neither a listener nor an observer of changes.
  var isEmpty: Bool { listeners.isEmpty && observesNoChanges }
  /// Whether there is no observer of changes.
  var observesNoChanges: Bool { changeObservers.isEmpty }

  /// Adds a listener with the channel to its reader.
  ///
  /// - Parameters:
  ///   - listener: the listener, which sends its snapshots to `channel`.
  ///   - channel: the channel, which ``finish(throwing:)`` ends.
  ///   - id: an ID that isn't in use.
  func add(_ listener: QueryListener, _ channel: SnapshotChannel, id: Int) {
    listeners[id] = listener
    channels[id] = channel
  }

  /// Removes a listener and returns it; `nil` if it wasn't added or already removed.
  func remove(_ id: Int) -> QueryListener? {
    channels[id] = nil
    return listeners.removeValue(forKey: id)
  }

  /// Adds an observer of consistent snapshots. Its channel receives an element before this returns.
  ///
  /// - Parameters:
  ///   - id: the ID for ``removeSyncObserver(_:)``.
  ///   - channel: receives an element for each consistent snapshot.
  ///   - sync: the sync engine to observe.
  func addSyncObserver(_ id: Int, _ channel: SyncChannel, to sync: SyncEngine) {
    syncObservers[id] = (sync.listeners.addSyncObserver { channel.yield() }, channel)
  }

  /// Removes an observer of consistent snapshots.
  ///
  /// - Returns: the ID that the sync engine assigned, with which it must be removed there as well; `nil` if
  ///   it wasn't added or already removed.
  func removeSyncObserver(_ id: Int) -> Int? { syncObservers.removeValue(forKey: id)?.id }

  /// Adds an observer of the documents of all collections with an ID. Its channel receives an element after
  /// each change.
  func addChangeObserver(_ id: Int, of collection: String, _ channel: ChangeChannel, to sync: SyncEngine) {
    changeObservers[id] = (ResourcePath(segments: [collection]), channel)
    sync.onChange = { [weak self] in self?.reportChanges($0) }
  }

  /// Removes an observer of changes.
  ///
  /// - Returns: whether it existed.
  func removeChangeObserver(_ id: Int) -> Bool { changeObservers.removeValue(forKey: id) != nil }

  /// Reports changed documents to their observers, to all of them if it isn't known which have changed.
  private func reportChanges(_ documents: [ResourcePath: StoredDocument?]?) {
    let collections = documents.map {
      Set($0.keys.compactMap(\.parent).map { ResourcePath(segments: [$0.id]) })
    }
    for observer in changeObservers.values where collections?.contains(observer.collection) ?? true {
      observer.channel.yield()
    }
  }

  /// Adds all listeners and observers to the sync engine of a database that was opened again. Listeners
  /// continue with the difference between their last snapshot and the present result.
  func move(to sync: SyncEngine) {
    for (_, listener) in listeners.sorted(by: { $0.key < $1.key }) {
      listener.willMove()
      sync.listen(listener)
    }
    for (id, observer) in syncObservers { addSyncObserver(id, observer.channel, to: sync) }
    guard !observesNoChanges else { return }
    sync.onChange = { [weak self] in self?.reportChanges($0) }
    reportChanges(nil)
  }

  /// Ends all listeners and observers, and removes them. A reader still receives its pending snapshot first.
  ///
  /// - Parameter error: the error that readers receive; `nil` to end their streams without one. Observers of
  ///   consistent snapshots end without an error in either case.
  func finish(throwing error: (any Error)?) {
    for channel in channels.values { channel.finish(throwing: error) }
    for observer in syncObservers.values { observer.channel.finish() }
    for observer in changeObservers.values { observer.channel.finish(throwing: error) }
    listeners = [:]
    channels = [:]
    syncObservers = [:]
    changeObservers = [:]
  }
}
