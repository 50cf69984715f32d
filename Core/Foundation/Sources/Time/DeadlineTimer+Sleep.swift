extension DeadlineTimer {
  /// Suspends the calling task until a deadline. A deadline in the past ends the sleep immediately.
  ///
  /// - Parameter deadline: when to resume, at the earliest.
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  package func sleep(until deadline: ContinuousClock.Instant) async throws {
    let sleeper = Sleeper()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard sleeper.begin(continuation) else { return }
        let token = schedule(at: deadline) { sleeper.end(.success(())) }
        if !sleeper.adopt(token) { cancel(token) }
      }
    } onCancel: {
      if let token = sleeper.end(.failure(CancellationError())) { cancel(token) }
    }
  }
}

/// One sleeping task, which ends once: when its time is over or when it is cancelled.
private final class Sleeper: Sendable {
  /// How far the sleep has come.
  private enum State {
    /// The task hasn't been suspended yet.
    case new
    /// The task is suspended. The token is missing until the deadline has been scheduled.
    case sleeping(CheckedContinuation<Void, any Error>, DeadlineTimer.Token?)
    /// The sleep has ended. A task that is suspended later is resumed immediately.
    case ended(Result<Void, any Error>)
  }

  private let state = Lock(State.new)

  /// Stores the continuation of the suspended task.
  ///
  /// - Returns: `false` if the sleep has already ended, in which case the continuation has been resumed.
  func begin(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
    let outcome: Result<Void, any Error>? = state.withLock { state in
      if case .ended(let outcome) = state { return outcome }
      state = .sleeping(continuation, nil)
      return nil
    }
    guard let outcome else { return true }
    continuation.resume(with: outcome)
    return false
  }

  /// Stores the token of the scheduled deadline, to be cancelled with the sleep.
  ///
  /// - Returns: `false` if the sleep has already ended, so that the caller must cancel the token.
  func adopt(_ token: DeadlineTimer.Token) -> Bool {
    state.withLock { state in
      guard case .sleeping(let continuation, _) = state else { return false }
      state = .sleeping(continuation, token)
      return true
    }
  }

  /// Ends the sleep. Only the first call has an effect.
  ///
  /// - Parameter outcome: what the sleeping task resumes with.
  /// - Returns: the token of a deadline that is still scheduled, for the caller to cancel.
  @discardableResult
  func end(_ outcome: Result<Void, any Error>) -> DeadlineTimer.Token? {
    let ended: (CheckedContinuation<Void, any Error>?, DeadlineTimer.Token?) = state.withLock { state in
      switch state {
      case .new:
        state = .ended(outcome)
        return (nil, nil)
      case .sleeping(let continuation, let token):
        state = .ended(outcome)
        return (continuation, token)
      case .ended:
        return (nil, nil)
      }
    }
    ended.0?.resume(with: outcome)
    return ended.1
  }
}
