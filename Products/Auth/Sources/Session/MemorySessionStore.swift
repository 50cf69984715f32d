import TenonCore

/// Keeps a session for as long as the process lives, for apps that keep everything in memory.
final class MemorySessionStore: SessionStore {
  private let session = Lock<StoredSession?>(nil)

  func load() -> StoredSession? { session.withLock { $0 } }
  func update(_ change: (StoredSession?) -> StoredSession?) { session.withLock { $0 = change($0) } }
  func setAside() {}
}
