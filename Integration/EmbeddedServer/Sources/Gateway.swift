import FlyingFox
import Foundation
import TenonEmbedded
import TenonTransport
import TenonTransportInterop

/// Hands the server's requests to the embedded backend, and its answers back.
struct Gateway: HTTPHandler {
  let embedded: Embedded

  func handleRequest(_ request: FlyingFox.HTTPRequest) async throws -> FlyingFox.HTTPResponse {
    if CrossOrigin.isPreflight(request) { return CrossOrigin.preflight(request) }
    // The body is read in any case: what is left of it would be taken for the next request.
    let body = try await request.bodyData
    guard let url = Self.url(of: request) else {
      return FlyingFox.HTTPResponse(statusCode: .badRequest, body: Data("Bad Request\n".utf8))
    }
    let answer = try await embedded.stream(
      TenonTransportInterop.HTTPRequest(
        HTTPMethod(rawValue: request.method.rawValue),
        url,
        headers: Self.headers(of: request),
        body: body.isEmpty ? .none : .data(body)
      )
    )
    var response = try await Self.response(answer, hasBody: request.method != .HEAD)
    CrossOrigin.allow(request, &response)
    return response
  }

  /// The URL as the client wrote it: an object's name is one segment of it, in which every slash is encoded.
  private static func url(of request: FlyingFox.HTTPRequest) -> URL? {
    let target = request.target.rawValue
    guard target.hasPrefix("/"), let host = request.headers[.host] else { return nil }
    guard let url = URL(string: "http://\(host)\(target)"), url.host != nil else { return nil }
    return url
  }

  private static func headers(of request: FlyingFox.HTTPRequest) -> TenonTransportInterop.HTTPHeaders {
    let fields = request.headers.keys.compactMap { name in
      request.headers[name].map { HTTPField(name: name.rawValue, value: $0) }
    }
    return TenonTransportInterop.HTTPHeaders(fields)
  }

  private static func response(_ answer: HTTPStreamingResponse, hasBody: Bool) async throws
    -> FlyingFox.HTTPResponse
  {
    var headers = FlyingFox.HTTPHeaders()
    for field in answer.headers.fields { headers.addValue(field.value, for: HTTPHeader(field.name)) }
    // The phrase may be empty (RFC 9112, section 4); nobody reads it.
    let status = HTTPStatusCode(answer.status, phrase: "")
    let length = answer.headers["Content-Length"].flatMap { Int($0) }
    let body =
      if !hasBody || answer.status == 204 {
        HTTPBodySequence(data: Data())
      } else if let length {
        HTTPBodySequence(
          from: PiecewiseBody(pieces: answer.body), count: length, suggestedBufferSize: 65_536)
      } else {
        HTTPBodySequence(from: PiecewiseBody(pieces: answer.body))
      }
    return FlyingFox.HTTPResponse(statusCode: status, headers: headers, body: body)
  }
}
