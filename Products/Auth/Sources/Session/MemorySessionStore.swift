import Foundation
import TenonCore

/// Keeps a session for as long as the process lives, for apps that keep everything in memory.
final class MemorySessionStore: SessionStore {
  private let session = Lock<Data?>(nil)
  let location = "memory"

  func load() -> Data? { session.withLock { $0 } }

  func update(_ change: (Data?) throws -> Data?) throws {
    // Calls come one at a time, so the lock needn't be held while the change is made.
    let changed = try change(load())
    session.withLock { $0 = changed }
  }

  func setAside() { session.withLock { $0 = nil } }
}
