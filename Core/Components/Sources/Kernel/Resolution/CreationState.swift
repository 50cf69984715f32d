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
  /// The instances that are made but wait for `onCreate` actions, in boxes, by cell.
  var unfinished: [ObjectIdentifier: any AnyObject & Sendable] = [:]
  /// Such instances on their way to threads that would wait for them forever.
  var lent: [ThreadID: any AnyObject & Sendable] = [:]

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
    unfinished[cell] = nil
    wakeWaiters(for: cell)
  }

  private mutating func wakeWaiters(for cell: ObjectIdentifier) {
    for semaphore in waiters.removeValue(forKey: cell) ?? [] { semaphore.signal() }
  }

  /// Opens a circle of threads that wait for each other, where one of them waits for an instance that is made and only
  /// isn't finished: it gets that one, as it would if a single thread had created all of them.
  ///
  /// - Parameters:
  ///   - thread: who is about to close the circle.
  ///   - cell: what it asks for.
  /// - Returns: the instance, in a box, if it is `thread` that gets one.
  mutating func openCircle(closedBy thread: ThreadID, askingFor cell: ObjectIdentifier) -> Opening {
    if let box = unfinished[cell] { return .instance(box) }
    var wanted = cell
    while let creator = creators[wanted], creator != thread, let next = waitingFor[creator] {
      if let box = unfinished[next] {
        lent[creator] = box
        wakeWaiters(for: next)
        return .wait
      }
      wanted = next
    }
    return .none
  }

  /// What becomes of a thread that would close a circle.
  enum Opening {
    /// It gets an instance that isn't finished.
    case instance(any AnyObject & Sendable)
    /// Another thread of the circle got one, so waiting will end.
    case wait
    /// The circle can't be opened.
    case none
  }

  /// What a thread would wait for by asking for a cell that another one creates, if waiting would never end.
  ///
  /// - Parameter slots: the thread's creations, from its first request.
  func cycle(from thread: ThreadID, _ slots: [any AnySlot], to cell: ObjectIdentifier) -> CreationCycle? {
    var others: [any AnySlot] = []
    var wanted = cell
    while let creator = creators[wanted] {
      if creator == thread { return CreationCycle(slots, then: others, backTo: wanted) }
      guard let next = waitingFor[creator] else { return nil }
      others += creator.slotsWhileWaiting.drop { ObjectIdentifier($0.cell) != wanted }
      wanted = next
    }
    return nil
  }
}
