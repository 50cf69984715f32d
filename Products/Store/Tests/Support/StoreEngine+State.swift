@testable import TenonStore
@testable import TenonStoreEngine

/// State that only tests read, to wait for it.
extension StoreEngine {
  /// The number of listeners.
  var listenerCount: Int { listeners.count }
  /// Whether there is a listener or a search that follows changes.
  var isListened: Bool { !listeners.isEmpty }
  /// Whether a caller is waiting for all writes.
  var hasWaiters: Bool { (try? running().sync.waiters.hasWaitersForAll) ?? false }
  /// Whether reads currently use the remote.
  var readsAsk: Bool {
    guard case .open(let running) = state else { return false }
    return running.reach?.isOpen ?? false
  }
}
