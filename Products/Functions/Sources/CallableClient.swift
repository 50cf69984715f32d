import Foundation
import TenonAppCheckInterop
import TenonAuthInterop
import TenonTransport
import TenonTransportInterop

/// Makes calls over the callable protocol (https://firebase.google.com/docs/functions/callable-reference).
struct CallableClient: Sendable {
  let http: HTTPClient
  let auth: (any AuthInterop)?
  let appCheck: (any AppCheckInterop)?

  func call<Response: Decodable>(
    _ url: URL,
    name: String,
    data: some Encodable,
    timeout: Duration,
    limitedUse: Bool
  ) async throws -> Response {
    let deadline = ContinuousClock.now + timeout
    var request = try request(url, name: name, data: data)
    try await addTokens(to: &request, limitedUse: limitedUse)
    request.deadline = max(.zero, deadline - ContinuousClock.now)
    let response: HTTPResponse
    do {
      response = try await http.send(request)
    } catch let error as TransportError {
      throw FunctionsError(error, function: name)
    }
    let body = try? JSON(parsing: response.body)
    if let error = FunctionsError(response, body: body, function: name) { throw error }
    guard let result = body?["data"] ?? body?["result"] else {
      throw FunctionsError(
        .internal,
        "The answer of \(name) has neither data nor result: \(response.excerpt)"
      )
    }
    do {
      return try CallableCoding.decode(Response.self, from: result)
    } catch {
      throw FunctionsError(
        .internal,
        "The answer of \(name) is not a \(Response.self): \(response.excerpt)",
        underlying: error
      )
    }
  }

  private func request(_ url: URL, name: String, data: some Encodable) throws -> HTTPRequest {
    do {
      return try HTTPRequest.json(.post, url, ["data": try CallableCoding.encode(data)])
    } catch {
      throw FunctionsError(
        .invalidArgument,
        "The data for \(name) can't be sent as JSON: \(error)",
        underlying: error
      )
    }
  }

  /// Adds who calls. Tokens never leave the machine unencrypted.
  private func addTokens(to request: inout HTTPRequest, limitedUse: Bool) async throws {
    guard Origin(request.url)?.isTrustworthy ?? false else { return }
    if let token = try await auth?.token(forcingRefresh: false) {
      request.headers["Authorization"] = "Bearer \(token)"
    }
    if let appCheck {
      let result =
        limitedUse ? await appCheck.limitedUseToken() : await appCheck.token(forcingRefresh: false)
      request.headers["X-Firebase-AppCheck"] = result.token
    }
  }
}
