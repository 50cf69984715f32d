/// Why a request got no complete answer.
public struct TransportError: Error, Sendable {
  /// What went wrong, stable across versions.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `timed-out`.
    public let rawValue: String

    /// Creates a code that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The peer can't be reached: no network, unknown host, refused connection.
    public static let unreachable = Code(rawValue: "unreachable")
    /// The request's deadline passed.
    public static let timedOut = Code(rawValue: "timed-out")
    /// The connection broke before the answer was complete. The peer may have acted on the request.
    public static let connectionLost = Code(rawValue: "connection-lost")
    /// The TLS handshake failed, for example because of an untrusted certificate.
    public static let tls = Code(rawValue: "tls")
    /// The request can't be sent as it is: bad URL, unreadable body file, plain HTTP outside loopback.
    public static let invalidRequest = Code(rawValue: "invalid-request")
    /// The answer breaks the protocol, or redirects without end.
    public static let invalidResponse = Code(rawValue: "invalid-response")
  }

  /// What went wrong.
  public var code: Code
  /// A sentence that names the host and says what to do.
  public var message: String
  /// What the platform reported, if anything.
  public var underlying: (any Error)?

  /// Creates an error.
  public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }
}
