import Dispatch

/// A gate for threads, such as those of a server: they block at it until the test opens it.
package final class ThreadGate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// Creates a closed gate.
  package init() {}

  /// Opens the gate for all threads, now and later.
  package func open() { semaphore.signal() }

  /// Blocks until the gate is open.
  package func pass() {
    semaphore.wait()
    semaphore.signal()
  }
}
