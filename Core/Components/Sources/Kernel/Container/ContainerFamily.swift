import Synchronization

/// What a container shares with all its children, whose graphs follow from its own.
///
/// Two locks, because an update creates eager components before its graph is in force, and a creation may do anything:
/// wait for another thread's creation, make a child. So nothing that a creation does waits for `turn`, and nothing
/// that runs under `graphs` leads out of Core.
final class ContainerFamily: Sendable {
  /// Lets one update after the other through.
  let turn = UpdateTurn()
  // Not empty: ThreadSanitizer can't tell an empty value from the lock around it.
  private let graphs = Lock(true)

  /// Guards which graphs are in force and which children there are. `body` must not run code of a component, and must not
  /// let go of anything that might.
  func withGraphs<Result>(_ body: () throws -> sending Result) rethrows -> sending Result {
    try graphs.withLock { _ in try body() }
  }
}

/// Held while a container or its libraries are changed, and eager components are created. Only a thread that creates
/// nothing may wait for it: the thread that holds it may wait for a creation.
final class UpdateTurn: Sendable {
  private let lock = Lock(true)
  /// The address of the state of the thread that holds it; 0 when there is none.
  private let owner = Atomic<UInt>(0)

  /// - Throws: ``ComponentError/Code/updateWhileCreating`` when the calling thread creates something, or holds the turn;
  ///   what `body` throws.
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
