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

  /// The creations of shared and weak instances, by cell. One is removed when it has ended, which for an
  /// instance that waits for `onCreate` actions is after these.
  var creators: [ObjectIdentifier: Creator] = [:]
  /// What a thread waits for, because another thread creates it.
  var waitingFor: [ThreadID: Wait] = [:]
  /// The threads that wait for a cell, with the semaphore of each wait.
  private var waiters: [ObjectIdentifier: [(thread: ThreadID, semaphore: DispatchSemaphore)]] = [:]
  /// Instances that are created but wait for `onCreate` actions, in boxes, by cell. Each cell also has an
  /// entry in `creators`.
  var unfinished: [ObjectIdentifier: any AnyObject & Sendable] = [:]
  /// Instances on their way to threads: unfinished ones for those that would otherwise deadlock, and those
  /// that aren't kept for those that had requested them. A thread takes its instance when it examines the
  /// state again.
  var lent: [ThreadID: any AnyObject & Sendable] = [:]

  /// A creation under way.
  struct Creator {
    let thread: ThreadID
    /// How often the component had been reset when the creation began; see ``InstalledComponent/resetCount``.
    let resets: Int
  }

  /// A request that waits.
  struct Wait {
    let cell: ObjectIdentifier
    /// How often the component had been reset when the request first waited. The request may receive what was
    /// created since then, although a later reset has named it.
    let resets: Int
  }

  /// Registers a thread as waiting for an instance that another thread creates. The thread must release the
  /// lock, wait for the semaphore, and then examine the state again: the creation may have failed, or still
  /// be under way.
  ///
  /// - Parameters:
  ///   - thread: the calling thread.
  ///   - wait: what it waits for.
  /// - Returns: a semaphore that is signaled once: when the creation ends, or when one of the threads that
  ///   wait for the cell is lent the unfinished instance.
  mutating func wait(_ thread: ThreadID, _ wait: Wait) -> DispatchSemaphore {
    let semaphore = DispatchSemaphore(value: 0)
    waiters[wait.cell, default: []].append((thread, semaphore))
    waitingFor[thread] = wait
    return semaphore
  }

  /// Ends a creation, successful or not, and wakes the threads that wait for it.
  ///
  /// - Parameters:
  ///   - cell: the cell, whose creation the calling thread has claimed.
  ///   - box: an instance that isn't published, in a box. The threads whose requests may receive it do, so
  ///     that each of them waits for two creations at most, however often the component is reset.
  mutating func release(_ cell: ObjectIdentifier, lending box: (any AnyObject & Sendable)? = nil) {
    let creator = creators.removeValue(forKey: cell)
    unfinished[cell] = nil
    if let box, let creator {
      for (thread, _) in waiters[cell] ?? []
      where waitingFor[thread].map({ $0.resets <= creator.resets }) ?? false {
        lent[thread] = box
        waitingFor[thread] = nil
      }
    }
    wakeWaiters(for: cell)
  }

  /// Wakes the threads that wait for a cell. Each examines the state again.
  ///
  /// - Complexity: O(*n*) in the number of threads that wait for the cell.
  private mutating func wakeWaiters(for cell: ObjectIdentifier) {
    for (_, semaphore) in waiters.removeValue(forKey: cell) ?? [] { semaphore.signal() }
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
    while let creator = creators[wanted]?.thread, creator != thread, let next = waitingFor[creator]?.cell {
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
      guard let creator = creators[wanted]?.thread else { return nil }
      if creator == thread { return CreationCycle(slots, then: others, backTo: wanted) }
      guard let next = waitingFor[creator]?.cell else { return nil }
      others += creator.slotsWhileWaiting.drop { ObjectIdentifier($0.cell) != wanted }
      wanted = next
    }
    return nil
  }
}
