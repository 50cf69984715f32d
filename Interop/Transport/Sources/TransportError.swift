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

    /// The server cannot be reached: there is no network, the host is unknown, or the connection was refused.
    public static let unreachable = Code(rawValue: "unreachable")
    /// The request's deadline has passed. The server may have processed the request.
    public static let timedOut = Code(rawValue: "timed-out")
    /// The connection was lost before the response was complete. The server may have processed the request.
    public static let connectionLost = Code(rawValue: "connection-lost")
    /// The TLS handshake failed, for example because of an untrusted certificate.
    public static let tls = Code(rawValue: "tls")
    /// The request cannot be sent: its URL or a header field is invalid, its body file is unreadable, or it is plain HTTP to
    /// another machine. Nothing was sent.
    public static let invalidRequest = Code(rawValue: "invalid-request")
    /// The response violates the protocol, or there are too many redirects.
    public static let invalidResponse = Code(rawValue: "invalid-response")
  }

  /// The kind of the error.
  public var code: Code
  /// A sentence that names the host and says what to do.
  public var message: String
  /// The underlying error of the platform; `nil` if there is none.
  public var underlying: (any Error)?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: the kind of the error.
  ///   - message: a sentence that names the host and says what to do. It must contain no secret.
  ///   - underlying: the platform's error that caused this one.
  public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }
}

extension TransportError: LocalizedError, CustomStringConvertible {
  /// The message and, in parentheses, the code.
  public var description: String { "\(message) (\(code.rawValue))" }

  /// The same text as ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}
