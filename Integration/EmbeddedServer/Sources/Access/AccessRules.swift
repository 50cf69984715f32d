/// Who may use the server.
///
/// Everything on this machine can reach the port, the pages in its web browsers included, and the backend trusts
/// whoever reaches it. So the server answers only requests that were meant for loopback, and only pages that came from
/// loopback or from an origin that was allowed.
struct AccessRules: Sendable {
  /// Origins beyond loopback whose pages may use the server.
  let allowedOrigins: Set<WebOrigin>

  /// Why a request isn't answered; `nil` if it is.
  func refusal(of head: RequestHead) -> HTTPFailure? {
    // A page whose name is made to resolve to this machine ("DNS rebinding") is of the same origin as the server to its
    // browser, but the browser sends the page's name as the host.
    guard head.authority.isLoopback else {
      return HTTPFailure(
        403, "The host \(head.authority.host) isn't this machine. Use 127.0.0.1, [::1] or localhost.")
    }
    if let origin = head["Origin"] {
      // What has no origin of its own says "null".
      return isAllowed(origin) ? nil : Self.refusal(of: origin)
    }
    // Browsers send no origin when a page embeds something or follows a link. Links may lead here: mails have them.
    let site = head["Sec-Fetch-Site"] ?? "none"
    guard ["cross-site", "same-site"].contains(site), head["Sec-Fetch-Mode"] != "navigate" else { return nil }
    let referrer = head["Referer"].map { Self.origin(ofReferrer: $0) } ?? "null"
    return isAllowed(referrer) ? nil : Self.refusal(of: referrer)
  }

  /// The fields that let an allowed page read an answer (the Fetch standard, "CORS protocol").
  func fields(for head: RequestHead) -> [(String, String)] {
    guard let origin = head["Origin"], isAllowed(origin) else { return [("Vary", "Origin")] }
    return [
      ("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", "*"), ("Vary", "Origin"),
    ]
  }

  /// The answer to `OPTIONS`, for a preflight or for anyone who asks.
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
      "Pages of the origin \(origin.prefix(200)) may not use this server. Start it with --allow-origin and the origin, if "
        + "they are yours."
    )
  }
}
