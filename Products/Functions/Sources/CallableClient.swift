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
    let deadline = http.pace.now() + timeout.limited
    var request = try request(url, name: name, data: data)
    try await addTokens(to: &request, function: name, limitedUse: limitedUse, by: deadline)
    request.deadline = max(.zero, deadline - http.pace.now())
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
  private func addTokens(
    to request: inout HTTPRequest, function: String, limitedUse: Bool, by deadline: ContinuousClock.Instant
  ) async throws {
    guard Origin(request.url)?.isTrustworthy ?? false else { return }
    func late(_ product: String) -> FunctionsError {
      FunctionsError(
        .deadlineExceeded,
        "The function \(function) was not called, because \(product) gave no token in time. Try again, or allow more time."
      )
    }
    if let auth {
      let answer = try await http.pace.value(by: deadline) { try await auth.token(forcingRefresh: false) }
      guard let answer else { throw late("Auth") }
      if let token = answer { request.headers["Authorization"] = "Bearer \(token)" }
    }
    if let appCheck {
      let result = try await http.pace.value(by: deadline) {
        limitedUse ? await appCheck.limitedUseToken() : await appCheck.token(forcingRefresh: false)
      }
      guard let result else { throw late("App Check") }
      request.headers["X-Firebase-AppCheck"] = result.token
    }
  }
}
