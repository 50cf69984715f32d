import TenonCore
import TenonFoundation
import TenonObservabilityInterop
import TenonTelemetry
import TenonTransport
import TenonTransportInterop

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
    /// The body of the request: the data in the protocol's encoding.
    let body: Data
    /// When the whole call ends, including the time for tokens and for decoding the result.
    var end: ContinuousClock.Instant
    /// The limits on the phases of the exchange.
    let timeouts: HTTPTimeouts
    /// Whether the call carries a new limited-use App Check token.
    let limitedUse: Bool

    /// Returns the error of a call whose result was complete too late.
    var tooLate: FunctionsError {
      FunctionsError(
        TransportError(.timedOut, "The result wasn't decoded in time.", timeout: .exchange), function: name)
    }
  }

  /// Calls a function once and returns its decoded result.
  ///
  /// - Parameters:
  ///   - call: the call.
  ///   - decode: decodes the member `data` of the response, or `result` if there is none.
  /// - Throws: ``FunctionsError``, also if the result is decoded only after the end of the call; Auth's
  ///   error; `CancellationError`; the error of `decode`.
  func result<Result>(of call: Call, _ decode: (JSON) throws -> Result) async throws -> Result {
    try await recording(call) { try await unrecordedResult(of: call, decode) }
  }

  /// Performs a call, or the part of one until its stream begins, and records its duration and its span.
  nonisolated(nonsending) func recording<Result>(
    _ call: Call, isStream: Bool = false, _ operation: nonisolated(nonsending) () async throws -> Result
  ) async throws -> Result {
    try await http.telemetry.measure(
      "rpc.client.call.duration", span: call.name, kind: .client,
      [
        "rpc.system.name": "firebase_callable", "rpc.method": .string(call.name),
        "tenon.functions.streaming": .bool(isStream),
      ], operation)
  }

  /// Calls a function once and returns its decoded result.
  private func unrecordedResult<Result>(
    of call: Call, _ decode: (JSON) throws -> Result
  ) async throws -> Result {
    let response: TransportResponse
    let secrets: [String]
    do {
      let exchange = try await exchange(of: call, status: \.status) { try await http.send($0) }
      secrets = exchange.request.credentials
      response = exchange.response
    } catch {
      throw Self.typed(error, function: call.name)
    }
    let result = try decode(try Self.result(in: response, hiding: secrets, function: call.name))
    guard http.time.now() < call.end else { throw call.tooLate }
    return result
  }

  /// Sends the request of a call, with the tokens of the linked products.
  ///
  /// - Parameters:
  ///   - call: the call.
  ///   - isStream: whether to request a stream of events.
  ///   - status: returns the status of a response.
  ///   - send: sends a request.
  /// - Returns: the request that was answered, and the response.
  /// - Throws: `RequestSigner.TokenTimeout`; Auth's or Admin's error; `CancellationError`; what `send` throws.
  nonisolated(nonsending) func exchange<Response>(
    of call: Call, isStream: Bool = false, status: (Response) -> Int,
    _ send: nonisolated(nonsending) (TransportRequest) async throws -> Response
  ) async throws -> (request: TransportRequest, response: Response) {
    var request = TransportRequest(.post, call.url, body: .data(call.body), timeouts: call.timeouts)
    request.headers["Content-Type"] = "application/json; charset=utf-8"
    // Servers compare the whole value.
    if isStream { request.headers["Accept"] = "text/event-stream" }
    return try await signer.exchange(
      request, for: Origin(call.url), limitedUse: call.limitedUse, by: call.end, status: status
    ) { signed in
      var signed = signed
      signed.deadline = max(.zero, call.end - http.time.now())
      return try await send(signed)
    }
  }

  /// Returns the result in a complete response: the member `data`, or `result` if there is none.
  ///
  /// - Parameters:
  ///   - response: the response.
  ///   - secrets: the credentials of the request, which errors don't contain.
  ///   - name: the function's name.
  /// - Throws: ``FunctionsError`` if the call failed.
  static func result(
    in response: TransportResponse, hiding secrets: [String], function name: String
  ) throws(FunctionsError) -> JSON {
    let body = try? JSON(parsing: response.body, replacesLoneSurrogates: true)
    if FunctionsError(response, body: body, function: name) == nil,
      let result = body?["data"] ?? body?["result"]
    {
      return result
    }
    throw error(of: response.hiding(secrets), function: name)
  }

  /// Returns the error of a response without a result, whose body contains no credentials of the request.
  private static func error(of response: TransportResponse, function name: String) -> FunctionsError {
    let body = try? JSON(parsing: response.body, replacesLoneSurrogates: true)
    return FunctionsError(response, body: body, function: name)
      ?? FunctionsError(
        .internal,
        "The response of the function \(name) has neither data nor result: \(response.excerpt). "
          + "Check that it is a callable function (onCall).")
  }

  /// Returns an error of the signer or of the transport as one of this library. Other errors are returned
  /// unchanged.
  static func typed(_ error: any Error, function name: String) -> any Error {
    switch error {
    case let error as RequestSigner.TokenTimeout: FunctionsError(error, function: name)
    case let error as TransportError: FunctionsError(error, function: name)
    default: error
    }
  }
}
