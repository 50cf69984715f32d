import Foundation
import TenonCore
import TenonTransport
import TenonTransportInterop

/// Makes calls over the callable protocol (https://firebase.google.com/docs/functions/callable-reference).
struct CallableClient: Sendable {
  /// The client that sends the requests.
  let http: HTTPClient
  /// The signer that adds the tokens of the linked products.
  let signer: RequestSigner

  /// Calls a function once and returns its encoded result.
  ///
  /// - Parameters:
  ///   - url: the function's URL.
  ///   - name: the function's name, for error messages.
  ///   - data: the encoded data.
  ///   - timeout: the maximum duration of the whole call, including the time for tokens.
  ///   - limitedUse: whether the call carries a new limited-use App Check token.
  /// - Returns: the member `data` of the response, or `result` if there is none.
  /// - Throws: ``FunctionsError``; Auth's error; `CancellationError`.
  func call(_ url: URL, name: String, data: JSON, timeout: Duration, limitedUse: Bool) async throws -> JSON {
    let deadline = http.time.now() + timeout.limited
    let response: HTTPResponse
    do {
      var request = try HTTPRequest.json(.post, url, ["data": data])
      request = try await signer.sign(request, for: Origin(url), limitedUse: limitedUse, by: deadline)
      request.deadline = max(.zero, deadline - http.time.now())
      response = try await http.send(request)
    } catch let error as RequestSigner.TokenTimeout {
      throw FunctionsError(error, function: name)
    } catch let error as TransportError {
      throw FunctionsError(error, function: name)
    }
    let body = try? JSON(parsing: response.body)
    if let error = FunctionsError(response, body: body, function: name) { throw error }
    guard let result = body?["data"] ?? body?["result"] else {
      throw FunctionsError(
        .internal,
        "The response of the function \(name) has neither data nor result: \(response.excerpt)"
      )
    }
    return result
  }
}
