package import TenonCore
package import TenonTransportInterop

/// Sends a product's requests through the transport of its app, with the header fields that every request carries and with
/// retries of requests that are safe to repeat.
package struct HTTPClient: Sendable {
  /// Sends the requests.
  package let transport: any TransportInterop
  /// The fields that are added to each request that doesn't set them itself.
  package var headers: HTTPHeaders
  /// When and how often a repeatable request is sent again.
  package var retries: RetryPolicy
  /// The clock of deadlines and delays.
  package var time: TimeSource

  /// Creates a client.
  package init(
    transport: any TransportInterop,
    headers: HTTPHeaders = HTTPHeaders(),
    retries: RetryPolicy = .standard,
    time: TimeSource = .system
  ) {
    self.transport = transport
    self.headers = headers
    self.retries = retries
    self.time = time
  }

  /// Sends a request and returns the complete response, whatever its status.
  ///
  /// The request's deadline covers all attempts and the delays between them. If every attempt fails, the last response
  /// or error is the result.
  ///
  /// - Parameters:
  ///   - repeatable: whether the request may be sent again after the statuses and failures of ``retries``. Set this
  ///     only for requests that may arrive twice without harm.
  ///   - lastStart: when the last attempt may start at the latest. An attempt that has started is not interrupted.
  /// - Throws: `TransportError`; `CancellationError`.
  package func send(
    _ request: HTTPRequest, repeatable: Bool = false, lastStart: ContinuousClock.Instant? = nil
  ) async throws -> HTTPResponse {
    var request = completed(request)
    guard repeatable, retries.attempts > 1 else { return try await transport.send(request) }
    let deadline = request.deadline.map { time.now() + $0.limited }
    var attempt = 1
    while true {
      if let deadline { request.deadline = max(.zero, deadline - time.now()) }
      let outcome = try await outcome(of: request)
      guard attempt < retries.attempts, let delay = delay(after: outcome, attempt: attempt),
        [deadline, lastStart].allSatisfy({ $0.map { time.now() + delay < $0 } ?? true })
      else { return try outcome.get() }
      try await time.sleep(delay)
      attempt += 1
    }
  }

  /// Sends a request once and returns as soon as the head of the response has arrived.
  ///
  /// - Throws: `TransportError`; `CancellationError`.
  package func stream(_ request: HTTPRequest) async throws -> HTTPStreamingResponse {
    try await transport.stream(completed(request))
  }

  /// Returns a request with the fields of this client.
  private func completed(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    for field in headers.fields where request.headers[field.name] == nil {
      request.headers.add(field.name, field.value)
    }
    return request
  }

  /// Sends a request and returns its response or error. Throws only `CancellationError`.
  private func outcome(of request: HTTPRequest) async throws -> Result<HTTPResponse, TransportError> {
    do { return .success(try await transport.send(request)) } catch let error as TransportError {
      return .failure(error)
    }
  }

  /// Returns the delay before the next attempt, or `nil` if this was the last one.
  private func delay(after outcome: Result<HTTPResponse, TransportError>, attempt: Int) -> Duration? {
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
