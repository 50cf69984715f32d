#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An HTTP request (RFC 9110).
public struct HTTPRequest: Sendable, Hashable {
  /// The method, for example ``HTTPMethod/post``.
  public var method: HTTPMethod
  /// The target: an absolute `https` or `http` URL.
  public var url: URL
  /// The header fields. Their names are case-insensitive.
  public var headers: HTTPHeaders
  /// The content, which is sent after the header fields.
  public var body: HTTPBody
  /// The maximum duration of the exchange, including redirects and the body of the response; `nil` for no limit. See the
  /// requirements of ``TransportInterop``.
  public var deadline: Duration?

  /// Creates a request, by default without header fields, body and deadline.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - url: an absolute `https` or `http` URL.
  ///   - headers: the header fields.
  ///   - body: the content.
  ///   - deadline: the largest duration of the whole exchange.
  public init(
    _ method: HTTPMethod,
    _ url: URL,
    headers: HTTPHeaders = HTTPHeaders(),
    body: HTTPBody = .none,
    deadline: Duration? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.deadline = deadline
  }
}

/// The content of a request.
public enum HTTPBody: Sendable, Hashable {
  /// No content.
  case none
  /// Content in memory.
  case data(Data)
  /// The content of a file, which must not change while the request is being sent.
  case file(URL)
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
