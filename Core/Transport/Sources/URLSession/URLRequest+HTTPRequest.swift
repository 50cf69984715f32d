import Foundation
import TenonTransportInterop

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// A timeout in seconds that is longer than any exchange. `URLSession` would limit the time without data; the transport's
  /// deadlines limit the whole exchange instead.
  private static let noTimeout: TimeInterval = 7 * 24 * 60 * 60

  /// Creates a session's request from a checked `HTTPRequest`. A file body is left out; the session's upload task adds it.
  ///
  /// - Throws: `TransportError` with `invalidRequest` if the URL isn't `http` or `https`, if it is plain `http` to another
  ///   machine, if a GET or HEAD has a body, or if a header field has no name or contains a line break.
  init(_ request: HTTPRequest) throws(TransportError) {
    guard let origin = Origin(request.url) else {
      throw TransportError(.invalidRequest, "\"\(request.url)\" is not an absolute http or https URL.")
    }
    guard origin.isTrustworthy else {
      throw TransportError(
        .invalidRequest,
        "Plain http to \(origin.host) is refused, because anyone on the way could read it. Use https, or a "
          + "loopback address such as 127.0.0.1."
      )
    }
    if request.method == .get || request.method == .head, request.body != .none {
      throw TransportError(
        .invalidRequest,
        "A \(request.method.rawValue) to \(origin.host) can't have a body."
      )
    }
    for field in request.headers.fields where !field.isSafe {
      throw TransportError(
        .invalidRequest,
        "The header field \"\(field.name)\" holds a line break or has no name."
      )
    }
    self.init(url: request.url, timeoutInterval: Self.noTimeout)
    httpMethod = request.method.rawValue
    for field in request.headers.fields { addValue(field.value, forHTTPHeaderField: field.name) }
    if case .data(let data) = request.body { httpBody = data }
  }
}

extension HTTPField {
  /// Whether the field can't be mistaken for several fields: it has a name and no line breaks (response splitting; RFC 9112,
  /// section 11.1).
  fileprivate var isSafe: Bool {
    let breaks: Set<Character> = ["\r", "\n", "\r\n", "\0"]
    return !name.isEmpty && breaks.isDisjoint(with: name) && breaks.isDisjoint(with: value)
  }
}
