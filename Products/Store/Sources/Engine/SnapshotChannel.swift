import TenonCore

/// Carries the snapshots of one listener from the engine to its reader. A slow reader receives the newest state with all changes
/// since its last snapshot, and never blocks the engine. Thread-safe.
final class SnapshotChannel: Sendable {
  private struct State {
    var pending: ViewSnapshot?
    var end: Result<Void, any Error>?
    var waiter: CheckedContinuation<ViewSnapshot?, any Error>?

    /// Returns what a reader receives at present; `nil` if it must wait.
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

  /// Ends the listener after its pending snapshot.
  func finish(throwing error: (any Error)?) {
    change { state in
      guard state.end == nil else { return }
      state.end = error.map { .failure($0) } ?? .success(())
    }
  }

  /// Ends the listener on behalf of its reader, and discards the pending snapshot.
  func cancel() {
    change { state in
      // Removed first, so that the snapshot is uniquely referenced and modified in place.
      state.pending = nil
      state.end = .success(())
    }
  }

  /// Returns the next snapshot; `nil` at the end.
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
final class Listening: Sendable {
  private let engine: StoreEngine
  private let id: Int
  private let channel: SnapshotChannel

  init(engine: StoreEngine, id: Int, channel: SnapshotChannel) {
    self.engine = engine
    self.id = id
    self.channel = channel
  }

  deinit { end() }

  /// Ends the listener. Calling it again has no effect.
  func end() {
    channel.cancel()
    Task { [engine, id] in await engine.removeListener(id) }
  }

  /// Returns the next snapshot; `nil` at the end. It includes every write that returned before this call.
  func next() async throws -> ViewSnapshot? {
    if engine.hasUnseenWrites.withLock({ $0 }) { await engine.updateViews() }
    return try await channel.next()
  }
}
