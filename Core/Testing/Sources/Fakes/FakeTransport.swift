import TenonCore
public import TenonTransportInterop

/// An implementation of `TransportInterop` that records requests and answers them with a closure.
public final class FakeTransport: TransportInterop {
  private let recorded = Lock<[HTTPRequest]>([])
  private let answer: @Sendable (HTTPRequest) async throws -> HTTPResponse

  /// Creates a transport.
  ///
  /// - Parameter answer: returns the response to a request. What it throws is thrown to the caller.
  public init(_ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) {
    self.answer = answer
  }

  /// The requests that were sent so far, in order.
  public var requests: [HTTPRequest] { recorded.withLock { $0 } }

  /// Records the request and answers it with the closure. The request of a cancelled task is not recorded.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try Task.checkCancellation()
    recorded.withLock { $0.append(request) }
    return try await answer(request)
  }

  /// Records the request and answers it with the closure. The body is one chunk.
  public func stream(_ request: HTTPRequest) async throws -> HTTPStreamingResponse {
    let response = try await send(request)
    let body = AsyncThrowingStream<_, any Error> { continuation in
      if !response.body.isEmpty { continuation.yield(response.body) }
      continuation.finish()
    }
    return HTTPStreamingResponse(status: response.status, headers: response.headers, body: body)
  }
}
