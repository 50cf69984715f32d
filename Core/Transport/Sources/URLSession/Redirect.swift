import Foundation
import TenonTransportInterop

/// Follows redirects (RFC 9110, section 15.4), since `URLSession` on Linux drops the body of a 307 and hands
/// `Authorization` to whoever it is sent to.
enum Redirect {
  /// How many redirects are followed for one request.
  static let limit = 20

  /// Fields that prove who asks. They never reach an origin that the caller didn't name.
  private static let credentials = [
    "Authorization", "Proxy-Authorization", "Cookie", "X-Firebase-AppCheck", "X-Goog-Api-Key",
    "Firebase-Instance-ID-Token",
  ]

  /// The request that follows `request` after this answer; `nil` when the answer is not a redirect.
  ///
  /// - Throws: `invalidResponse` when the target can't be used, or lies outside TLS and the request was inside.
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
        "\(host) redirects to \"\(location)\", which is no http or https URL."
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

  /// 303 always asks for a GET; 301 and 302 do after a POST, as every client has done since they were defined.
  private static func becomesGet(_ method: HTTPMethod, status: Int) -> Bool {
    switch status {
    case 303: method != .head && method != .get
    case 301, 302: method == .post
    default: false
    }
  }
}
