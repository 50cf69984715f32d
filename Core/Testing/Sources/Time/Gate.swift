/// A gate at which tasks wait until the test opens it. The test can wait until a task has arrived.
///
/// It can be used from any task. ``ThreadGate`` does the same for threads. Cancelling a task that waits at the gate
/// opens it for all others too, because the stream that they share then ends. A test that cancels one of several tasks
/// needs a gate for each.
///
/// ```swift
/// let gate = Gate()
/// let transport = FakeTransport { _ in
///   try await gate.pass()
///   return HTTPResponse(status: 200)
/// }
/// let sending = Task { try await transport.send(request) }
/// await gate.arrival()  // The request is being answered.
/// gate.open()
/// ```
package final class Gate: Sendable {
  /// An element for each arrival that hasn't been awaited.
  private let arrivals = AsyncStream.makeStream(of: Void.self)
  /// A stream that ends when the gate opens.
  private let passage = AsyncStream.makeStream(of: Void.self)

  /// Creates a closed gate.
  package init() {}

  /// Waits until the gate is open.
  ///
  /// The arrival is counted before the wait, also if the gate is open.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, also if the gate is open.
  package func pass() async throws {
    arrivals.continuation.yield()
    for await _ in passage.stream {}
    try Task.checkCancellation()
  }

  /// Waits until a task has arrived at the gate. Each call consumes one arrival, which may precede the call. It also
  /// returns if the calling task is cancelled.
  package func arrival() async {
    for await _ in arrivals.stream { return }
  }

  /// Opens the gate permanently, for all waiting and later tasks.
  package func open() { passage.continuation.finish() }
}
