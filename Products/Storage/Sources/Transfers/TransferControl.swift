import TenonFoundation

/// The state of one upload or download, as its task, its observers and the code that transfers the bytes
/// share it.
///
/// The transfer calls ``waitWhilePaused(_:)`` between steps and runs each step with ``interruptible(_:)``,
/// which ``pause()`` and ``cancel()`` interrupt; it repeats a step that a pause interrupted. It reports with
/// ``report(_:of:)``. Thread-safe.
final class TransferControl: Sendable {
  /// What the transfer is doing.
  enum Phase: Sendable {
    /// It transfers bytes.
    case running
    /// It waits for ``resume()``.
    case paused
    /// It is ending because of ``cancel()``.
    case cancelled
    /// It has ended, whatever its outcome.
    case finished
  }

  /// The state, guarded by the lock.
  private struct State {
    var phase = Phase.running
    /// Continues the transfer that waits for ``resume()``.
    var waiter: CheckedContinuation<Void, Never>?
    /// Interrupts the current step; `nil` between steps.
    var interrupt: (@Sendable () -> Void)?
    /// Cancels the task that runs the transfer; `nil` if it is the caller's own.
    var abort: (@Sendable () -> Void)?
    /// The largest progress that was reported.
    var progress = OperationProgress(completedUnitCount: 0, totalUnitCount: nil)
    /// The progress that the closure hasn't received yet.
    var pending: OperationProgress?
    /// Whether a thread is calling the closure.
    var isDelivering = false
    /// The number of changes of the phase and the progress, which ``TransferControl/changes`` sends.
    var changeCount = 0
  }

  private let state = Lock(State())
  /// The streams of progress. Values are sent with `state` locked, so that each stream only grows.
  private let streams = ChangeStreams<OperationProgress>()
  /// The streams of changes. Like those of the progress, they receive values with `state` locked.
  private let changes = ChangeStreams<Int>()
  /// The user's closure; `nil` if there is none.
  private let onProgress: (@Sendable (OperationProgress) -> Void)?

  /// Creates the control of a transfer that is running.
  ///
  /// - Parameter onProgress: called after each step with growing numbers, by one thread at a time. If it is
  ///   slower than the transfer, it may skip numbers.
  init(onProgress: (@Sendable (OperationProgress) -> Void)? = nil) { self.onProgress = onProgress }

  /// What the transfer is doing.
  var phase: Phase { state.withLock { $0.phase } }

  /// The progress so far.
  var progress: OperationProgress { state.withLock { $0.progress } }

  // MARK: - Of the task

  /// Interrupts the transfer until ``resume()``. Has an effect only while it runs.
  func pause() {
    let interrupt: (@Sendable () -> Void)? = state.withLock { state in
      guard state.phase == .running else { return nil }
      state.phase = .paused
      noteChange(&state)
      return state.interrupt
    }
    interrupt?()
  }

  /// Continues a paused transfer. Has no effect on others.
  func resume() {
    let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard state.phase == .paused else { return nil }
      state.phase = .running
      noteChange(&state)
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Ends the transfer, which then throws `CancellationError`. Has no effect on one that is cancelled or
  /// finished.
  func cancel() {
    let ended: (CheckedContinuation<Void, Never>?, [(@Sendable () -> Void)?])? = state.withLock { state in
      guard state.phase == .running || state.phase == .paused else { return nil }
      state.phase = .cancelled
      return (state.waiter.take(), [state.interrupt, state.abort])
    }
    guard let (waiter, actions) = ended else { return }
    for action in actions { action?() }
    waiter?.resume()
  }

  /// Makes ``cancel()`` cancel the task that runs the transfer, also between steps.
  ///
  /// - Parameter abort: cancels the task. It is called immediately if the transfer is cancelled.
  func onCancel(_ abort: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      state.abort = abort
      return state.phase == .cancelled
    }
    if isCancelled { abort() }
  }

  /// Returns a stream of the progress: the current one if anything was reported, then each larger one. A slow
  /// reader receives the newest. The stream ends with the transfer.
  func progressStream() -> AsyncStream<OperationProgress> {
    state.withLock { state in
      let stream = streams.stream(of: { $0 }, { $0 })
      // Other streams that have delivered this value ignore it.
      if state.progress.totalUnitCount != nil || state.progress.completedUnitCount > 0 {
        streams.send(state.progress)
      }
      return stream
    }
  }

