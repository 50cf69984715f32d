package import Dispatch

/// Runs an actor on a serial dispatch queue, so that calls that block (SQLite, files) never occupy a thread
/// of the cooperative pool, of which there are only as many as processors.
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
  /// When the job that is running began; `nil` while none is.
  private let start = Lock(ContinuousClock.Instant?.none)

  /// Creates an executor with a new serial queue.
  ///
  /// - Parameter label: the name of the queue in debuggers.
  package init(label: String) { queue = DispatchQueue(label: label) }

  /// Runs a job of the actor on the queue.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      self.start.withLock { $0 = .now }
      job.runSynchronously(on: self.asUnownedSerialExecutor())
      self.start.withLock { $0 = nil }
    }
  }

  /// Returns whether a job of the actor has been running for at least some time. A job ends when the actor's
  /// function returns or suspends.
  package func isBusy(for time: Duration) -> Bool {
    start.withLock { $0 }.map { .now - $0 >= time } ?? false
  }

  /// Runs `body` on the queue after the jobs that wait, and returns then; `body` may call the actor with
  /// `assumeIsolated`. It blocks the calling thread, which must neither belong to the cooperative pool nor
  /// run a job of the actor.
  package func blocking<Result>(_ body: () throws -> Result) rethrows -> Result {
    try queue.sync(execute: body)
  }

  /// Stops the program unless it is called on the queue. `assumeIsolated` calls it where no job of the actor
  /// runs, as in ``blocking(_:)``.
  package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  /// A reference to this executor, as `Actor.unownedExecutor` returns it. It doesn't keep the executor alive.
  package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
