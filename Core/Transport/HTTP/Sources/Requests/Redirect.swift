import TenonFoundation
package import TenonTransportInterop

/// Follows redirects (RFC 9110, section 15.4), with the same rules in every engine.
///
/// No engine follows them by itself: libcurl and `URLSession` differ in what they send to another origin, and
/// `URLSession` on Linux drops the body of a 307 and sends `Authorization` to any target.
package enum Redirect {
  /// Returns the request that follows a redirect, or `nil` if the response isn't a redirect.
  ///
  /// A redirect is a 301, 302, 303, 307 or 308 with a `Location`. The next request has the method, body and
  /// header fields of the first one, without credentials if the origin differs, and without a body and its
  /// `Content-` fields if it becomes a GET. Credentials that were removed don't return if a later redirect
  /// leads back to the first origin.
  ///
  /// - Parameters:
  ///   - head: the head of the response. Of several fields `Location`, the first is used; it may be relative
  ///     to the request's URL.
  ///   - request: the request that was answered, with the limit on redirects.
  ///   - count: the number of redirects that were followed before; 0 for the first response.
  /// - Returns: the next request, with the deadline, timeouts and limits of this one. It hasn't been checked:
  ///   plain `http` to another machine is refused when it is sent (`TransportRequest.checked()`).
  /// - Throws: `TransportError` with `invalidResponse` if the target isn't an `http` or `https` URL, if it is
  ///   `http` and the request was `https`, if the body would have to be sent to another origin or can't be
  ///   repeated, or if `count` has reached the limit.
  package static func next(
    after head: ResponseHead, to request: TransportRequest, count: Int
  ) throws(TransportError) -> TransportRequest? {
    guard [301, 302, 303, 307, 308].contains(head.status), let location = head.headers["Location"] else {
      return nil
    }
    let host = request.url.host() ?? ""
    guard count < request.limits.redirects else {
      throw TransportError(
        .invalidResponse, "\(host) redirects more than \(request.limits.redirects) times.", limit: .redirects)
    }
    guard let target = URL(string: location, relativeTo: request.url)?.absoluteURL,
      let from = Origin(request.url), let to = Origin(target)
    else {
      throw TransportError(
        .invalidResponse, "\(host) redirects to something that isn't an http or https URL.")
    }
    guard to.scheme == "https" || from.scheme == "http" else {
      throw TransportError(
        .invalidResponse,
        "\(host) redirects from https to plain http at \(to.host); this is never followed."
      )
    }
    var next = request
    next.url = target
    if to != from { next.headers.fields.removeAll(where: isCredential) }
    if becomesGet(request.method, status: head.status) {
      next.method = .get
      next.body = .none
      next.headers.fields.removeAll { $0.name.lowercased().hasPrefix("content-") }
    }
    try checkBody(next.body, from: from, to: to)
    return next
  }

  /// Checks that the body may be sent again: only to the same origin, whatever it contains, and only if it
  /// can be read twice.
  ///
  /// - Parameters:
  ///   - body: the body of the next request, after a change of the method has removed it.
  ///   - from: the origin that redirects.
  ///   - to: the origin of the target.
  /// - Throws: `TransportError` with `invalidResponse`. A missing body is always allowed.
  private static func checkBody(_ body: HTTPBody, from: Origin, to: Origin) throws(TransportError) {
    if case .none = body { return }
    guard to == from else {
      throw TransportError(
        .invalidResponse,
        "\(from.host) redirects to another origin, \(to.host), which would receive the request's body; this is never "
          + "followed."
      )
    }
    guard body.isRepeatable else {
      throw TransportError(
        .invalidResponse,
        "\(from.host) redirects a request whose body is a stream, which can't be sent again. Send the request to the final "
          + "address."
      )
    }
  }

  /// The header fields, besides those of Firebase and Google, that carry credentials or belong to one origin.
  /// Their names are in lower case.
  private static let credentials: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "host", "origin", "referer",
    "firebase-instance-id-token", "x-serverless-authorization",
  ]

  /// Returns whether a field is removed from a redirect to another origin: one of ``credentials``, or one
  /// whose name begins with `X-Firebase-` or `X-Goog-`, in any case. Among these are the tokens of App Check
  /// and API keys.
  private static func isCredential(_ field: HTTPHeader) -> Bool {
    let name = field.name.lowercased()
    return credentials.contains(name) || name.hasPrefix("x-firebase-") || name.hasPrefix("x-goog-")
  }

  /// Returns whether the redirected request becomes a GET: after 303 unless it was a HEAD, and after 301 and
  /// 302 if it was a POST, as user agents do (RFC 9110, sections 15.4.2 to 15.4.4).
  ///
  /// - Parameters:
  ///   - method: the method of the request that was answered.
  ///   - status: the status of the redirect. After 307 and 308, the method never changes (sections 15.4.8 and
  ///     15.4.9).
  private static func becomesGet(_ method: HTTPMethod, status: Int) -> Bool {
    switch status {
    case 303: method != .head && method != .get
    case 301, 302: method == .post
    default: false
    }
  }
}
