import TenonCore

/// Runs work that keeps a processor busy on a fixed number of threads of its own. Work beyond that waits, in the order
/// in which it came, and leaves the queue when its task is cancelled.
final class LanePool: Sendable {
  private actor Lane {
    private let executor: QueueExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(label: String) { executor = QueueExecutor(label: label) }

    func run<Result: Sendable>(_ work: @Sendable () throws -> Result) throws -> Result { try work() }
  }

  private typealias Waiter = CheckedContinuation<Lane, any Error>

  private struct State {
    var free: [Lane]
    var waiters: [UInt64: Waiter] = [:]
    /// The waiters in the order in which they came. Those that have left are still in it.
    var order: [UInt64] = []
    /// Where the waiter that came first is in `order`.
    var head = 0
    var nextID: UInt64 = 0

    mutating func append(_ waiter: Waiter, id: UInt64) {
      waiters[id] = waiter
      order.append(id)
    }

    /// The waiter that came first.
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

  init(count: Int, label: String) {
    state = Lock(State(free: (0..<count).map { Lane(label: "\(label).\($0)") }))
  }

  /// - Throws: what `work` throws; `CancellationError` when the task is cancelled before `work` begins.
  func run<Result: Sendable>(_ work: @Sendable () throws -> Result) async throws -> Result {
    let lane = try await takeLane()
    defer { giveBack(lane) }
    return try await lane.run(work)
  }

  private func takeLane() async throws -> Lane {
    let id = state.withLock { state in
      defer { state.nextID += 1 }
      return state.nextID
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (waiter: Waiter) in
        let outcome: Swift.Result<Lane, any Error>? = state.withLock { state in
          // The handler runs after the task is marked: here or there the cancellation is seen.
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

  private func giveBack(_ lane: Lane) {
    let waiter = state.withLock { state in
      let waiter = state.popWaiter()
      if waiter == nil { state.free.append(lane) }
      return waiter
    }
    waiter?.resume(returning: lane)
  }
}
