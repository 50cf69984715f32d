import Synchronization
internal import TenonThreads

/// Releases what was taken away when no thread reads it any more.
///
/// Each object that waits is listed with the threads that it waits for, so a thread that stops reading looks at nothing
/// but what waits for it.
///
/// Where the system has a barrier for all threads and suddenly refuses it (a seccomp filter was installed), the threads
/// that exist can't be seen to read: a counter that one of them wrote may not be visible yet. They are told to run their
/// own barriers from now on. Until a thread has noticed, which it does under the lock when it next ends a read, or ends
/// itself, nothing is released that it might have found. No other promise depends on it: `whenFree` is called when no
/// thread is seen to read.
enum Reclamation {
  /// Objects that were taken away together.
  private struct Batch {
    let objects: [any AnyObject & Sendable]
    let whenFree: @Sendable () -> Void
    /// How many threads were seen to read them, and haven't stopped.
    var readers = 0
    /// How many threads may read them without having been seen.
    var unseen = 0
  }

  /// That a batch waits for a thread.
  private struct Wait {
    let batch: Int
    let isSeen: Bool
  }

  /// What can be done outside the lock: a `deinit` may do anything.
  private struct Release {
    var callbacks: [@Sendable () -> Void] = []
    var objects: [[any AnyObject & Sendable]] = []

    var isEmpty: Bool { callbacks.isEmpty && objects.isEmpty }

    consuming func run() {
      objects = []
      for callback in callbacks { callback() }
    }
  }

  private struct State {
    var threads: Set<ThreadID> = []
    /// Those that may not have noticed yet that they must run their own barriers.
    var unfenced: Set<ThreadID> = []
    var batches: [Int: Batch] = [:]
    var lastBatch = 0
    /// In the order in which the batches came.
    var waits: [ThreadID: [Wait]] = [:]

    /// The thread reads nothing of what was taken away before.
    mutating func stop(_ thread: ThreadID) -> Release {
      unfenced.remove(thread)
      var release = Release()
      for wait in waits.removeValue(forKey: thread) ?? [] {
        // A batch is listed as long as it waits for a thread.
        guard var batch = batches.removeValue(forKey: wait.batch) else { continue }
        if wait.isSeen {
          batch.readers -= 1
          if batch.readers == 0 { release.callbacks.append(batch.whenFree) }
        } else {
          batch.unseen -= 1
        }
        if batch.readers == 0, batch.unseen == 0 {
          release.objects.append(batch.objects)
        } else {
          batches[wait.batch] = batch
        }
      }
      return release
    }
  }

  private static let state = Lock(State())

  /// Called by the thread itself, before it reads for the first time.
  static func add(_ thread: ThreadID) {
    state.withLock { state in
      state.threads.insert(thread)
      // Under the lock, under which this changes.
      if tenon_readers_must_fence() != 0 {
        thread.state.pointee.duties.store(ThreadState.fencesItself, ordering: .relaxed)
        CurrentThread(thread.state).mustFence()
      }
    }
  }

  /// Called by the thread itself when it ends.
  static func remove(_ thread: ThreadID) {
    let release = state.withLock { state in
      state.threads.remove(thread)
      return state.stop(thread)
    }
    release.run()
  }

  /// Called by a thread that was asked to say when it reads nothing.
  static func stop(_ thread: ThreadID) {
    let release = state.withLock { $0.stop(thread) }
    guard !release.isEmpty else { return }
    // Elsewhere, because this thread has only looked something up, and may hold any lock.
    Task.detached { release.run() }
  }

  /// Releases objects that can't be reached any more when every thread that may have found them has stopped reading, and
  /// calls `whenFree`. Their addresses must have been cleared before.
  ///
  /// Cost: proportional to the number of threads that have used Core.
  static func retire(
    _ objects: [any AnyObject & Sendable],
    domain: UInt,
    whenFree: @escaping @Sendable () -> Void = {}
  ) {
    let current = CurrentThread.current.id
    let (isRefused, release) = state.withLock { state in
      for thread in state.threads {
        _ = thread.state.pointee.duties.bitwiseOr(ThreadState.isAwaited, ordering: .relaxed)
      }
      // From here on, a thread that found one of the addresses is seen to read, and one that isn't seen finds none. And a
      // thread that stops reading later sees that it is awaited.
      let isRefused = tenon_fence_all_threads() == 0
      if isRefused {
        state.unfenced = state.threads
        // It knows what it has found itself.
        state.unfenced.remove(current)
        for thread in state.threads {
          _ = thread.state.pointee.duties.bitwiseOr(ThreadState.fencesItself, ordering: .relaxed)
        }
      }
      state.lastBatch += 1
      var batch = Batch(objects: objects, whenFree: whenFree)
      var addresses: Set<UInt>?
      for thread in state.threads {
        let isSeen = thread.mayHold(objects, of: domain, addresses: &addresses)
        guard isSeen || state.unfenced.contains(thread) else { continue }
        if isSeen { batch.readers += 1 } else { batch.unseen += 1 }
        state.waits[thread, default: []].append(Wait(batch: state.lastBatch, isSeen: isSeen))
      }
      var release = Release()
      if batch.readers == 0 { release.callbacks.append(whenFree) }
      if batch.readers == 0, batch.unseen == 0 {
        release.objects.append(objects)
      } else {
        state.batches[state.lastBatch] = batch
      }
      return (isRefused, release)
    }
    if isRefused {
      Logger(source: "tenon-core").error(
        "membarrier(2) has stopped working, so looking up components is slower from now on. "
          + "Allow it in the seccomp filter of this process.")
    }
    release.run()
  }
}

extension ThreadID {
  /// Whether the thread reads now and may have found one of the objects.
  ///
  /// - Parameter addresses: those of the objects, once they are known.
  fileprivate func mayHold(
    _ objects: [any AnyObject & Sendable], of domain: UInt, addresses: inout Set<UInt>?
  ) -> Bool {
    // Acquiring: what a read that has ended found, it has retained by then.
    let held = state.pointee.held.load(ordering: .acquiring)
    guard held != ThreadState.idle, held != ThreadState.idleAndFencing else { return false }
    guard held != ThreadState.everything, held != domain else { return true }
    // Another domain, or one instance.
    guard held & 1 == 0 else { return false }
    let known =
      addresses ?? Set(objects.map { UInt(bitPattern: Unmanaged.passUnretained($0 as AnyObject).toOpaque()) })
    addresses = known
    return known.contains(held)
  }
}

// MARK: - Hooks

extension Features {
  static func threadBegan(_ thread: ThreadID) { Reclamation.add(thread) }

  static func threadEnded(_ thread: ThreadID) { Reclamation.remove(thread) }

  static func threadStoppedReading(_ thread: ThreadID) { Reclamation.stop(thread) }

  static func retire(
    _ objects: [any AnyObject & Sendable], domain: UInt, whenFree: @escaping @Sendable () -> Void = {}
  ) {
    Reclamation.retire(objects, domain: domain, whenFree: whenFree)
  }
}
