import Dispatch

/// A gate at which threads, such as those of a server, block until the test opens it. ``Gate`` does the same for tasks.
package final class ThreadGate: Sendable {
  /// A semaphore that each thread signals again after it has passed.
  private let semaphore = DispatchSemaphore(value: 0)

  /// Creates a closed gate.
  package init() {}

  /// Opens the gate permanently, for all blocked and later threads.
  package func open() { semaphore.signal() }

  /// Blocks the thread until the gate is open.
  package func pass() {
    semaphore.wait()
    semaphore.signal()
  }
}
