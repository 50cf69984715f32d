import Dispatch

/// Holds threads, such as a server's, until the test opens it.
package final class ThreadGate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  package func open() { semaphore.signal() }

  /// Waits, and leaves the gate open for whoever comes next.
  package func pass() {
    semaphore.wait()
    semaphore.signal()
  }
}
