import TenonFoundation
public import TenonTransportInterop

/// An implementation of `TransportInterop` that records requests and answers them with a closure, for tests.
///
/// It doesn't implement deadlines, redirects or retries: the closure receives each request unchanged. A call
/// that is cancelled while the closure runs ends only if the closure reacts to it. The functions can be
/// called concurrently.
///
/// ```swift
/// let transport = FakeTransport { request in
///   TransportResponse(status: request.url.path == "/ok" ? 200 : 404)
/// }
/// ```
public final class FakeTransport: TransportInterop {
  /// The requests so far, in the order in which the calls began.
  private let recorded = Lock<[TransportRequest]>([])
  /// Returns the response to a request.
  private let answer: @Sendable (TransportRequest) async throws -> TransportResponse

  /// Creates a transport.
  ///
  /// - Parameter answer: returns the response to a request. Its errors are thrown to the caller. It may be
  ///   called concurrently.
  public init(_ answer: @escaping @Sendable (TransportRequest) async throws -> TransportResponse) {
    self.answer = answer
  }

  /// The requests that were sent so far, in order, including those that are still being answered.
  public var requests: [TransportRequest] { recorded.withLock { $0 } }

  /// Records the request and answers it with the closure.
  ///
  /// - Parameter request: the request. It isn't validated.
  /// - Throws: the errors of the closure; `CancellationError` if the task was cancelled before the call, in
  ///   which case the request isn't recorded.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    try Task.checkCancellation()
    recorded.withLock { $0.append(request) }
    return try await answer(request)
  }

  /// Records the request and answers it with the closure. The stream has the whole body in one chunk; it has
  /// none if the body is empty.
  ///
  /// - Parameter request: the request. It isn't validated.
  /// - Throws: the same errors as ``send(_:)``. The stream itself throws none.
  public func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
    let response = try await send(request)
    let body = AsyncThrowingStream<_, any Error> { continuation in
      if !response.body.isEmpty { continuation.yield(response.body) }
      continuation.finish()
    }
    return TransportStreamingResponse(status: response.status, headers: response.headers, body: body)
  }
}
