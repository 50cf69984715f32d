import TenonEmbedded
import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// Forwards the server's requests to the data browser, the hub and the embedded backend.
struct Gateway: Sendable {
  let embedded: Embedded
  let access: AccessRules
  let limits: ServerLimits
  let log: RequestLog
  let hub: Hub
  let browser: DataBrowser

  /// Returns the request for the backend. The URL is as the client wrote it: an object's name is one segment,
  /// in which every slash is encoded. The request has no deadline, because a cancelled sleep stays in memory
  /// until its time has come; the connection enforces the deadline.
  func request(_ head: RequestHead, body: HTTPBody) throws -> TenonTransportInterop.TransportRequest {
    let port = head.authority.port.map { ":\($0)" } ?? ""
    let text = "http://\(head.authority.host)\(port)\(head.target)"
    guard head.target.hasPrefix("/"), let url = URL(string: text), url.host() != nil else {
      throw HTTPFailure(400, "The request's target isn't a URL.")
    }
    return TenonTransportInterop.TransportRequest(
      HTTPMethod(rawValue: head.method),
      url,
      headers: HTTPHeaders(head.fields.map { HTTPHeader(name: $0.name, value: $0.value) }),
      body: body
    )
  }

  /// Returns whether a request with `OPTIONS` is for a function. Which pages may send requests is decided by
  /// the server.
  func forwardsOptions(_ head: RequestHead) -> Bool {
    guard head["Access-Control-Request-Method"] == nil, let request = try? request(head, body: .none) else {
      return false
    }
    return embedded.handlesOptions(at: request.url)
  }

  /// Returns the backend's response. Errors are responses as well.
  func answer(_ request: TenonTransportInterop.TransportRequest) async -> TransportStreamingResponse {
    var request = request
    switch await browser.outcome(of: request) {
    case .answer(let answer): return answer
    case .forward(let forwarded): request = forwarded
    case .other: if let answer = await hub.answer(request) { return answer }
    }
    do { return try await embedded.stream(request) } catch let error as TransportError {
      return Self.failure(error.code == .timedOut ? 504 : 400, error.message)
    } catch is CancellationError {
      return Self.failure(499, "The client closed the connection.")
    } catch {
      return Self.failure(500, "The embedded backend failed: \(error)")
    }
  }

  private static func failure(_ status: Int, _ message: String) -> TransportStreamingResponse {
    let text = Data("\(message)\n".utf8)
    let headers = HTTPHeaders([
      HTTPHeader(name: "Content-Type", value: "text/plain; charset=utf-8"),
      HTTPHeader(name: "Content-Length", value: String(text.count)),
    ])
    return TransportStreamingResponse(
      status: status,
      headers: headers,
      body: AsyncThrowingStream { continuation in
        continuation.yield(text)
        continuation.finish()
      }
    )
  }
}
