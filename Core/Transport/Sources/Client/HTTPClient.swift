package import TenonTransportInterop

/// Sends a product's requests through the transport of its app: adds the fields that every request carries, and
/// repeats what is safe to repeat.
package struct HTTPClient: Sendable {
  package let transport: any TransportInterop
  /// Added to each request that doesn't set them itself.
  package var headers: HTTPHeaders
  package var retries: RetryPolicy
  package var pace: RetryPace

  package init(
    transport: any TransportInterop,
    headers: HTTPHeaders = HTTPHeaders(),
    retries: RetryPolicy = .standard,
    pace: RetryPace = .system
  ) {
    self.transport = transport
    self.headers = headers
    self.retries = retries
    self.pace = pace
  }

  /// Sends a request and collects the answer, whatever its status.
  ///
  /// With `repeatable`, which is for requests that may arrive twice without harm, it is sent again after the statuses
  /// and failures of ``retries``. The request's deadline covers every attempt and every wait. When all attempts fail, the last answer or error is the result.
  ///
  /// - Parameter lastStart: no further attempt begins after it; one that has begun may take its time.
  package func send(
    _ request: HTTPRequest, repeatable: Bool = false, lastStart: ContinuousClock.Instant? = nil
  ) async throws -> HTTPResponse {
    var request = completed(request)
    guard repeatable, retries.attempts > 1 else { return try await transport.send(request) }
    let deadline = request.deadline.map { pace.now() + $0.limited }
    var attempt = 1
    while true {
      if let deadline { request.deadline = max(.zero, deadline - pace.now()) }
      let outcome = try await outcome(of: request)
      guard attempt < retries.attempts, let wait = wait(after: outcome, attempt: attempt),
        [deadline, lastStart].allSatisfy({ $0.map { pace.now() + wait < $0 } ?? true })
      else { return try outcome.get() }
      try await pace.sleep(wait)
      attempt += 1
    }
  }

  /// Sends a request once and returns with the head of the answer.
  package func stream(_ request: HTTPRequest) async throws -> HTTPStreamingResponse {
    try await transport.stream(completed(request))
  }

  private func completed(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    for field in headers.fields where request.headers[field.name] == nil {
      request.headers.add(field.name, field.value)
    }
    return request
  }

  private func outcome(of request: HTTPRequest) async throws -> Result<HTTPResponse, TransportError> {
    do { return .success(try await transport.send(request)) } catch let error as TransportError {
      return .failure(error)
    }
  }

  /// How long to wait before the next attempt; `nil` when there is to be none.
  private func wait(after outcome: Result<HTTPResponse, TransportError>, attempt: Int) -> Duration? {
    switch outcome {
    case .success(let response) where retries.repeats(after: response):
      retries.delay(
        after: attempt,
        retryAfter: response.retryAfter(now: pace.date()),
        random: pace.random()
      )
    case .failure(let error) where retries.repeats(after: error):
      retries.delay(after: attempt, retryAfter: nil, random: pace.random())
    default:
      nil
    }
  }
}
