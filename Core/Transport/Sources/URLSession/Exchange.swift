import Foundation
import TenonCore
import TenonTransportInterop

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request and its response over `URLSession`, without redirects.
///
/// An exchange ends exactly once: complete, failed or stopped. Continuations are resumed outside the lock, because a
/// cancellation handler runs with the task's own lock held.
final class Exchange: Sendable {
  /// When `run` returns.
  enum Delivery {
    /// When the response is complete.
    case whole
    /// When the head has arrived. The body goes to the stream.
    case chunks(AsyncThrowingStream<Data, any Error>.Continuation)
  }

  /// What has arrived of the response.
  struct Answer: Sendable {
    var head: ResponseHead
    var body = Data()
  }

  /// How far the exchange has come.
  private enum Phase {
    /// The exchange waits for the response.
    case running
    /// The session asked whether to follow a redirect or for a password, and the answer was no. From here on the task must
    /// not be cancelled: `FoundationNetworking` traps when such a refusal reaches a cancelled task.
    case refused
    /// The exchange has ended. A call of `run` that comes later throws the error.
    case ended(any Error)
  }

  /// The state, which the session, deadlines and cancellation change concurrently.
  private struct State {
    var phase = Phase.running
    var delivery: Delivery
    var waiter: CheckedContinuation<Answer, any Error>?
    var answer: Answer?
    var task: URLSessionTask?
    var deadline: DeadlineTimer.Token?
  }

  /// The target of the request, for error messages.
  let url: URL
  /// The queue on which the session's tasks are created, resumed and cancelled. Each of these calls blocks until the session
  /// has processed it.
  private let queue: DispatchQueue
  private let state: Lock<State>

  /// Creates an exchange that hasn't begun.
  ///
  /// - Parameters:
  ///   - url: the target of the request.
  ///   - delivery: when `run` returns.
  ///   - queue: the queue of the session's tasks.
  init(url: URL, delivery: Delivery, queue: DispatchQueue) {
    self.url = url
    self.queue = queue
    state = Lock(State(delivery: delivery))
  }

  /// Returns the response, or its head if the body is streamed.
  ///
  /// - Parameters:
  ///   - deadline: when to stop the exchange with `timedOut`, the streamed body included.
  ///   - begin: starts the session's task.
  /// - Throws: `TransportError`; `CancellationError`.
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

  /// Stores the session's task, to be cancelled with the exchange. Returns whether the exchange is still running.
  func adopt(_ task: URLSessionTask) -> Bool {
    state.withLock { state in
      guard case .running = state.phase else { return false }
      state.task = task
      return true
    }
  }

  /// Whether the exchange has neither ended nor refused a redirect or challenge.
  var isRunning: Bool {
    state.withLock { state in if case .running = state.phase { true } else { false } }
  }

  /// Ends the exchange with an error and cancels the session's task.
  func stop(_ error: any Error) {
    let task: URLSessionTask? = state.withLock { state in
      guard case .running = state.phase else { return nil }
      return state.task
    }
    finish(error)
    // `cancel()` blocks until the session has processed it, and a cancellation handler must not block.
    if let task { queue.async { task.cancel() } }
  }

  /// Stops the exchange with `timedOut` at a deadline.
  private func stop(at deadline: ContinuousClock.Instant) {
    let host = url.host() ?? ""
    let token = DeadlineTimer.shared.schedule(at: deadline) { [weak self] in
      self?.stop(TransportError(.timedOut, "\(host) didn't answer in time. Try again, or allow more time."))
    }
    let isOver = state.withLock { state in
      guard case .running = state.phase else { return true }
      state.deadline = token
      return false
    }
    if isOver { DeadlineTimer.shared.cancel(token) }
  }
}

// MARK: - Events of the session, which arrive on its serial queue

extension Exchange {
  /// The head of the response has arrived.
  func received(_ head: ResponseHead) {
    let waiter: CheckedContinuation<Answer, any Error>? = state.withLock { state in
      guard case .running = state.phase else { return nil }
      state.answer = Answer(head: head)
      guard case .chunks = state.delivery else { return nil }
      return state.waiter.take()
    }
    waiter?.resume(returning: Answer(head: head))
  }

  /// A part of the body has arrived.
  func received(_ data: Data) {
    let chunks: AsyncThrowingStream<Data, any Error>.Continuation? = state.withLock { state in
      guard case .running = state.phase else { return nil }
      if case .chunks(let chunks) = state.delivery { return chunks }
      state.answer?.body.append(data)
      return nil
    }
    chunks?.yield(data)
  }

  /// The server redirects. Returns whether to tell the session not to follow.
  func redirected(_ head: ResponseHead) -> Bool { refuse(Answer(head: head)) }

  /// The server asks for credentials. Returns whether to tell the session that there are none.
  func challenged(_ head: ResponseHead) -> Bool {
    refuse(state.withLock { $0.answer } ?? Answer(head: head))
  }

  /// Ends the exchange with a response that the session must not act upon. Returns whether it was still running.
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

  /// The session's task has ended.
  func completed(_ error: (any Error)?, response: ResponseHead?) {
    let headArrived = state.withLock { state in
      // `URLSession` on Linux doesn't report the head of a 3xx that has no `Location`.
      if error == nil, state.answer == nil { state.answer = response.map { Answer(head: $0) } }
      return state.answer != nil
    }
    if let error {
      finish(TransportError(error, url: url, headArrived: headArrived))
    } else if !headArrived {
      finish(TransportError(.invalidResponse, "\(url.host() ?? "") didn't answer with HTTP."))
    } else {
      finish(nil)
    }
  }

  /// Ends the exchange; only the first call has an effect.
  private func finish(_ error: (any Error)?) {
    let ended: State? = state.withLock { state in
      if case .ended = state.phase { return nil }
      let last = state
      state.phase = .ended(error ?? CancellationError())
      state.waiter = nil
      state.answer = nil
      state.task = nil
      state.deadline = nil
      return last
    }
    guard let ended else { return }
    if let deadline = ended.deadline { DeadlineTimer.shared.cancel(deadline) }
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