  /// Returns a stream with an element for the present state, and one after each change of the phase or the
  /// progress. A slow reader receives one element for several changes. The stream ends with the transfer.
  func changeStream() -> AsyncStream<Void> {
    state.withLock { state in
      let stream = changes.stream(of: { $0 }, { _ in () })
      // Streams that have delivered this number ignore it.
      changes.send(state.changeCount)
      return stream
    }
  }

  // MARK: - Of the transfer

  /// Waits until the transfer isn't paused.
  ///
  /// - Parameter time: the clock that measures the pause.
  /// - Returns: how long the transfer was paused, by which its time limit moves.
  /// - Throws: `CancellationError` if it is cancelled, before or during the call, by ``cancel()`` or with the
  ///   calling task.
  @discardableResult
  nonisolated(nonsending) func waitWhilePaused(_ time: TimeSource) async throws -> Duration {
    var start: ContinuousClock.Instant?
    try await withTaskCancellationHandler {
      while true {
        switch phase {
        case .running, .finished: return
        case .cancelled: throw CancellationError()
        case .paused: break
        }
        if start == nil { start = time.now() }
        await withCheckedContinuation { continuation in
          let isPaused = state.withLock { state in
            guard state.phase == .paused else { return false }
            state.waiter = continuation
            return true
          }
          if !isPaused { continuation.resume() }
        }
      }
    } onCancel: {
      cancel()
    }
    try Task.checkCancellation()
    return start.map { time.now() - $0 } ?? .zero
  }

  /// Runs a step of the transfer, which a pause and a cancellation interrupt.
  ///
  /// - Parameter step: the step. It must end soon with `CancellationError` after its task was cancelled. It
  ///   runs in a separate task, with the caller's priority and task-local values.
  /// - Returns: the result of the step; `nil` if it was interrupted by a pause, and is to be repeated after
  ///   ``waitWhilePaused(_:)``. A step that has succeeded is no longer interrupted.
  /// - Throws: what the step throws; `CancellationError` if the transfer was cancelled.
  nonisolated(nonsending) func interruptible<Result: Sendable>(
    _ step: @escaping @Sendable () async throws -> Result
  ) async throws -> Result? {
    let task: Task<Result, any Error>? = state.withLock { state in
      guard state.phase == .running else { return nil }
      let task = Task { try await step() }
      state.interrupt = { task.cancel() }
      return task
    }
    guard let task else {
      if phase == .cancelled { throw CancellationError() }
      return nil
    }
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      cancel()
      task.cancel()
    }
    let (phase, isCurrent) = state.withLock { state in
      state.interrupt = nil
      return (state.phase, state.phase != .running)
    }
    switch result {
    case .success(let value): return value
    case .failure(let error as CancellationError):
      // A transfer that was paused and resumed in the meantime was interrupted, too.
      if phase == .cancelled || Task.isCancelled { throw error }
      if isCurrent || task.isCancelled { return nil }
      throw error
    case .failure(let error): throw error
    }
  }

  /// Reports progress. Numbers that aren't larger than the ones before have no effect.
  ///
  /// - Parameters:
  ///   - completed: the number of bytes that have been transferred.
  ///   - total: the number of bytes in all; `nil` if it isn't known.
  func report(_ completed: Int64, of total: Int64?) {
    state.withLock { state in
      let isFirst = state.progress.totalUnitCount == nil && total != nil
      guard state.phase != .finished, completed > state.progress.completedUnitCount || isFirst else { return }
      let completed = max(completed, state.progress.completedUnitCount)
      state.progress = OperationProgress(
        completedUnitCount: completed, totalUnitCount: total ?? state.progress.totalUnitCount)
      streams.send(state.progress)
      noteChange(&state)
      if onProgress != nil { state.pending = state.progress }
    }
    deliver()
  }

  /// Ends the streams. The progress doesn't change afterwards.
  func finish() {
    state.withLock { state in
      state.phase = .finished
      state.abort = nil
    }
    streams.finish()
    changes.finish()
  }

  /// Tells the streams of changes that the phase or the progress has changed.
  private func noteChange(_ state: inout State) {
    state.changeCount += 1
    changes.send(state.changeCount)
  }

  /// Calls the closure outside the lock with what it hasn't received, unless another thread is doing so.
  private func deliver() {
    guard let onProgress else { return }
    var isMine = false
    while true {
      let next: OperationProgress? = state.withLock { state in
        guard isMine || !state.isDelivering else { return nil }
        defer { state.pending = nil }
        state.isDelivering = state.pending != nil
        return state.pending
      }
      guard let next else { return }
      isMine = true
      onProgress(next)
    }
  }
}
