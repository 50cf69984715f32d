/// Lets nobody pass before it is opened, and tells when somebody has arrived.
package final class Gate: Sendable {
  private let arrivals = AsyncStream.makeStream(of: Void.self)
  private let passage = AsyncStream.makeStream(of: Void.self)

  package init() {}

  /// Waits until the gate is open.
  package func pass() async throws {
    arrivals.continuation.yield()
    for await _ in passage.stream {}
    try Task.checkCancellation()
  }

  /// Waits until somebody stands at the gate.
  package func arrival() async {
    for await _ in arrivals.stream { return }
  }

  /// Lets everybody pass.
  package func open() { passage.continuation.finish() }
}
