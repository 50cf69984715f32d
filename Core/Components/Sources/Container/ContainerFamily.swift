import Synchronization
import TenonBasics

/// The locks that a container shares with all its children, whose graphs depend on its own.
///
/// There are two locks, because an update creates eager components before its graph takes effect, and a
/// creation may run any code: wait for a creation on another thread, or create a child. Therefore nothing
/// that a creation does waits for `turn`, and nothing that runs under `graphs` calls code outside Core.
final class ContainerFamily: Sendable {
  /// Serializes updates.
  let turn = UpdateTurn()
  // Not `Void`: ThreadSanitizer can't distinguish an empty value from the lock around it.
  private let graphs = Lock(true)

  /// Runs `body` while no graph takes effect and no child is added. `body` must not run code of a component,
  /// and must not release anything that might. Not recursive.
  ///
  /// - Throws: what `body` throws.
  func withGraphs<Result>(_ body: () throws -> sending Result) rethrows -> sending Result {
    try graphs.withLock { _ in try body() }
  }
}

/// A lock that is held while a container or its libraries change and eager components are created. Only a
/// thread that creates nothing may wait for it, because its holder may wait for a creation.
final class UpdateTurn: Sendable {
  private let lock = Lock(true)
  /// The address of the holder's thread state; 0 if there is no holder.
  private let owner = Atomic<UInt>(0)

  /// Runs `body` while holding the lock.
  ///
  /// - Throws: ``ComponentError`` with the code ``ComponentError/Code/updateWhileCreating`` if the calling
  ///   thread is creating something or holds the lock; what `body` throws.
  func withLock<Result>(_ body: () throws -> sending Result) throws -> sending Result {
    let thread = CurrentThread.current
    let id = UInt(bitPattern: thread.state)
    guard !thread.isCreating, !thread.isFinishing, owner.load(ordering: .relaxed) != id else {
      throw ComponentError.updateWhileCreating(path: thread.path)
    }
    return try lock.withLock { _ in
      owner.store(id, ordering: .relaxed)
      defer { owner.store(0, ordering: .relaxed) }
      return try body()
    }
  }
}
