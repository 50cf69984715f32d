import Dispatch

/// A gate at which threads, such as those of a server, block until the test opens it. ``Gate`` does the same
/// for tasks.
///
/// A task must not wait here, because it would block a thread of the cooperative pool.
package final class ThreadGate: Sendable {
  /// A semaphore that each thread signals again after it has passed.
  private let semaphore = DispatchSemaphore(value: 0)

  /// Creates a closed gate.
  package init() {}

  /// Opens the gate permanently, for all blocked and later threads. Further calls have no effect.
  package func open() { semaphore.signal() }

  /// Blocks the thread until the gate is open, without a limit. Each thread wakes the next one as it passes.
  package func pass() {
    semaphore.wait()
    semaphore.signal()
  }
}
