import Dispatch

/// Runs the closures of functions on threads of their own, so that closures that block them don't stop the rest of the process: the
/// threads of Swift's tasks are only as many as processors.
final class FunctionThreads: TaskExecutor {
  /// The queue, which starts a thread for each closure that doesn't suspend, up to Dispatch's limit.
  private let queue = DispatchQueue(label: "tenon.functions", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
