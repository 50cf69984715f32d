import TenonCore

/// Carries the snapshots of one listener from the engine to its reader. A slow reader gets the newest state with all changes since
/// its last one; it never delays the engine.
final class SnapshotChannel: Sendable {
  private struct State {
    var pending: ViewSnapshot?
    var end: Result<Void, any Error>?
    var waiter: CheckedContinuation<ViewSnapshot?, any Error>?

    /// Returns what a reader gets now; `nil` if it has to wait.
    mutating func next() -> Result<ViewSnapshot?, any Error>? {
      if let snapshot = pending {
        pending = nil
        return .success(snapshot)
      }
      return end.map { end in end.map { nil } }
    }
  }

  private let state = Lock(State())

  /// Whether the listener has ended, from either side.
  var isOver: Bool { state.withLock { $0.end != nil } }

  /// Sends a newer snapshot.
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

  /// Ends the listener after the pending snapshot.
  func finish(throwing error: (any Error)?) {
    change { state in
      guard state.end == nil else { return }
      state.end = error.map { .failure($0) } ?? .success(())
    }
  }

  /// Ends the listener from the reader's side.
  func cancel() {
    change { state in
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

/// A listener of a reader; it ends when it is released.
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

  func end() {
    channel.cancel()
    Task { [engine, id] in await engine.removeListener(id) }
  }

  /// Returns the next snapshot; `nil` at the end. It includes every write that returned before this was called.
  func next() async throws -> ViewSnapshot? {
    if engine.hasUnseenWrites.withLock({ $0 }) { await engine.updateViews() }
    return try await channel.next()
  }
}
