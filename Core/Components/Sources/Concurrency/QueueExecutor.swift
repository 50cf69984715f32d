package import Dispatch

/// Runs an actor on a thread of its own queue, so that what blocks (SQLite, files) never holds a thread of the
/// cooperative pool.
///
/// ```swift
/// actor Disk {
///   private let executor = QueueExecutor(label: "disk")
///   nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
/// }
/// ```
package final class QueueExecutor: SerialExecutor {
  package let queue: DispatchQueue

  package init(label: String) { queue = DispatchQueue(label: label) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
