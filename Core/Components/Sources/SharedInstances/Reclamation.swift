import Synchronization
import TenonBasics
internal import TenonThreads

/// Releases removed objects when no thread reads them any more (epoch-based reclamation; see
/// `SafeMemoryReclamation.md`).
///
/// Each batch of waiting objects is listed with the threads that it waits for, so a thread that stops reading
/// examines only the batches that wait for it.
///
/// A system that has a barrier for all threads may suddenly refuse to run it, because a seccomp filter was
/// installed. The existing threads then can't reliably be seen to read: a store that one of them made may not
/// be visible yet. From then on, they must run their own barriers. A thread notices under the lock, at the
/// end of its next read or of the thread. Until it has, nothing is released that it might have found. Nothing
/// else depends on it: `whenFree` is called when no thread is seen to read.
///
/// All functions may be called on any thread unless they say otherwise. Their state is guarded by one lock,
/// which is never held while a `deinit` or a callback runs. Batches are released in no particular order.
enum Reclamation {
  /// Objects that were removed together. They are released when both counters are 0.
  private struct Batch {
    /// The objects, retained until no thread can be reading them.
    let objects: [any AnyObject & Sendable]
    /// Called when `readers` reaches 0.
    let whenFree: @Sendable () -> Void
    /// The number of threads that were seen to read them and haven't stopped since.
    var readers = 0
    /// The number of threads that may be reading them without having been seen.
    var unseen = 0
  }

  /// An entry in a thread's list: a batch that waits for the thread.
  private struct Wait {
    /// The number of the batch.
    let batch: Int
    /// Whether the thread was seen to read, rather than not having noticed yet that it must run barriers.
    let isSeen: Bool
  }

  /// What must happen outside the lock, because a `deinit` may run any code.
  private struct Release {
    /// The `whenFree` functions of the batches that no thread is seen to read any more.
    var callbacks: [@Sendable () -> Void] = []
    /// The objects of the batches that wait for no thread any more.
    var objects: [[any AnyObject & Sendable]] = []

    /// Whether there is nothing to do.
    var isEmpty: Bool { callbacks.isEmpty && objects.isEmpty }

    /// Releases the objects, then calls the callbacks. Call it without the lock.
    consuming func run() {
      objects = []
      for callback in callbacks { callback() }
    }
  }

  /// The state, guarded by `state`'s lock.
  ///
  /// Invariant: a batch is in `batches` as long as `waits` contains an entry for it, and the sum of its two
  /// counters is the number of these entries. Each is removed once, by the thread in whose list it is, so
  /// every batch is released when the threads that it waits for have stopped reading or have ended, and none
  /// before.
  private struct State {
    /// The registered threads.
    var threads: Set<ThreadID> = []
    /// The threads that may not have noticed yet that they must run their own barriers.
    var unfenced: Set<ThreadID> = []
    /// The waiting batches, by number.
    var batches: [Int: Batch] = [:]
    /// The number of the batch that was added last.
    var lastBatch = 0
    /// The waits of each thread, in the order in which the batches were added.
    var waits: [ThreadID: [Wait]] = [:]

    /// Removes a thread from every batch that waits for it, because it reads none of their objects.
    ///
    /// - Parameter thread: the thread, which reads nothing, or has ended.
    /// - Returns: what has become free, to be run without the lock.
    /// - Complexity: O(*n*) in the number of batches that wait for the thread.
    mutating func stop(_ thread: ThreadID) -> Release {
      unfenced.remove(thread)
      var release = Release()
      for wait in waits.removeValue(forKey: thread) ?? [] {
        // A batch is listed until it waits for no thread.
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

  /// Guards the only state, which covers all containers.
  private static let state = Lock(State())

  /// Registers a thread. The thread calls it itself, once, before its first read.
  ///
  /// If readers must run their own barriers, the thread does so from its first read on.
  ///
  /// - Parameter thread: the calling thread.
  static func add(_ thread: ThreadID) {
    state.withLock { state in
      state.threads.insert(thread)
      // Under the lock, which guards this value.
      if tenon_readers_must_fence() != 0 {
        thread.state.pointee.duties.store(ThreadState.fencesItself, ordering: .relaxed)
        CurrentThread(thread.state).mustFence()
      }
    }
  }

  /// Unregisters a thread. The thread calls it itself when it ends, and reads nothing under this ID
  /// afterwards. Releases on the calling thread what waited for it alone.
  ///
  /// - Parameter thread: the calling thread.
  static func remove(_ thread: ThreadID) {
    let release = state.withLock { state in
      state.threads.remove(thread)
      return state.stop(thread)
    }
    release.run()
  }

  /// Reports that a thread reads nothing. The thread calls it itself, because `ThreadState.isAwaited` was
  /// set. What has become free is released in another task.
  ///
  /// - Parameter thread: the calling thread.
  static func stop(_ thread: ThreadID) {
    let release = state.withLock { $0.stop(thread) }
    guard !release.isEmpty else { return }
    // In another task, because this thread has only looked something up and may hold any lock.
    Task.detached { release.run() }
  }

  /// Releases removed objects when every thread that may have found them has stopped reading. Doesn't wait
  /// for that.
  ///
  /// If no thread is reading, the objects are released before this returns, so the caller must hold no lock
  /// that their `deinit` acquires.
  ///
  /// Complexity: O(*n*) in the number of threads that have used Core, plus one system call on Linux.
  ///
  /// - Parameters:
  ///   - objects: the objects. Their addresses must have been cleared before.
  ///   - domain: the domain in which they were reachable.
  ///   - whenFree: called when no thread is seen to read them: on the calling thread if that is so already,
  ///     otherwise in another task or on a thread that ends.
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
      // After the barrier, a thread that found one of the addresses is seen to read, and one that isn't seen
      // finds none. A thread that stops reading later sees that it is awaited.
      let isRefused = tenon_fence_all_threads() == 0
      if isRefused {
        state.unfenced = state.threads
        // The calling thread sees its own stores.
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
      AppLogger(source: "tenon-core").error(
        "membarrier(2) has stopped working, so looking up components is slower from now on. "
          + "Allow it in the seccomp filter of this process.")
    }
    release.run()
  }
}

extension ThreadID {
  /// Returns whether the thread is reading and may have found one of the objects.
  ///
  /// - Parameters:
  ///   - objects: the removed objects.
  ///   - domain: the domain in which they were reachable.
  ///   - addresses: the addresses of the objects, once they have been computed.
  /// - Returns: the answer. `false` is reliable only if a barrier has run on the thread since the addresses
  ///   were cleared.
  fileprivate func mayHold(
    _ objects: [any AnyObject & Sendable], of domain: UInt, addresses: inout Set<UInt>?
  ) -> Bool {
    // Acquiring: if a read has ended, the retain of what it found happened before.
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
