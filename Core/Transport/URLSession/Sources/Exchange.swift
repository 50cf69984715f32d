import Foundation
import TenonFoundation
import TenonHTTP
import TenonTransportInterop

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request and its response over `URLSession`, without redirects.
///
/// An exchange ends exactly once: complete, failed or stopped. Its functions can be called on any thread.
/// Continuations are resumed outside the lock, because a cancellation handler runs while the task's own lock
/// is held.
///
/// Three parties change the state: the session, which reports events on its serial queue; the timer of the
/// deadline; and the calling task, which may be cancelled. The first of them to end the exchange decides its
/// outcome, which later events don't change. The exchange is retained by its caller and, while the session's
/// task exists, by ``ExchangeDelegate``; the timer doesn't retain it.
final class Exchange: Sendable {
  /// The point at which ``run(until:begin:)`` returns.
  enum Delivery {
    /// It returns when the response is complete. The body is collected in memory.
    case whole
    /// It returns when the head has arrived. The chunks of the body are sent to the stream.
    case chunks(AsyncThrowingStream<Data, any Error>.Continuation)
  }

  /// The part of the response that has arrived.
  struct Answer: Sendable {
    /// The status and the header fields.
    var head: ResponseHead
    /// The body so far; empty if it is streamed.
    var body = Data()
  }

  /// The phases of an exchange.
  private enum Phase {
    /// The exchange is waiting for the response, or for the rest of it.
    case running
    /// The exchange has declined a redirect or an authentication challenge of the session. From here on the
    /// task must not be cancelled: `FoundationNetworking` traps when such a refusal reaches a cancelled task.
    case refused
    /// The exchange has ended. A later call of ``run(until:begin:)`` throws the error.
    case ended(any Error)
  }

  /// The state of the exchange. The session, deadlines and cancellation change it concurrently, under the
  /// lock.
  private struct State {
    /// The current phase.
    var phase = Phase.running
    /// The point at which the caller is resumed, and the stream of the body.
    var delivery: Delivery
    /// The suspended caller of ``run(until:begin:)``; `nil` before it has suspended and after it was resumed.
    var waiter: CheckedContinuation<Answer, any Error>?
    /// The part of the response that has arrived; `nil` before its head.
    var answer: Answer?
    /// The session's task; `nil` before ``adopt(_:)``.
    var task: URLSessionTask?
    /// The scheduled deadline; `nil` if there is none.
    var deadline: DeadlineTimer.Token?
    /// The progress of both bodies.
    var progress = HTTPProgress()
    /// The number of bytes, of both bodies, that was last reported; 0 before the first report.
    var reported: Int64 = 0
  }

  /// The request.
  let request: TransportRequest
  /// The origin of the request's URL, for error messages.
  let origin: Origin
  /// The queue on which the session's tasks are created, resumed and cancelled. Each of these calls blocks
  /// until the session has processed it.
  private let queue: DispatchQueue
  /// The state. No other lock is taken and no continuation is resumed while it is locked.
  private let state: Lock<State>

  /// Creates an exchange that hasn't begun.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - origin: the origin of its URL.
  ///   - delivery: the point at which ``run(until:begin:)`` returns.
  ///   - queue: the queue on which the session's tasks are cancelled.
  init(_ request: TransportRequest, origin: Origin, delivery: Delivery, queue: DispatchQueue) {
    self.request = request
    self.origin = origin
    self.queue = queue
    state = Lock(State(delivery: delivery))
  }

  /// Begins the exchange and returns the response, or its head if the body is streamed.
  ///
  /// This function must be called only once. Cancelling the calling task stops the exchange.
  ///
  /// - Parameters:
  ///   - deadline: when to stop the exchange with `timedOut`, including a streamed body; `nil` sets no limit.
  ///   - begin: starts the session's task. It isn't called if the exchange has ended before.
  /// - Returns: the head and, unless it is streamed, the complete body.
  /// - Throws: `TransportError` if the response doesn't arrive; `CancellationError`.
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

  /// Stores the session's task, which is cancelled when the exchange is stopped. It is called once, on the
  /// transport's queue.
  ///
  /// - Parameter task: the task, which hasn't been resumed.
  /// - Returns: whether the exchange is still running. If not, the task isn't stored, and the caller has to
  ///   cancel it.
  func adopt(_ task: URLSessionTask) -> Bool {
    state.withLock { state in
      guard case .running = state.phase else { return false }
      state.task = task
      return true
    }
  }

