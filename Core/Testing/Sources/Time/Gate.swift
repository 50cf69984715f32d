/// A gate for tests: tasks wait at it until the test opens it, and the test can wait until one has arrived.
package final class Gate: Sendable {
  private let arrivals = AsyncStream.makeStream(of: Void.self)
  private let passage = AsyncStream.makeStream(of: Void.self)

  /// Creates a closed gate.
  package init() {}

  /// Waits until the gate is open.
  ///
  /// - Throws: `CancellationError` if the task was cancelled.
  package func pass() async throws {
    arrivals.continuation.yield()
    for await _ in passage.stream {}
    try Task.checkCancellation()
  }

  /// Waits until a task has arrived at the gate.
  package func arrival() async {
    for await _ in arrivals.stream { return }
  }

  /// Opens the gate for all tasks, now and later.
  package func open() { passage.continuation.finish() }
}
