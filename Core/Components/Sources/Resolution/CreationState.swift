import Dispatch
import TenonBasics

/// The creations under way in this process, guarded by one lock. Lookups of published instances don't use it.
///
/// There is one state for all containers, so that a cycle of threads that wait for each other is detected
/// even if it leads through several containers. An entry exists only while a creation is under way or a
/// thread waits for one. Instances of `.unique` and `.graph` components have no entries, because no other
/// thread waits for them.
struct CreationState {
  /// The state of the process. No creation and no action runs while its lock is held.
  static let shared = Lock(CreationState())

  /// The threads that create shared and weak instances, by cell. A thread is removed when its creation has
  /// ended, which for an instance that waits for `onCreate` actions is after these.
  var creators: [ObjectIdentifier: ThreadID] = [:]
  /// The cell that a thread waits for, because another thread creates its instance.
  var waitingFor: [ThreadID: ObjectIdentifier] = [:]
  /// The semaphores of the threads that wait for a cell, one for each wait.
  private var waiters: [ObjectIdentifier: [DispatchSemaphore]] = [:]
  /// Instances that are created but wait for `onCreate` actions, in boxes, by cell. Each cell also has an
  /// entry in `creators`.
  var unfinished: [ObjectIdentifier: any AnyObject & Sendable] = [:]
  /// Unfinished instances on their way to threads that would otherwise deadlock. A thread takes its instance
  /// when it examines the state again.
  var lent: [ThreadID: any AnyObject & Sendable] = [:]

  /// Registers a thread as waiting for an instance that another thread creates. The thread must release the
  /// lock, wait for the semaphore, and then examine the state again: the creation may have failed, or still
  /// be under way.
  ///
  /// - Parameters:
  ///   - thread: the calling thread.
  ///   - cell: the cell of the instance.
  /// - Returns: a semaphore that is signaled once: when the creation ends, or when one of the threads that
  ///   wait for the cell is lent the unfinished instance.
  mutating func wait(_ thread: ThreadID, for cell: ObjectIdentifier) -> DispatchSemaphore {
    let semaphore = DispatchSemaphore(value: 0)
    waiters[cell, default: []].append(semaphore)
    waitingFor[thread] = cell
    return semaphore
  }

  /// Ends a creation, successful or not, and wakes the threads that wait for it.
  ///
  /// - Parameter cell: the cell, whose creation the calling thread has claimed.
  mutating func release(_ cell: ObjectIdentifier) {
    creators[cell] = nil
    unfinished[cell] = nil
    wakeWaiters(for: cell)
  }

  /// Wakes the threads that wait for a cell. Each examines the state again.
  ///
  /// - Complexity: O(*n*) in the number of threads that wait for the cell.
  private mutating func wakeWaiters(for cell: ObjectIdentifier) {
    for semaphore in waiters.removeValue(forKey: cell) ?? [] { semaphore.signal() }
  }

  /// Resolves a deadlock in which a thread waits for an instance that is created but not finished: that
  /// thread receives the unfinished instance, as it would if one thread had created everything.
  ///
  /// The cycle is followed from the requested cell to the creator of each cell and on to the cell for which
  /// that thread waits. The first unfinished instance on the way is lent. Call this only if
  /// ``cycle(from:_:to:)`` has found a cycle.
  ///
  /// - Parameters:
  ///   - thread: the thread whose waiting would complete the cycle.
  ///   - cell: the cell that it requests.
  /// - Returns: how the thread continues; see ``Opening``.
  mutating func openCycle(closedBy thread: ThreadID, askingFor cell: ObjectIdentifier) -> Opening {
    if let box = unfinished[cell] { return .instance(box) }
    var wanted = cell
    while let creator = creators[wanted], creator != thread, let next = waitingFor[creator] {
      if let box = unfinished[next] {
        lent[creator] = box
        // Although it hasn't woken up yet, it no longer waits. Otherwise the caller's wait would complete a
        // cycle.
        waitingFor[creator] = nil
        wakeWaiters(for: next)
        return .wait
      }
      wanted = next
    }
    return .none
  }

  /// How a thread that would complete a cycle continues.
  enum Opening {
    /// It receives an unfinished instance.
    case instance(any AnyObject & Sendable)
    /// Another thread of the cycle received one, so waiting will end.
    case wait
    /// The cycle can't be resolved.
    case none
  }

  /// Returns the cycle that a thread would complete by waiting for a cell, or `nil` if waiting would end.
  ///
  /// A thread waits for at most one cell, and a cell has at most one creator, so there is at most one way to
  /// follow. It ends after at most one step for each creation.
  ///
  /// - Parameters:
  ///   - thread: the thread that is about to wait.
  ///   - slots: the thread's creations, from its first request.
  ///   - cell: the cell that it requests.
  func cycle(from thread: ThreadID, _ slots: [any AnySlot], to cell: ObjectIdentifier) -> CreationCycle? {
    var others: [any AnySlot] = []
    var wanted = cell
    for _ in 0..<creators.count {
      guard let creator = creators[wanted] else { return nil }
      if creator == thread { return CreationCycle(slots, then: others, backTo: wanted) }
      guard let next = waitingFor[creator] else { return nil }
      others += creator.slotsWhileWaiting.drop { ObjectIdentifier($0.cell) != wanted }
      wanted = next
    }
    return nil
  }
}
