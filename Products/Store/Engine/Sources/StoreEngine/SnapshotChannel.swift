import TenonFoundation

/// Carries the snapshots of one listener from the engine to its reader. A slow reader receives the newest
/// state with all changes since its last snapshot, and never blocks the engine. Thread-safe.
///
/// At most one snapshot is pending: another one is merged into it (see ``ViewSnapshot/absorb(_:)``), so the
/// memory used doesn't grow with the number of snapshots that the reader skips.
final class SnapshotChannel: Sendable {
  /// The state, guarded by the lock.
  private struct State {
    /// The snapshot that the reader hasn't received; `nil` if it has received all.
    var pending: ViewSnapshot?
    /// How the listener was ended; `nil` while it is active.
    var end: Result<Void, any Error>?
    /// The reader that waits in ``SnapshotChannel/next()``, if one does. Only set while there is nothing to
    /// receive.
    var waiter: CheckedContinuation<ViewSnapshot?, any Error>?

    /// Returns what a reader receives now, and removes a pending snapshot: the pending snapshot first, then
    /// the end.
    ///
    /// - Returns: `nil` if the reader must wait.
    mutating func next() -> Result<ViewSnapshot?, any Error>? {
      if let snapshot = pending {
        pending = nil
        return .success(snapshot)
      }
      return end.map { end in end.map { nil } }
    }
  }

  private let state = Lock(State())

  /// Whether the listener was ended, by the engine or by its reader.
  var isOver: Bool { state.withLock { $0.end != nil } }

  /// Sends a snapshot, merging it with a pending one.
  ///
  /// - Complexity: O(1) if none is pending; otherwise O(k) for the k changes of `snapshot`, because the
  ///   pending changes are modified in place.
  func send(_ snapshot: ViewSnapshot) {
    change { state in
      guard var waiting = state.pending else {
        state.pending = snapshot
        return
      }
      // Removed, so that its changes are modified in place.
      state.pending = nil
      waiting.absorb(snapshot)
      state.pending = waiting
    }
  }

  /// Ends the listener after its pending snapshot; no effect if it has ended.
  ///
  /// - Parameter error: the error that the reader receives; `nil` to end without one.
  func finish(throwing error: (any Error)?) {
    change { state in
      guard state.end == nil else { return }
      state.end = error.map { .failure($0) } ?? .success(())
    }
  }

  /// Ends the listener on behalf of its reader, and discards the pending snapshot. A waiting reader receives
  /// `nil`.
  func cancel() {
    change { state in
      // Removed first, so that the snapshot is uniquely referenced and modified in place.
      state.pending = nil
      state.end = .success(())
    }
  }

  /// Returns the next snapshot, waiting for it if there is none; `nil` at the end.
  ///
  /// Cancelling the calling task ends the listener, and returns `nil`.
  ///
  /// - Precondition: no other call is waiting, because a channel has only one reader.
  /// - Throws: the error with which the listener was ended.
  func next() async throws -> ViewSnapshot? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = state.withLock { state in
          let outcome = state.next()
          if outcome == nil { state.waiter = continuation }
          return outcome
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      cancel()
    }
  }

  /// Changes the state, and resumes the waiting reader if there is something for it.
  ///
  /// The reader is resumed after the lock was released. Its continuation is removed under the lock, so it is
  /// resumed only once.
  private func change(_ change: (inout State) -> Void) {
    let wake = state.withLock {
      state -> (CheckedContinuation<ViewSnapshot?, any Error>, Result<ViewSnapshot?, any Error>)? in
      change(&state)
      guard let waiter = state.waiter, let outcome = state.next() else { return nil }
      state.waiter = nil
      return (waiter, outcome)
    }
    if let (waiter, outcome) = wake { waiter.resume(with: outcome) }
  }
}

/// The reader's end of a listener, which ends when this object is released.
///
/// Streams of snapshots hold it in the closure that produces their elements, so a listener ends when its
/// stream and all iterators are released. Thread-safe, except that only one task may wait in ``next()``.
package final class SnapshotReader: Sendable {
  private let engine: StoreEngine
  private let id: Int
  private let channel: SnapshotChannel

  /// - Parameters:
  ///   - engine: the engine, which this object keeps alive.
  ///   - id: the listener's ID.
  ///   - channel: the channel through which the engine sends snapshots.
  init(engine: StoreEngine, id: Int, channel: SnapshotChannel) {
    self.engine = engine
    self.id = id
    self.channel = channel
  }

  deinit { end() }

  /// Ends the listener. Calling it again has no effect.
  ///
  /// A waiting reader receives `nil`. The engine removes the listener soon after.
  func end() {
    channel.cancel()
    Task { [engine, id] in await engine.removeListener(id) }
  }

  /// Returns the next snapshot, waiting for it if there is none; `nil` at the end. It includes every write of
  /// this process that returned before this call.
  ///
  /// - Throws: the error with which the listener was ended.
  package func next() async throws -> ViewSnapshot? {
    if engine.hasUnseenWrites.withLock({ $0 }) { await engine.updateViews() }
    return try await channel.next()
  }
}
