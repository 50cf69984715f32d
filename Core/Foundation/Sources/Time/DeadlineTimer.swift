@preconcurrency import Dispatch

/// Calls functions at their deadlines, with one system timer for any number of them.
///
/// A deadline that is cancelled, as nearly all are, is released immediately. `Task.sleep` doesn't offer that:
/// a cancelled sleep keeps its task allocated until the time is over, so a server that sets deadlines of a
/// minute would hold a minute's worth of finished requests.
package final class DeadlineTimer: Sendable {
  /// The timer of this process.
  package static let shared = DeadlineTimer()

  /// Identifies a scheduled deadline of one timer.
  package struct Token: Sendable, Hashable {
    fileprivate let number: Int
  }

  /// One deadline in the heap.
  fileprivate struct Entry {
    let deadline: ContinuousClock.Instant
    let number: Int
  }

  /// The deadlines, guarded by the lock. An action that was cancelled or called is missing in `actions`.
  fileprivate struct State {
    var actions: [Int: @Sendable () -> Void] = [:]
    /// A binary heap, ordered by deadline. It may also hold entries that were cancelled.
    var heap: [Entry] = []
    var count = 0
    /// When the system timer will fire; `nil` if it isn't armed.
    var armed: ContinuousClock.Instant?
  }

  private let state = Lock(State())
  /// The serial queue on which actions are called.
  private let queue: DispatchQueue
  /// The system timer.
  private let source: any DispatchSourceTimer

  /// Creates a separate timer. Most callers use ``shared``.
  package init() {
    queue = DispatchQueue(label: "tenon.deadlines")
    source = DispatchSource.makeTimerSource(queue: queue)
    source.setEventHandler { [weak self] in self?.fire() }
    source.activate()
  }

  deinit { source.cancel() }

  /// The number of deadlines that are scheduled and neither reached nor cancelled. For the tests: no other
  /// access to the deadlines shows that a cancelled one leaves nothing behind.
  var pendingCount: Int { state.withLock { $0.actions.count } }

  /// Schedules a call. Thread-safe. Complexity: O(log *n*), amortized.
  ///
  /// - Parameters:
  ///   - deadline: when to call, at the earliest. A deadline in the past is due immediately.
  ///   - action: called once, on the timer's queue, unless it is cancelled before. It must not block.
  /// - Returns: the token to pass to ``cancel(_:)``.
  package func schedule(
    at deadline: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void
  ) -> Token {
    state.withLock { state in
      state.count += 1
      state.actions[state.count] = action
      state.push(Entry(deadline: deadline, number: state.count))
      arm(&state)
      return Token(number: state.count)
    }
  }

  /// Cancels a call. Does nothing if it was made or cancelled before; doesn't wait for a call in progress.
  /// Thread-safe.
  ///
  /// Complexity: O(1), amortized.
  package func cancel(_ token: Token) {
    let action: (@Sendable () -> Void)? = state.withLock { state in
      defer { state.compact() }
      return state.actions.removeValue(forKey: token.number)
    }
    // The action's captures are released here, outside the lock.
    _ = action
  }

  // MARK: - The system timer

  /// Calls the actions that are due, outside the lock, and sets the system timer again.
  private func fire() {
    let due = state.withLock { state in
      state.armed = nil
      var due: [@Sendable () -> Void] = []
      let now = ContinuousClock.now
      while let first = state.heap.first, first.deadline <= now {
        state.pop()
        if let action = state.actions.removeValue(forKey: first.number) { due.append(action) }
      }
      arm(&state)
      return due
    }
    for action in due { action() }
  }

  /// Sets the system timer to the earliest deadline, unless it fires before that anyway. Removes cancelled
  /// entries from the top of the heap.
  ///
  /// A deadline further away than ``Duration/longestWait`` is reached by arming the timer several times.
  private func arm(_ state: inout State) {
    while let first = state.heap.first, state.actions[first.number] == nil { state.pop() }
    guard let first = state.heap.first else { return }
    if let armed = state.armed, armed <= first.deadline { return }
    state.armed = first.deadline
    let delay = min(max(first.deadline - .now, .zero), .longestWait)
    let (seconds, attoseconds) = delay.components
    // Checked: at most a year.
    let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000) + 1
    // Checked: an integer.
    source.schedule(deadline: .now() + .nanoseconds(nanoseconds), leeway: .nanoseconds(0))
  }
}

extension DeadlineTimer.State {
  /// Adds an entry. Complexity: O(log *n*).
  ///
  /// - Parameter entry: the entry, whose number must be new.
  fileprivate mutating func push(_ entry: DeadlineTimer.Entry) {
    heap.append(entry)
    var index = heap.count - 1
    while index > 0 {
      let parent = (index - 1) / 2
      guard heap[index].deadline < heap[parent].deadline else { return }
      heap.swapAt(index, parent)
      index = parent
    }
  }

  /// Removes the entry with the earliest deadline. Complexity: O(log *n*).
  fileprivate mutating func pop() {
    guard let last = heap.popLast(), !heap.isEmpty else { return }
    heap[0] = last
    sink(from: 0)
  }

  /// Removes cancelled entries once they outnumber the others, which bounds the heap. Complexity: O(*n*),
  /// amortized O(1).
  fileprivate mutating func compact() {
    guard heap.count > 2 * actions.count + 64 else { return }
    heap.removeAll { actions[$0.number] == nil }
    for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(from: index) }
  }

  /// Moves an entry down until it isn't later than its children. Complexity: O(log *n*).
  private mutating func sink(from start: Int) {
    var index = start
    while true {
      var earliest = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < heap.count && heap[child].deadline < heap[earliest].deadline {
        earliest = child
      }
      guard earliest != index else { return }
      heap.swapAt(index, earliest)
      index = earliest
    }
  }
}
