import Dispatch
import TenonFoundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs the jobs of one ``Schedule`` one after another, in the order in which they were added, and knows when
/// none is left.
///
/// Tasks with a preference for it run on it. So do tasks without one (`Task { … }` doesn't inherit the
/// preference) and actors, as long as they are started and resumed by code that runs on it: ``GlobalJobs``
/// passes them on.
final class ScheduleExecutor: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    /// Continues the scenario in ``settle(after:)``.
    var waiter: CheckedContinuation<Void, Never>?
    /// How many jobs run before `waiter` is resumed.
    var budget = Int.max
    /// Whether the next job that is added is the scenario's, which runs first.
    var isResuming = false
  }

  /// The executor that runs the code of the current thread.
  fileprivate static let key = DispatchSpecificKey<ScheduleExecutor>()

  private let queue = DispatchQueue(label: "tenon.schedule")
  private let state = Lock(State())

  init() { queue.setSpecific(key: Self.key, value: self) }

  /// Lets jobs that are added later run elsewhere. Without this call, the executor is never released.
  func close() { queue.setSpecific(key: Self.key, value: nil) }

  func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

  fileprivate func add(_ job: UnownedJob) {
    state.withLock { state in
      state.jobs.insert(job, at: state.isResuming ? 0 : state.jobs.count)
      state.isResuming = false
    }
    queue.async { self.drain() }
  }

  /// Lets waiting jobs run. Only the scenario may call it.
  ///
  /// - Parameter count: the number of jobs that run at most; `nil` if all run, with those that they cause.
  func settle(after count: Int?) async {
    if count == 0 { return }
    await withCheckedContinuation { continuation in
      state.withLock { state in
        state.waiter = continuation
        state.budget = count ?? .max
      }
    }
  }

  private func drain() {
    while true {
      let (waiter, job): (CheckedContinuation<Void, Never>?, UnownedJob?) = state.withLock { state in
        if state.waiter != nil, state.jobs.isEmpty || state.budget == 0 {
          state.isResuming = true
          return (state.waiter.take(), nil)
        }
        if state.jobs.isEmpty { return (nil, nil) }
        if state.waiter != nil { state.budget -= 1 }
        return (nil, state.jobs.removeFirst())
      }
      waiter?.resume()
      job?.runSynchronously(on: asUnownedTaskExecutor())
      if waiter == nil, job == nil { return }
    }
  }
}

/// The jobs that the process's global executor is given, of which those of schedules are taken out.
///
/// Nothing in the language observes unstructured tasks, so this sets the hook that the concurrency library
/// calls for each job. It is set once and stays; jobs that come from other threads than those of schedules
/// are passed on unchanged.
enum GlobalJobs {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  /// Whether schedules receive their jobs. Accessing it sets the hook.
  static let areObserved: Bool = {
    #if os(Windows) || os(WASI)
      return false
    #else
      // The variable is a pointer of this type in every version of the library since 5.5. Other threads may
      // be reading it: they see the old value or the new one, and both work.
      guard let hook = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else { return false }
      hook.assumingMemoryBound(to: Hook?.self).pointee = { job, original in
        if let executor = DispatchQueue.getSpecific(key: ScheduleExecutor.key) {
          executor.add(job)
        } else {
          original(job)
        }
      }
      return true
    #endif
  }()
}
