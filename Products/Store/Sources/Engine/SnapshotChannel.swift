import TenonCore

/// Carries the states of one listening from the engine to its reader. Only the newest state waits; a slow reader never
/// holds anybody up.
final class SnapshotChannel: Sendable {
  /// A state, and the one that the reader had before.
  struct Delivery: Sendable {
    let documents: [StoredDocument]
    let previous: [StoredDocument]
  }

  private struct State {
    var pending: [StoredDocument]?
    var delivered: [StoredDocument] = []
    var end: Result<Void, any Error>?
    var waiter: CheckedContinuation<Delivery?, any Error>?

    /// What a reader gets now; `nil` when it has to wait.
    mutating func next() -> Result<Delivery?, any Error>? {
      if let documents = pending {
        pending = nil
        defer { delivered = documents }
        return .success(Delivery(documents: documents, previous: delivered))
      }
      return end.map { end in end.map { nil } }
    }
  }

  private let state = Lock(State())

  /// Whether the listening has ended, from either side.
  var isOver: Bool { state.withLock { $0.end != nil } }

  /// Offers a newer state.
  func send(_ documents: [StoredDocument]) { change { $0.pending = documents } }

  /// Ends the listening after the state that still waits.
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

  /// The next state; `nil` at the end.
  func next() async throws -> Delivery? {
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
      state -> (CheckedContinuation<Delivery?, any Error>, Result<Delivery?, any Error>)? in
      change(&state)
      guard let waiter = state.waiter, let outcome = state.next() else { return nil }
      state.waiter = nil
      return (waiter, outcome)
    }
    if let (waiter, outcome) = wake { waiter.resume(with: outcome) }
  }
}
