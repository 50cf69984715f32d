/// Sends HTTP requests for one app.
///
/// Products build requests in the format of Firebase's production services and send them through the app's
/// transport. An app without a provider uses libcurl on Linux and `URLSession` elsewhere (`TenonTransport`).
/// `TenonEmbedded` provides a transport that responds within the process.
///
/// Requirements for implementations:
/// - Responses of any status are returned, including 4xx and 5xx. The only errors are ``TransportError`` and
///   `CancellationError`, the latter if the calling task was cancelled.
/// - A call returns soon after its task is cancelled, regardless of the server, and leaves no work behind.
/// - A deadline covers connecting, redirects and everything that a call waits for: the complete response of
///   ``send(_:)``, and at least the head of the response of ``stream(_:)``. When it passes, the call throws
///   ``TransportError/Code/timedOut``, regardless of the server.
/// - A redirect to another origin (scheme, host or port) never carries `Authorization`, `Cookie`, another
///   credential or a body. Within an origin, `307` and `308` repeat the method and the body; to another
///   origin, they are errors if there is a body.
/// - Limits and timeouts of a request apply as far as the implementation receives bytes from a server.
/// - All functions may be called from any task, concurrently.
public protocol TransportInterop: Sendable {
  /// Sends a request and returns the complete response.
  ///
  /// - Throws: ``TransportError`` if no complete response was received; `CancellationError`.
  func send(_ request: TransportRequest) async throws -> TransportResponse

  /// Sends a request and returns as soon as the head of the response has been received. The body follows in
  /// chunks.
  ///
  /// The size of the chunks depends on the implementation. Ending the iteration early, or cancelling its
  /// task, ends the exchange.
  ///
  /// - Throws: ``TransportError`` if no head was received; `CancellationError`. If the body is incomplete,
  ///   its stream throws the same errors.
  func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse
}
