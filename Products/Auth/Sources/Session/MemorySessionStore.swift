import TenonFoundation

/// Stores a session in memory until the process ends, for apps that store nothing.
final class MemorySessionStore: SessionStore {
  private let session = Lock<Data?>(nil)
  let location = "memory"

  func load() -> Data? { session.withLock { $0 } }

  func update(_ change: (Data?) throws -> Data?) throws {
    // Calls are serialized by contract, so the lock need not be held during the change.
    let changed = try change(load())
    session.withLock { $0 = changed }
  }

  func setAside() { session.withLock { $0 = nil } }
}
