import TenonFoundation

/// A pool of threads for work that keeps a processor busy.
///
/// Each lane is an actor with a dedicated thread. Work for which no lane is free waits in the order of its
/// arrival, and leaves the queue when its task is cancelled.
final class LanePool: Sendable {
  /// A thread, which runs one piece of work at a time.
  private actor Lane {
    private let executor: QueueExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates a lane with a thread of the given name.
    init(label: String) { executor = QueueExecutor(label: label) }

    /// Runs work on the lane's thread.
    func run<Result: Sendable>(_ work: @Sendable () throws -> Result) throws -> Result { try work() }
  }

  /// A task that waits for a lane.
  private typealias Waiter = CheckedContinuation<Lane, any Error>

  /// The lanes and the waiters, which a lock guards.
  private struct State {
    /// The lanes without work.
    var free: [Lane]
    /// The waiters by their IDs.
    var waiters: [UInt64: Waiter] = [:]
    /// The IDs of the waiters in the order of their arrival. Waiters that were cancelled are still in it.
    var order: [UInt64] = []
    /// The index of the first waiter in `order`.
    var head = 0
    /// The ID of the next waiter.
    var nextID: UInt64 = 0

    /// Adds a waiter behind the others.
    mutating func append(_ waiter: Waiter, id: UInt64) {
      waiters[id] = waiter
      order.append(id)
    }

    /// Removes and returns the waiter that arrived first; `nil` if there is none.
    ///
    /// - Complexity: O(1) amortized.
    mutating func popWaiter() -> Waiter? {
      while head < order.count {
        let id = order[head]
        head += 1
        if let waiter = waiters.removeValue(forKey: id) { return waiter }
      }
      order.removeAll()
      head = 0
      return nil
    }
  }

  private let state: Lock<State>

  /// Creates a pool.
  ///
  /// - Parameters:
  ///   - count: the number of lanes, at least 1.
  ///   - label: the prefix of the names of the threads.
  init(count: Int, label: String) {
    state = Lock(State(free: (0..<count).map { Lane(label: "\(label).\($0)") }))
  }

  /// Runs work on a free lane, and waits for one if necessary.
  ///
  /// - Parameter work: a synchronous closure. It isn't interrupted by cancellation.
  /// - Returns: the value that `work` returns.
  /// - Throws: the error that `work` throws; `CancellationError` if the task is cancelled before `work`
  ///   begins.
  func run<Result: Sendable>(_ work: @Sendable () throws -> Result) async throws -> Result {
    let lane = try await acquireLane()
    defer { release(lane) }
    return try await lane.run(work)
  }

  /// Waits for a free lane.
  private func acquireLane() async throws -> Lane {
    let id = state.withLock { state in
      defer { state.nextID += 1 }
      return state.nextID
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (waiter: Waiter) in
        let outcome: Swift.Result<Lane, any Error>? = state.withLock { state in
          // The cancellation handler runs after the task is marked as cancelled. Whichever takes the lock
          // first, either this check or the handler observes the cancellation.
          if Task.isCancelled { return .failure(CancellationError()) }
          if let lane = state.free.popLast() { return .success(lane) }
          state.append(waiter, id: id)
          return nil
        }
        if let outcome { waiter.resume(with: outcome) }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
    }
  }

  /// Hands a lane to the next waiter, or back to the pool.
  private func release(_ lane: Lane) {
    let waiter = state.withLock { state in
      let waiter = state.popWaiter()
      if waiter == nil { state.free.append(lane) }
      return waiter
    }
    waiter?.resume(returning: lane)
  }
}
