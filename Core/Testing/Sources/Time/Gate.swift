/// A gate at which tasks wait until the test opens it. The test can wait until a task has arrived.
///
/// It can be used from any task. ``ThreadGate`` does the same for threads.
package final class Gate: Sendable {
  /// An element for each arrival that hasn't been awaited.
  private let arrivals = AsyncStream.makeStream(of: Void.self)
  /// A stream that ends when the gate opens.
  private let passage = AsyncStream.makeStream(of: Void.self)

  /// Creates a closed gate.
  package init() {}

  /// Waits until the gate is open.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, also if the gate is open.
  package func pass() async throws {
    arrivals.continuation.yield()
    for await _ in passage.stream {}
    try Task.checkCancellation()
  }

  /// Waits until a task has arrived at the gate. Each call consumes one arrival.
  package func arrival() async {
    for await _ in arrivals.stream { return }
  }

  /// Opens the gate permanently, for all waiting and later tasks.
  package func open() { passage.continuation.finish() }
}
