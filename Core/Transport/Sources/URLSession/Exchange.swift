import Foundation
import TenonCore
import TenonTransportInterop

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request and its answer over `URLSession`, without redirects.
///
/// It ends once: complete, failed or stopped. Continuations are resumed outside the lock, because a cancellation
/// handler arrives with the task's own lock held.
final class Exchange: Sendable {
  enum Delivery {
    /// The answer is handed over when it is complete.
    case whole
    /// The answer is handed over with its head; the content goes to the stream.
    case chunks(AsyncThrowingStream<Data, any Error>.Continuation)
  }

  struct Answer: Sendable {
    var head: ResponseHead
    var body = Data()
  }

  private enum Phase {
    case running
    /// The session has asked whether to follow a redirect, or for a password, and was told no. From here on the task must not be
    /// cancelled: `FoundationNetworking` traps when that refusal reaches a cancelled task.
    case refused
    case ended(any Error)
  }

  private struct State {
    var phase = Phase.running
    var delivery: Delivery
    var waiter: CheckedContinuation<Answer, any Error>?
    var answer: Answer?
    var task: URLSessionTask?
    var timer: Task<Void, Never>?
  }

  let url: URL
  /// On which the session's tasks are created, resumed and cancelled, since each of these waits for the session.
  private let queue: DispatchQueue
  private let state: Lock<State>

  init(url: URL, delivery: Delivery, queue: DispatchQueue) {
    self.url = url
    self.queue = queue
    state = Lock(State(delivery: delivery))
  }

  /// Waits for the answer, or for its head. `begin` starts the session's task.
  func run(until deadline: ContinuousClock.Instant?, begin: @Sendable (Exchange) -> Void) async throws
    -> Answer
  {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let early: (any Error)? = state.withLock { state in
          if case .ended(let error) = state.phase { return error }
          state.waiter = continuation
          return nil
        }
        if let early { return continuation.resume(throwing: early) }
        if let deadline { stop(at: deadline) }
        begin(self)
      }
    } onCancel: {
      stop(CancellationError())
    }
  }

  /// Takes the session's task. Returns whether the exchange still runs.
  func adopt(_ task: URLSessionTask) -> Bool {
    state.withLock { state in
      guard case .running = state.phase else { return false }
      state.task = task
      return true
    }
  }

  var isRunning: Bool {
    state.withLock { state in if case .running = state.phase { true } else { false } }
  }

  /// Ends the exchange with an error, and the session's task with it.
  func stop(_ error: any Error) {
    let task: URLSessionTask? = state.withLock { state in
      guard case .running = state.phase else { return nil }
      return state.task
    }
    finish(error)
    // Never here: `cancel()` waits for the session, and a cancellation handler must not wait.
    if let task { queue.async { task.cancel() } }
  }

  private func stop(at deadline: ContinuousClock.Instant) {
    let host = url.host() ?? ""
    let timer = Task { [weak self] in
      guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return }
      self?.stop(TransportError(.timedOut, "\(host) didn't answer in time. Try again, or allow more time."))
    }
    let isOver = state.withLock { state in
      guard case .running = state.phase else { return true }
      state.timer = timer
      return false
    }
    if isOver { timer.cancel() }
  }
}

// MARK: - What the session reports, on its serial queue

extension Exchange {
  func received(_ head: ResponseHead) {
    let waiter: CheckedContinuation<Answer, any Error>? = state.withLock { state in
      guard case .running = state.phase else { return nil }
      state.answer = Answer(head: head)
      guard case .chunks = state.delivery else { return nil }
      return state.waiter.take()
    }
    waiter?.resume(returning: Answer(head: head))
  }

  func received(_ data: Data) {
    let chunks: AsyncThrowingStream<Data, any Error>.Continuation? = state.withLock { state in
      guard case .running = state.phase else { return nil }
      if case .chunks(let chunks) = state.delivery { return chunks }
      state.answer?.body.append(data)
      return nil
    }
    chunks?.yield(data)
  }

  /// Returns whether the session may be told not to follow.
  func redirected(_ head: ResponseHead) -> Bool { refuse(Answer(head: head)) }

  /// Returns whether the session may be told that there is no password.
  func challenged(_ head: ResponseHead) -> Bool {
    refuse(state.withLock { $0.answer } ?? Answer(head: head))
  }

  private func refuse(_ answer: Answer) -> Bool {
    let mayRefuse = state.withLock { state in
      guard case .running = state.phase else { return false }
      state.phase = .refused
      state.answer = answer
      return true
    }
    if mayRefuse { finish(nil) }
    return mayRefuse
  }

  func completed(_ error: (any Error)?, response: ResponseHead?) {
    let headArrived = state.withLock { state in
      // `URLSession` on Linux doesn't report the head of a 3xx that has no `Location`.
      if error == nil, state.answer == nil { state.answer = response.map { Answer(head: $0) } }
      return state.answer != nil
    }
    if let error {
      finish(TransportError(error, url: url, headArrived: headArrived))
    } else if !headArrived {
      finish(TransportError(.invalidResponse, "The answer of \(url.host() ?? "") is none of HTTP."))
    } else {
      finish(nil)
    }
  }

  /// Ends the exchange; only the first call counts.
  private func finish(_ error: (any Error)?) {
    let ended: State? = state.withLock { state in
      if case .ended = state.phase { return nil }
      let last = state
      state.phase = .ended(error ?? CancellationError())
      state.waiter = nil
      state.answer = nil
      state.task = nil
      state.timer = nil
      return last
    }
    guard let ended else { return }
    ended.timer?.cancel()
    if let waiter = ended.waiter {
      if let error {
        waiter.resume(throwing: error)
      } else if let answer = ended.answer {
        waiter.resume(returning: answer)
      }
    }
    if case .chunks(let chunks) = ended.delivery { chunks.finish(throwing: error) }
  }
}
