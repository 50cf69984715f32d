#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A complete response to a ``TransportRequest``.
public struct TransportResponse: Sendable, Hashable {
  /// The status code, 100 to 599 (RFC 9110, section 15).
  public var status: Int
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body, with transfer and content codings removed.
  public var body: Data

  /// Creates a response, by default without header fields and with an empty body.
  public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// The head of a response whose body arrives in chunks.
public struct TransportStreamingResponse: Sendable {
  /// The status code, 100 to 599 (RFC 9110, section 15).
  public var status: Int
  /// The header fields.
  public var headers: HTTPHeaders
  /// The chunks of the body, with transfer and content codings removed. The stream can be iterated once.
  ///
  /// A chunk is received when the previous ones have been read, except for a buffer whose size depends on the
  /// implementation, so a slow reader slows down the sender. As with every `AsyncThrowingStream`, iteration
  /// in a cancelled task may end without an error; check `Task.isCancelled` before treating the body as
  /// complete.
  public var body: AsyncThrowingStream<Data, any Error>

  /// Creates a response.
  public init(status: Int, headers: HTTPHeaders, body: AsyncThrowingStream<Data, any Error>) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
