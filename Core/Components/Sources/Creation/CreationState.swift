import Dispatch

/// Who is creating what in this process; guarded by one lock. Warm look-ups never come here.
///
/// It is one for all containers, so that a circle of threads that wait for each other is found even where it leads
/// through several of them.
struct CreationState {
  static let shared = Lock(CreationState())

  /// Shared and weak instances under creation, by cell, with the thread at work.
  var creators: [ObjectIdentifier: ThreadID] = [:]
  /// The cell that a thread waits for, because another thread creates its instance.
  var waitingFor: [ThreadID: ObjectIdentifier] = [:]
  private var waiters: [ObjectIdentifier: [DispatchSemaphore]] = [:]

  /// Lets a thread wait for an instance that another one creates.
  mutating func wait(_ thread: ThreadID, for cell: ObjectIdentifier) -> DispatchSemaphore {
    let semaphore = DispatchSemaphore(value: 0)
    waiters[cell, default: []].append(semaphore)
    waitingFor[thread] = cell
    return semaphore
  }

  /// Ends a creation and wakes who waits for it.
  mutating func release(_ cell: ObjectIdentifier) {
    creators[cell] = nil
    for semaphore in waiters.removeValue(forKey: cell) ?? [] { semaphore.signal() }
  }

  /// What a thread would wait for by asking for a cell that another one creates: the path back to `thread`, if waiting
  /// would never end.
  func cycle(
    from thread: ThreadID, path: [ComponentKey], to cell: ObjectIdentifier, key: ComponentKey
  ) -> [ComponentKey]? {
    var path = path
    var wanted = cell
    while let creator = creators[wanted] {
      if creator == thread { return path + [key] }
      guard let next = waitingFor[creator] else { return nil }
      path += creator.slotsWhileWaiting.drop { ObjectIdentifier($0.cell) != wanted }.map(\.key)
      wanted = next
    }
    return nil
  }
}