  /// Whether the exchange has neither ended nor declined a redirect or a challenge.
  var isRunning: Bool {
    state.withLock { state in if case .running = state.phase { true } else { false } }
  }

  /// Ends the exchange with an error and cancels the session's task. Has no effect if the exchange has ended.
  ///
  /// The task is cancelled asynchronously. After a redirect or a challenge has been declined, it isn't
  /// cancelled at all.
  ///
  /// - Parameter error: the error that ``run(until:begin:)`` or the stream of the body throws.
  func stop(_ error: any Error) {
    // Whether the task may be cancelled is decided in the step that ends the exchange: a redirect that is
    // declined in between would leave a cancelled task that never completes.
    guard let last = finish(error), case .running = last.phase, let task = last.task else { return }
    // `cancel()` blocks until the session has processed it, and a cancellation handler must not block.
    queue.async { task.cancel() }
  }

  /// Schedules the end of the exchange with `timedOut`, whose timeout is `exchange`. The end of the exchange
  /// cancels it.
  ///
  /// - Parameter deadline: when to stop. A deadline in the past is due immediately.
  private func stop(at deadline: ContinuousClock.Instant) {
    let error = TransportError(
      .timedOut, "\(origin.host) didn't answer in time. Try again, or allow more time.", timeout: .exchange)
    let token = DeadlineTimer.shared.schedule(at: deadline) { [weak self] in self?.stop(error) }
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
  /// Handles the arrival of the response's head. Resumes the caller if the body is streamed.
  ///
  /// - Parameter head: the head. If it exceeds a limit of the request, the exchange is stopped with
  ///   `invalidResponse`. A `Content-Length` becomes the total of the progress.
  func received(_ head: ResponseHead) {
    if let error = exceededLimit(head) { return stop(error) }
    let waiter: CheckedContinuation<Answer, any Error>? = state.withLock { state in
      guard case .running = state.phase else { return nil }
      state.answer = Answer(head: head)
      // Checked: text; the initializer is failable.
      state.progress.totalToReceive = head.headers["Content-Length"].flatMap { Int64($0) }
      guard case .chunks = state.delivery else { return nil }
      return state.waiter.take()
    }
    waiter?.resume(returning: Answer(head: head))
  }

  /// Handles the arrival of a part of the body: appends it to the response, or sends it to the stream.
  ///
  /// - Parameter data: the bytes after decompression. If a body that is collected exceeds the limit of the
  ///   request, the exchange is stopped with `invalidResponse`. A stream buffers without a limit what its
  ///   reader hasn't consumed.
  func received(_ data: Data) {
    var isTooLarge = false
    let chunks: AsyncThrowingStream<Data, any Error>.Continuation? = state.withLock { state in
      guard case .running = state.phase else { return nil }
      if case .chunks(let chunks) = state.delivery { return chunks }
      isTooLarge = (state.answer?.body.count ?? 0) > request.limits.bodyBytes - data.count
      if !isTooLarge { state.answer?.body.append(data) }
      return nil
    }
    if isTooLarge { return stop(tooLarge) }
    chunks?.yield(data)
    report { $0.received += Int64(data.count) }
  }

  /// Handles the progress of the request's body.
  ///
  /// - Parameters:
  ///   - count: the number of bytes that have been sent in all.
  ///   - total: the size of the body; negative if the session doesn't have it.
  func sent(_ count: Int64, of total: Int64) {
    report {
      $0.sent = count
      $0.totalToSend = total >= 0 ? total : nil
    }
  }

  /// Changes the progress, and reports it when 128 KiB have been transferred since the last report or the
  /// request's body is complete. The function of the request is called on the session's queue, outside the
  /// lock.
  ///
  /// - Parameters:
  ///   - isFinal: whether the exchange is complete, so that any number of bytes is reported.
  ///   - change: changes the progress. It is called under the lock.
  private func report(isFinal: Bool = false, _ change: (inout HTTPProgress) -> Void) {
    guard let onProgress = request.onProgress else { return }
    let progress: HTTPProgress? = state.withLock { state in
      change(&state.progress)
      let total = state.progress.sent + state.progress.received
      let isComplete = state.progress.sent == state.progress.totalToSend
      guard total != state.reported, isFinal || isComplete || total - state.reported >= 128 << 10 else {
        return nil
      }
      state.reported = total
      return state.progress
    }
    if let progress { onProgress(progress) }
  }

  /// Returns an error if the head exceeds a limit. The session doesn't report the lines of the head as they
  /// were sent.
  ///
  /// The size of a field is therefore that of its line as it is usually written: the name, a colon, a space,
  /// the value and the end of the line. The head has been received as a whole by then, so that these limits
  /// don't save memory here.
  ///
  /// - Parameter head: the head of the response.
  /// - Returns: the error of the first limit that is exceeded, of the number of fields, the length of a line
  ///   and the size of all, in this order; `nil` if none is.
  private func exceededLimit(_ head: ResponseHead) -> TransportError? {
    let limits = request.limits
    let fields = head.headers.fields
    let sizes = fields.map { $0.name.utf8.count + $0.value.utf8.count + 4 }
    let limit: (TransportError.Limit, String)? =
      if fields.count > limits.headerCount {
        (.headerCount, "more than \(limits.headerCount) header fields")
      } else if sizes.contains(where: { $0 > limits.headerLineBytes }) {
        (.headerLineBytes, "a header line of more than \(limits.headerLineBytes) bytes")
      } else if sizes.reduce(0, +) > limits.headerBytes {
        (.headerBytes, "header fields of more than \(limits.headerBytes) bytes")
      } else {
        nil
      }
    return limit.map {
      TransportError(.invalidResponse, "The response of \(origin.host) has \($1).", limit: $0)
    }
  }

  /// The error of a body that exceeds its limit.
  private var tooLarge: TransportError {
    TransportError(
      .invalidResponse, "The response of \(origin.host) has more than \(request.limits.bodyBytes) bytes.",
      limit: .bodyBytes)
  }

  /// Handles a redirect by ending the exchange with its response.
  ///
  /// - Returns: whether to decline the redirect. If not, the exchange has ended before, and the session must
  ///   not be answered.
  func redirected(_ head: ResponseHead) -> Bool { refuse(Answer(head: head)) }

  /// Handles a request for credentials by ending the exchange with the response that has arrived.
  ///
  /// - Returns: whether to decline the challenge. If not, the exchange has ended before, and the session must
  ///   not be answered.
  func challenged(_ head: ResponseHead) -> Bool {
    refuse(state.withLock { $0.answer } ?? Answer(head: head))
  }

  /// Ends the exchange with a response that the session must not act upon.
  ///
  /// - Parameter answer: the response, with its body so far.
  /// - Returns: whether the exchange was still running.
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

  /// Handles the end of the session's task.
  ///
  /// - Parameters:
  ///   - error: the session's error; `nil` if the response is complete.
  ///   - response: the head of the task's response; `nil` if there was none or it isn't HTTP.
  func completed(_ error: (any Error)?, response: ResponseHead?) {
    let headArrived = state.withLock { state in
      // `URLSession` on Linux doesn't report the head of a 3xx that has no `Location`.
      if error == nil, state.answer == nil { state.answer = response.map { Answer(head: $0) } }
      return state.answer != nil
    }
    if let error {
      finish(TransportError(error, url: request.url, headArrived: headArrived))
    } else if !headArrived {
      finish(TransportError(.invalidResponse, "\(origin.host) didn't answer with HTTP."))
    } else {
      report(isFinal: true) { _ in }
      finish(nil)
    }
  }

  /// Ends the exchange: resumes the caller, ends the stream and cancels the deadline. Only the first call has
  /// an effect.
  ///
  /// - Parameter error: the reason, which the caller and the stream throw; `nil` if the response is complete.
  ///   A caller that has been resumed with the head isn't resumed again.
  /// - Returns: the state before the end; `nil` if the exchange had ended before.
  @discardableResult
  private func finish(_ error: (any Error)?) -> State? {
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
    guard let ended else { return nil }
    if let deadline = ended.deadline { DeadlineTimer.shared.cancel(deadline) }
    if let waiter = ended.waiter {
      if let error {
        waiter.resume(throwing: error)
      } else if let answer = ended.answer {
        waiter.resume(returning: answer)
      }
    }
    if case .chunks(let chunks) = ended.delivery { chunks.finish(throwing: error) }
    return ended
  }
}
