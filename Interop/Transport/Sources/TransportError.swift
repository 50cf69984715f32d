#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The error of a request for which no complete response was received.
public struct TransportError: Error, Sendable {
  /// The kind of an error. Codes are stable across versions.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `timed-out`.
    public let rawValue: String

    /// Creates a code from its text. Later versions may add codes.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server can't be reached: there is no network, the host is unknown, the connection was refused, or
    /// connecting took too long. Nothing was sent.
    public static let unreachable = Code(rawValue: "unreachable")
    /// A deadline has passed: that of the request, or one of its ``HTTPTimeouts``. The server may have
    /// processed the request.
    public static let timedOut = Code(rawValue: "timed-out")
    /// The connection was lost before the response was complete. The server may have processed the request.
    public static let connectionLost = Code(rawValue: "connection-lost")
    /// The TLS handshake failed, for example because of an untrusted certificate.
    public static let tls = Code(rawValue: "tls")
    /// The request can't be sent: its URL or a header field is invalid, its body file is unreadable, or it is
    /// plain HTTP to another machine. Nothing was sent.
    public static let invalidRequest = Code(rawValue: "invalid-request")
    /// The response violates the protocol or exceeds a limit.
    public static let invalidResponse = Code(rawValue: "invalid-response")
    /// The file that receives the body of the response can't be written. The server has processed the
    /// request.
    public static let fileError = Code(rawValue: "file-error")
  }

  /// One of the limits on a response. See ``HTTPLimits``.
  public struct Limit: RawRepresentable, Sendable, Hashable {
    /// The limit as text, for example `header-bytes`.
    public let rawValue: String

    /// Creates a limit from its text. Later versions may add limits.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// ``HTTPLimits/headerBytes``
    public static let headerBytes = Limit(rawValue: "header-bytes")
    /// ``HTTPLimits/headerCount``
    public static let headerCount = Limit(rawValue: "header-count")
    /// ``HTTPLimits/headerLineBytes``
    public static let headerLineBytes = Limit(rawValue: "header-line-bytes")
    /// ``HTTPLimits/headerBytes`` or ``HTTPLimits/headerCount``, applied to the trailer fields.
    public static let trailers = Limit(rawValue: "trailers")
    /// ``HTTPLimits/interimResponses``
    public static let interimResponses = Limit(rawValue: "interim-responses")
    /// ``HTTPLimits/redirects``
    public static let redirects = Limit(rawValue: "redirects")
    /// ``HTTPLimits/bodyBytes``
    public static let bodyBytes = Limit(rawValue: "body-bytes")
    /// ``HTTPLimits/decompressionRatio``
    public static let decompressionRatio = Limit(rawValue: "decompression-ratio")
  }

  /// One of the limits on the duration of an exchange.
  public struct Timeout: RawRepresentable, Sendable, Hashable {
    /// The limit as text, for example `first-byte`.
    public let rawValue: String

    /// Creates a timeout from its text. Later versions may add timeouts.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// ``HTTPTimeouts/connecting``
    public static let connecting = Timeout(rawValue: "connecting")
    /// ``HTTPTimeouts/firstByte``
    public static let firstByte = Timeout(rawValue: "first-byte")
    /// ``HTTPTimeouts/inactivity``
    public static let inactivity = Timeout(rawValue: "inactivity")
    /// ``TransportRequest/deadline``
    public static let exchange = Timeout(rawValue: "exchange")
  }

  /// The kind of the error.
  public var code: Code
  /// A sentence that names the host and says what to do.
  public var message: String
  /// The limit that the response exceeded; `nil` if it exceeded none.
  public var limit: Limit?
  /// The deadline that has passed; `nil` if none has.
  public var timeout: Timeout?
  /// The underlying error of the platform; `nil` if there is none.
  public var underlying: (any Error)?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: the kind of the error.
  ///   - message: a sentence that names the host and says what to do. It must contain no secret.
  ///   - limit: the limit that the response exceeded.
  ///   - timeout: the deadline that has passed.
  ///   - underlying: the platform's error that caused this one.
  public init(
    _ code: Code, _ message: String, limit: Limit? = nil, timeout: Timeout? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.limit = limit
    self.timeout = timeout
    self.underlying = underlying
  }
}

extension TransportError: LocalizedError, CustomStringConvertible {
  /// The message and, in parentheses, the code.
  public var description: String { "\(message) (\(code.rawValue))" }

  /// The same text as ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension TransportError.Code: CustomStringConvertible {
  /// The code as text, which is ``rawValue``.
  public var description: String { rawValue }
}
