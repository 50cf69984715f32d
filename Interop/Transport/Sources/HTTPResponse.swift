#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A complete answer to an ``HTTPRequest``.
public struct HTTPResponse: Sendable, Hashable {
  /// The status code, 100 to 599 (RFC 9110, section 15).
  public var status: Int
  /// The header fields.
  public var headers: HTTPHeaders
  /// The content, decoded from its transfer and content codings.
  public var body: Data

  /// Creates an answer, by default without header fields and content.
  public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// The head of an answer whose content arrives in chunks.
public struct HTTPStreamingResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields.
  public var headers: HTTPHeaders
  /// The content, chunk by chunk. It can be iterated once.
  public var body: AsyncThrowingStream<Data, any Error>

  /// Creates an answer.
  public init(status: Int, headers: HTTPHeaders, body: AsyncThrowingStream<Data, any Error>) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
