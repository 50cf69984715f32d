@testable import TenonStore

/// What tests wait for, and nothing else asks.
extension StoreEngine {
  /// How many listeners there are.
  var listenerCount: Int { listeners.count }
  /// Whether there is a listener.
  var isListened: Bool { !listeners.isEmpty }
  /// Whether a caller waits for all writes.
  var hasWaiters: Bool { (try? running().sync.waiters.hasWaitersForAll) ?? false }
  /// Whether reads ask the remote now.
  var readsAsk: Bool {
    guard case .open(let running) = state else { return false }
    return running.reach?.isOpen ?? false
  }
}
