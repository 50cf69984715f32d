#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An HTTP request (RFC 9110).
public struct TransportRequest: Sendable {
  /// The method, for example ``HTTPMethod/post``.
  public var method: HTTPMethod
  /// The target: an absolute `https` or `http` URL.
  public var url: URL
  /// The header fields. Their names are case-insensitive.
  public var headers: HTTPHeaders
  /// The content, which is sent after the header fields.
  public var body: HTTPBody
  /// The maximum duration of the exchange, including redirects and the body of the response; `nil` for no
  /// limit. See the requirements of ``TransportInterop``.
  public var deadline: Duration?
  /// The maximum durations of the phases of the exchange.
  public var timeouts: HTTPTimeouts
  /// The limits on the response.
  public var limits: HTTPLimits
  /// Called with the progress of both bodies at least every 256 KiB and when either is complete, on an
  /// unspecified thread. It must not block.
  public var onProgress: (@Sendable (HTTPProgress) -> Void)?

  /// Creates a request, by default without header fields, body and deadline.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - url: an absolute `https` or `http` URL.
  ///   - headers: the header fields.
  ///   - body: the content.
  ///   - deadline: the maximum duration of the whole exchange.
  ///   - timeouts: the maximum durations of its phases.
  ///   - limits: the limits on the response.
  ///   - onProgress: called with the progress of both bodies.
  public init(
    _ method: HTTPMethod,
    _ url: URL,
    headers: HTTPHeaders = HTTPHeaders(),
    body: HTTPBody = .none,
    deadline: Duration? = nil,
    timeouts: HTTPTimeouts = HTTPTimeouts(),
    limits: HTTPLimits = HTTPLimits(),
    onProgress: (@Sendable (HTTPProgress) -> Void)? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.deadline = deadline
    self.timeouts = timeouts
    self.limits = limits
    self.onProgress = onProgress
  }
}

/// The content of a request.
public enum HTTPBody: Sendable {
  /// No content.
  case none
  /// Content in memory.
  case data(Data)
  /// The content of a file, which must not change while the request is being sent.
  case file(URL)
  /// Content that is produced while it is being sent. A chunk is requested when the previous ones have been
  /// sent, except for a buffer of at most 256 KiB.
  ///
  /// - chunks: the content, in chunks of any size. It is iterated once, so the request can't be repeated: a
  ///   redirect that would require it is an error. If it throws, the exchange ends with
  ///   ``TransportError/Code/invalidRequest``, whose underlying error is the one that was thrown.
  /// - length: the size of the content in bytes; `nil` if it isn't known. If the chunks have another size in
  ///   all, the exchange ends with ``TransportError/Code/invalidRequest``.
  case stream(_ chunks: any AsyncSequence<Data, any Error> & Sendable, length: Int64?)
}

/// A request method (RFC 9110, section 9).
public struct HTTPMethod: RawRepresentable, Sendable, Hashable {
  /// The method's name as it is sent, for example `GET`. Names are case-sensitive.
  public let rawValue: String

  /// Creates a method with any name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// `GET`
  public static let get = HTTPMethod(rawValue: "GET")
  /// `POST`
  public static let post = HTTPMethod(rawValue: "POST")
  /// `PUT`
  public static let put = HTTPMethod(rawValue: "PUT")
  /// `PATCH`
  public static let patch = HTTPMethod(rawValue: "PATCH")
  /// `DELETE`
  public static let delete = HTTPMethod(rawValue: "DELETE")
  /// `HEAD`
  public static let head = HTTPMethod(rawValue: "HEAD")
  /// `OPTIONS`
  public static let options = HTTPMethod(rawValue: "OPTIONS")
}
