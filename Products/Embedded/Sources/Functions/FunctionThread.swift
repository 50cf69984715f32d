import Dispatch

/// Runs one call of a function on a thread outside of Swift's pool, so that a closure that blocks its thread
/// doesn't stop the rest of the process: the pool has only as many threads as there are processors.
///
/// The queue is serial because Dispatch gives each serial queue a thread, whereas concurrent queues share the
/// threads of the pool.
final class FunctionThread: TaskExecutor {
  private let queue = DispatchQueue(label: "tenon.function")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
