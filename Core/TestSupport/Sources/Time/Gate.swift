import TenonFoundation

/// A gate at which tasks wait until the test opens it. The test can wait until a task has arrived.
///
/// It can be used from any task. ``ThreadGate`` does the same for threads. Cancelling a task that waits at
/// the gate ends the wait of that task only.
///
/// ```swift
/// let gate = Gate()
/// let transport = FakeTransport { _ in
///   try await gate.pass()
///   return TransportResponse(status: 200)
/// }
/// let sending = Task { try await transport.send(request) }
/// await gate.arrival()  // The request is being answered.
/// gate.open()
/// ```
package final class Gate: Sendable {
  /// An element for each arrival that hasn't been awaited.
  private let arrivals = AsyncStream.makeStream(of: Void.self)
  /// Whether the gate is open, and who waits.
  private struct State {
    var isOpen = false
    /// The waiting tasks, each with a stream that ends when the gate opens.
    var waiters: [AsyncStream<Void>.Continuation] = []
  }

  private let state = Lock(State())

  /// Creates a closed gate.
  package init() {}

  /// Waits until the gate is open.
  ///
  /// The arrival is counted before the wait, also if the gate is open.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, also if the gate is open.
  package func pass() async throws {
    arrivals.continuation.yield()
    let passage = AsyncStream.makeStream(of: Void.self)
    let isOpen = state.withLock { state in
      if !state.isOpen { state.waiters.append(passage.continuation) }
      return state.isOpen
    }
    if !isOpen { for await _ in passage.stream {} }
    try Task.checkCancellation()
  }

  /// Waits until a task has arrived at the gate. Each call consumes one arrival, which may precede the call.
  /// It also returns if the calling task is cancelled.
  package func arrival() async {
    for await _ in arrivals.stream { return }
  }

  /// Opens the gate permanently, for all waiting and later tasks.
  package func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    waiters.forEach { $0.finish() }
  }
}
