package import TenonFoundation
package import TenonTelemetry
package import TenonTransportInterop

/// Sends a product's requests through the transport of its app, with the header fields that every request
/// carries and with retries of requests that are safe to repeat.
///
/// A client is a value that holds no connections. It can be copied, and its functions can be called
/// concurrently. It neither signs requests (see ``RequestSigner``) nor interprets statuses, except to decide
/// on a retry.
///
/// ```swift
/// let telemetry = Telemetry(source: "tenon-weather")
/// let client = try HTTPClient(app: context, transport: transport, telemetry: telemetry)
/// let response = try await client.send(TransportRequest(.get, url, deadline: .seconds(60)), repeatable: true)
/// guard response.isSuccess else {
///   throw TransportError(.invalidResponse, "The status is \(response.status).")
/// }
/// ```
package struct HTTPClient: Sendable {
  /// The transport that sends the requests.
  package let transport: any TransportInterop
  /// The header fields that are added to each request that doesn't set them itself. Only the first of several
  /// with one name is added.
  package var headers: HTTPHeaders
  /// When and how often a repeatable request is sent again.
  package var retries: RetryPolicy
  /// The clock of deadlines and delays, and the source of the random numbers that vary the delays.
  package var time: TimeSource
  /// The log, the metrics and the spans of the product that sends the requests.
  package let telemetry: Telemetry
  /// Records each exchange, as `tenon-http`.
  private let log: ExchangeLog

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - transport: sends the requests.
  ///   - headers: the header fields that each request carries unless it sets them itself; none by default.
  ///   - retries: when and how often a repeatable request is sent again; ``RetryPolicy/standard`` by default.
  ///   - time: the clock of deadlines and delays; that of the system by default.
  ///   - telemetry: the log, the metrics and the spans of the product; those of an app without a provider by
  ///     default.
  package init(
    transport: any TransportInterop,
    headers: HTTPHeaders = HTTPHeaders(),
    retries: RetryPolicy = .standard,
    time: TimeSource = .system,
    telemetry: Telemetry = Telemetry(source: ExchangeLog.source)
  ) {
    self.transport = transport
    self.headers = headers
    self.retries = retries
    self.time = time
    self.telemetry = telemetry
    log = ExchangeLog(telemetry: telemetry.of(ExchangeLog.source))
  }

  /// Sends a request and returns the complete response, whatever its status.
  ///
  /// The request's deadline covers all attempts and the delays between them. No delay begins that would end
  /// after the deadline or after `lastStart`. If every attempt fails, the last response is returned or the
  /// last error is thrown.
  ///
  /// Each attempt has the remaining time as its deadline. When it passes during an attempt, the transport
  /// throws `timedOut`, which is final unless ``retries`` lists it. The request is the same in each attempt:
  /// tokens aren't renewed in between.
  ///
  /// - Parameters:
  ///   - request: the request. Fields of ``headers`` that it doesn't set are added.
  ///   - repeatable: whether the request may be sent again after the statuses and failures of ``retries``.
  ///     Set this only for idempotent requests (RFC 9110, section 9.2.2), which may arrive twice without
  ///     harm. A request whose body is a stream is never sent again.
  ///   - lastStart: the latest time at which an attempt may start after a delay. An attempt that has started
  ///     isn't interrupted. `nil`, the default, sets no limit.
  /// - Returns: the response of the last attempt.
  /// - Throws: `TransportError` if no complete response arrived; `CancellationError`.
  package func send(
    _ request: TransportRequest, repeatable: Bool = false, lastStart: ContinuousClock.Instant? = nil
  ) async throws -> TransportResponse {
    var request = completed(request)
    guard repeatable, request.body.isRepeatable, retries.attempts > 1 else {
      return try await log.recording(request, status: \.status) { try await transport.send(request) }
    }
    let deadline = request.deadline.map { time.now() + $0.limited }
    var attempt = 1
    while true {
      if let deadline { request.deadline = max(.zero, deadline - time.now()) }
      let outcome = try await outcome(of: request, attempt: attempt)
      guard attempt < retries.attempts, let delay = delay(after: outcome, attempt: attempt),
        [deadline, lastStart].allSatisfy({ $0.map { time.now() + delay < $0 } ?? true })
      else { return try outcome.get() }
      try await time.sleep(delay)
      log.countRetry(of: request, after: outcome)
      attempt += 1
    }
  }

  /// Sends a request once and returns as soon as the head of the response has arrived.
  ///
  /// There are no retries. The request's deadline covers at least the time until the head has arrived; see
  /// the requirements of `TransportInterop`.
  ///
  /// - Parameter request: the request. Fields of ``headers`` that it doesn't set are added.
  /// - Returns: the status, the header fields and the stream of the body. Any status is returned, including
  ///   4xx and 5xx.
  /// - Throws: `TransportError` if no head arrived; `CancellationError`. The stream throws the same errors.
  package func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
    let request = completed(request)
    return try await log.recording(request, status: \.status) { try await transport.stream(request) }
  }

  /// Returns a request with the fields of ``headers`` that it doesn't set itself.
  ///
  /// Names are compared without regard to case. Fields of the request come first and are never changed.
  ///
  /// - Complexity: O(*n* · *m*) in the numbers of fields of the client and of the request.
  private func completed(_ request: TransportRequest) -> TransportRequest {
    var request = request
    for field in headers.fields where request.headers[field.name] == nil {
      request.headers.add(field.name, field.value)
    }
    return request
  }

  /// Sends a request once and returns its response or its transport error.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - attempt: the number of the attempt, from 1.
  /// - Throws: `CancellationError`. Transports throw no errors of other types; one that did would end the
  ///   attempts.
  private func outcome(
    of request: TransportRequest, attempt: Int
  ) async throws -> Result<TransportResponse, TransportError> {
    do {
      return .success(
        try await log.recording(request, attempt: attempt, status: \.status) {
          try await transport.send(request)
        })
    } catch let error as TransportError {
      return .failure(error)
    }
  }

  /// Returns the delay before the next attempt, or `nil` if the outcome is final.
  ///
  /// - Parameters:
  ///   - outcome: the response or the error of the attempt.
  ///   - attempt: the number of the attempt, from 1.
  private func delay(after outcome: Result<TransportResponse, TransportError>, attempt: Int) -> Duration? {
    switch outcome {
    case .success(let response) where retries.repeats(after: response):
      retries.delay(
        after: attempt,
        retryAfter: response.retryAfter(now: time.date()),
        random: time.random()
      )
    case .failure(let error) where retries.repeats(after: error):
      retries.delay(after: attempt, retryAfter: nil, random: time.random())
    default:
      nil
    }
  }
}
