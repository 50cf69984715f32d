import TenonCore
import TenonTransport
import TenonTransportInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes calls over the callable protocol (https://firebase.google.com/docs/functions/callable-reference).
struct CallableClient: Sendable {
  /// The client that sends the requests.
  let http: HTTPClient
  /// The signer that adds the tokens of the linked products.
  let signer: RequestSigner

  /// A call of a function.
  struct Call: Sendable {
    /// The function's URL.
    let url: URL
    /// The function's name, for error messages.
    let name: String
    /// The encoded data.
    let data: JSON
    /// When the whole call ends, including the time for tokens and for decoding the result.
    let end: ContinuousClock.Instant
    /// The limits on the phases of the exchange.
    let timeouts: HTTPTimeouts
    /// Whether the call carries a new limited-use App Check token.
    let limitedUse: Bool
  }

  /// Calls a function once and returns its decoded result.
  ///
  /// - Parameters:
  ///   - call: the call.
  ///   - decode: decodes the member `data` of the response, or `result` if there is none.
  /// - Throws: ``FunctionsError``, also if the result is decoded only after the end of the call; Auth's error;
  ///   `CancellationError`; the error of `decode`.
  func result<Result>(of call: Call, _ decode: (JSON) throws -> Result) async throws -> Result {
    let (url, name) = (call.url, call.name)
    let response: HTTPResponse
    let secrets: [String]
    do {
      var request = try HTTPRequest.json(.post, url, ["data": call.data])
      request.timeouts = call.timeouts
      request = try await signer.sign(request, for: Origin(url), limitedUse: call.limitedUse, by: call.end)
      request.deadline = max(.zero, call.end - http.time.now())
      secrets = request.credentials
      response = try await http.send(request)
    } catch let error as RequestSigner.TokenTimeout {
      throw FunctionsError(error, function: name)
    } catch let error as TransportError {
      throw FunctionsError(error, function: name)
    }
    let body = try? JSON(parsing: response.body)
    guard FunctionsError(response, body: body, function: name) == nil,
      let json = body?["data"] ?? body?["result"]
    else { throw Self.error(of: response.hiding(secrets), function: name) }
    let result = try decode(json)
    guard http.time.now() < call.end else {
      throw FunctionsError(
        TransportError(.timedOut, "The result wasn't decoded in time.", timeout: .exchange), function: name)
    }
    return result
  }

  /// Returns the error of a response without a result, whose body contains no credentials of the request.
  private static func error(of response: HTTPResponse, function name: String) -> FunctionsError {
    let body = try? JSON(parsing: response.body)
    return FunctionsError(response, body: body, function: name)
      ?? FunctionsError(
        .internal, "The response of the function \(name) has neither data nor result: \(response.excerpt)")
  }
}
