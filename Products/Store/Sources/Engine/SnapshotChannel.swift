import TenonCore

/// Carries the snapshots of one listening from the engine to its reader. A reader that is slow gets the newest state with all
/// that changed since its last one; it never holds anybody up.
final class SnapshotChannel: Sendable {
  private struct State {
    var pending: ViewSnapshot?
    var end: Result<Void, any Error>?
    var waiter: CheckedContinuation<ViewSnapshot?, any Error>?

    /// What a reader gets now; `nil` when it has to wait.
    mutating func next() -> Result<ViewSnapshot?, any Error>? {
      if let snapshot = pending {
        pending = nil
        return .success(snapshot)
      }
      return end.map { end in end.map { nil } }
    }
  }

  private let state = Lock(State())

  /// Whether the listening has ended, from either side.
  var isOver: Bool { state.withLock { $0.end != nil } }

  /// Offers a newer snapshot.
  func send(_ snapshot: ViewSnapshot) {
    change { state in
      guard var waiting = state.pending else {
        state.pending = snapshot
        return
      }
      // Taken out, so that its changes are added to in place.
      state.pending = nil
      waiting.absorb(snapshot)
      state.pending = waiting
    }
  }

  /// Ends the listening after the snapshot that still waits.
  func finish(throwing error: (any Error)?) {
    change { state in
      guard state.end == nil else { return }
      state.end = error.map { .failure($0) } ?? .success(())
    }
  }

  /// Ends the listening from the reader's side.
  func cancel() {
    change { state in
      state.pending = nil
      state.end = .success(())
    }
  }

  /// The next snapshot; `nil` at the end.
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

/// A listening; it ends when nobody holds it any more.
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

  /// The next snapshot; `nil` at the end. It holds every write that returned before this was called.
  func next() async throws -> ViewSnapshot? {
    if engine.hasUnseenWrites.withLock({ $0 }) { await engine.updateViews() }
    return try await channel.next()
  }
}
