/// Sends HTTP requests for one app.
///
/// Products build requests in the form of Firebase's production services and send them through the app's
/// transport. Without a provider they use `URLSession` (`TenonTransport`); `TenonEmbedded` provides one that
/// answers inside the process.
///
/// The contract, for implementers:
/// - An answer of any status, 4xx and 5xx included, is returned, never thrown. What is thrown is a
///   ``TransportError``, or `CancellationError` when the calling task was cancelled.
/// - A call ends soon after its task is cancelled, whatever the peer does, and leaves nothing running.
/// - A redirect to another origin (scheme, host or port) never carries `Authorization`, `Cookie` or
///   `X-Firebase-AppCheck`; `307` and `308` repeat the method and the body.
/// - Calls may be made from any task and at the same time.
public protocol TransportInterop: Sendable {
  /// Sends a request and collects the whole answer.
  ///
  /// - Throws: ``TransportError`` when no complete answer arrived; `CancellationError`.
  func send(_ request: HTTPRequest) async throws -> HTTPResponse

  /// Sends a request and returns as soon as the head of the answer is there; the body follows in chunks.
  ///
  /// Chunks are as large as they arrive. Ending the iteration early, or cancelling its task, closes the exchange.
  ///
  /// - Throws: as ``send(_:)``; a break in the middle of the body is thrown by the stream.
  func stream(_ request: HTTPRequest) async throws -> HTTPStreamingResponse
}
