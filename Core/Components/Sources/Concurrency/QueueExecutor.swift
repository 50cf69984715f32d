package import Dispatch

/// Runs an actor on a serial dispatch queue, so that calls that block (SQLite, files) never occupy a thread of the
/// cooperative pool, of which there are only as many as processors.
///
/// ```swift
/// actor Disk {
///   private let executor = QueueExecutor(label: "disk")
///   nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
/// }
/// ```
package final class QueueExecutor: SerialExecutor {
  /// The queue on which the actor runs.
  package let queue: DispatchQueue

  /// Creates an executor with a new serial queue.
  ///
  /// - Parameter label: the name of the queue in debuggers.
  package init(label: String) { queue = DispatchQueue(label: label) }

  /// Runs a job of the actor on the queue.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// A reference to this executor, as `Actor.unownedExecutor` returns it. It doesn't keep the executor alive.
  package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
