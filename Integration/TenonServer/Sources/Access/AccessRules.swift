/// The rules for requests to the server.
///
/// Every program on this machine can reach the port, including the pages in its web browsers, and the backend
/// trusts every client. The server therefore accepts only requests whose host is loopback, and only pages
/// whose origin is loopback or explicitly allowed.
struct AccessRules: Sendable {
  /// The origins other than loopback whose pages may use the server.
  let allowedOrigins: Set<WebOrigin>

  /// Returns the error for a request that isn't allowed; `nil` for one that is.
  func refusal(of head: RequestHead) -> HTTPFailure? {
    // A page whose name is made to resolve to this machine ("DNS rebinding") has the server's origin for its
    // browser, but the browser sends the page's name as the host.
    guard head.authority.isLoopback else {
      return HTTPFailure(
        403, "The host \(head.authority.host) isn't this machine. Use 127.0.0.1, [::1] or localhost.")
    }
    if let origin = head["Origin"] {
      // Pages without their own origin send "null".
      return isAllowed(origin) ? nil : Self.refusal(of: origin)
    }
    // Browsers send no origin when a page embeds a resource or follows a link. Links are allowed, because
    // emails contain them.
    let site = head["Sec-Fetch-Site"] ?? "none"
    guard ["cross-site", "same-site"].contains(site), head["Sec-Fetch-Mode"] != "navigate" else { return nil }
    let referrer = head["Referer"].map { Self.origin(ofReferrer: $0) } ?? "null"
    return isAllowed(referrer) ? nil : Self.refusal(of: referrer)
  }

  /// Returns the fields that let an allowed page read the response (the Fetch standard, "CORS protocol").
  func fields(for head: RequestHead) -> [(String, String)] {
    guard let origin = head["Origin"], isAllowed(origin) else { return [("Vary", "Origin")] }
    return [
      ("Access-Control-Allow-Origin", origin),
      // Firestore's web client sends its requests with credentials, although the server uses no cookies. For
      // such requests, `*` is no wildcard, so the fields that the client reads are named.
      ("Access-Control-Allow-Credentials", "true"),
      (
        "Access-Control-Expose-Headers",
        "*, x-client-wire-protocol, x-http-session-id, x-http-initial-response"
      ),
      ("Vary", "Origin"),
    ]
  }

  /// Returns the response to `OPTIONS`, for a preflight or any other client.
  func preflight(_ head: RequestHead) -> [(String, String)] {
    var fields = [("Allow", Self.methods)]
    guard head["Origin"] != nil else { return fields }
    fields.append(("Access-Control-Allow-Methods", Self.methods))
    if let names = head["Access-Control-Request-Headers"] {
      fields.append(("Access-Control-Allow-Headers", names))
    }
    if head["Access-Control-Request-Private-Network"] == "true" {
      fields.append(("Access-Control-Allow-Private-Network", "true"))
    }
    return fields
  }

  private static let methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

  private func isAllowed(_ text: String) -> Bool {
    guard let origin = WebOrigin(text) else { return false }
    return origin.isLoopback || allowedOrigins.contains(origin)
  }

  private static func origin(ofReferrer text: String) -> String {
    guard let mark = text.firstRange(of: "://") else { return "null" }
    return String(text[..<mark.upperBound] + text[mark.upperBound...].prefix { !"/?#".contains($0) })
  }

  private static func refusal(of origin: String) -> HTTPFailure {
    HTTPFailure(
      403,
      "Pages of the origin \(origin.prefix(200)) aren't allowed to use this server. To allow them, start it "
        + "with --allow-origin and the origin."
    )
  }
}
