import Foundation
import TenonTransportInterop

/// Follows redirects (RFC 9110, section 15.4), with the same rules on every platform.
///
/// `URLSession` on Linux drops the body of a 307 and sends `Authorization` to the target, whatever its origin.
enum Redirect {
  /// The maximum number of redirects that are followed for one request.
  static let limit = 20

  /// The header fields that carry credentials. They are removed from a redirect to another origin than that of the request.
  private static let credentials = [
    "Authorization", "Proxy-Authorization", "Cookie", "X-Firebase-AppCheck", "X-Goog-Api-Key",
    "Firebase-Instance-ID-Token",
  ]

  /// Returns the request that follows a redirect, or `nil` if the response is not a redirect.
  ///
  /// A redirect is a 301, 302, 303, 307 or 308 with a `Location`. The next request has the method, body and header fields of
  /// the first one, without credentials if the origin differs, and without a body if it becomes a GET.
  ///
  /// - Parameters:
  ///   - head: the head of the response.
  ///   - request: the request that was answered.
  /// - Throws: `TransportError` with `invalidResponse` if the target is not an `http` or `https` URL, or if it is `http` and
  ///   the request was `https`.
  static func next(after head: ResponseHead, to request: HTTPRequest) throws(TransportError) -> HTTPRequest? {
    guard [301, 302, 303, 307, 308].contains(head.status), let location = head.headers["Location"] else {
      return nil
    }
    let host = request.url.host() ?? ""
    guard let target = URL(string: location, relativeTo: request.url)?.absoluteURL,
      let from = Origin(request.url), let to = Origin(target)
    else {
      throw TransportError(
        .invalidResponse,
        "\(host) redirects to \"\(location)\", which is not an http or https URL."
      )
    }
    guard to.scheme == "https" || from.scheme == "http" else {
      throw TransportError(
        .invalidResponse,
        "\(host) redirects from https to plain http at \(to.host); this is never followed."
      )
    }
    var next = request
    next.url = target
    if to != from { credentials.forEach { next.headers[$0] = nil } }
    if becomesGet(request.method, status: head.status) {
      next.method = .get
      next.body = .none
      next.headers.fields.removeAll { $0.name.lowercased().hasPrefix("content-") }
    }
    return next
  }

  /// Returns whether the redirected request becomes a GET: after 303 unless it was a HEAD, and after 301 and 302 if it was a
  /// POST, as user agents do (RFC 9110, sections 15.4.2 to 15.4.4).
  private static func becomesGet(_ method: HTTPMethod, status: Int) -> Bool {
    switch status {
    case 303: method != .head && method != .get
    case 301, 302: method == .post
    default: false
    }
  }
}
