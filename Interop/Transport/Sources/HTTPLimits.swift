/// Limits on what a server may send in response to a request.
///
/// When a response exceeds a limit, the exchange ends with ``TransportError/Code/invalidResponse``, and
/// ``TransportError/limit`` names the limit.
///
/// Which limits apply is up to the transport. libcurl's applies all of them. `URLSession`'s applies those of
/// header fields, of redirects and of the body; the others are the session's own. A backend within the
/// process applies none.
public struct HTTPLimits: Sendable, Hashable {
  /// The maximum size of the response's head in bytes: of all header lines with their ends; 64 KiB by
  /// default. The trailer fields of a chunked body (RFC 9112, section 7.1.2) have the same limit.
  public var headerBytes: Int
  /// The maximum number of header fields; 200 by default. The trailer fields have the same limit.
  public var headerCount: Int
  /// The maximum length of one header line in bytes; 16 KiB by default.
  public var headerLineBytes: Int
  /// The maximum number of interim responses, such as 100 and 103 (RFC 9110, section 15.2), before the
  /// response; 16 by default.
  public var interimResponses: Int
  /// The maximum number of redirects that are followed; 20 by default. With 0, the first redirect is an
  /// error.
  public var redirects: Int
  /// The maximum size of the body of a complete response in bytes, after decompression; 64 MiB by default. It
  /// doesn't apply to a streamed body, which the reader can stop at any size.
  public var bodyBytes: Int
  /// The maximum ratio of a body's size to its compressed size, beyond the first MiB; 200 by default.
  public var decompressionRatio: Int

  /// Creates limits. See the properties for the defaults.
  public init(
    headerBytes: Int = 64 << 10,
    headerCount: Int = 200,
    headerLineBytes: Int = 16 << 10,
    interimResponses: Int = 16,
    redirects: Int = 20,
    bodyBytes: Int = 64 << 20,
    decompressionRatio: Int = 200
  ) {
    self.headerBytes = headerBytes
    self.headerCount = headerCount
    self.headerLineBytes = headerLineBytes
    self.interimResponses = interimResponses
    self.redirects = redirects
    self.bodyBytes = bodyBytes
    self.decompressionRatio = decompressionRatio
  }
}
