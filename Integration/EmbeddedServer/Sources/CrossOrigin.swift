import FlyingFox

/// Lets pages of any origin use the server, as Firebase's emulators do (the Fetch standard, "CORS protocol").
enum CrossOrigin {
  static func isPreflight(_ request: HTTPRequest) -> Bool {
    request.method == .OPTIONS && request.headers[requestMethod] != nil
  }

  static func preflight(_ request: HTTPRequest) -> HTTPResponse {
    var response = HTTPResponse(statusCode: .noContent)
    response.headers[HTTPHeader("Access-Control-Allow-Methods")] = "GET, HEAD, POST, PUT, PATCH, DELETE"
    response.headers[HTTPHeader("Access-Control-Allow-Headers")] = request.headers[requestHeaders]
    allow(request, &response)
    return response
  }

  static func allow(_ request: HTTPRequest, _ response: inout HTTPResponse) {
    guard let origin = request.headers[HTTPHeader("Origin")] else { return }
    response.headers[HTTPHeader("Access-Control-Allow-Origin")] = origin
    response.headers[HTTPHeader("Access-Control-Expose-Headers")] = "*"
    response.headers[HTTPHeader("Vary")] = "Origin"
  }

  private static let requestMethod = HTTPHeader("Access-Control-Request-Method")
  private static let requestHeaders = HTTPHeader("Access-Control-Request-Headers")
}
