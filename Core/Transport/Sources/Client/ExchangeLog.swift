import TenonCore
import TenonFoundation
import TenonHTTP
package import TenonObservabilityInterop
package import TenonTelemetry
package import TenonTransportInterop

/// Records each exchange of a request and a response: a span and a duration for a provider of
/// `ObservabilityInterop`, and otherwise a line of the level `debug`, for `TENON_LOG=debug`:
/// `POST identitytoolkit.googleapis.com: status 200 after 35 ms`.
///
/// Both have the method, the host, the status or the kind of failure, and the time, because everything else
/// in a request may be a secret: paths name documents and objects, and queries have keys and tokens.
package struct ExchangeLog: Sendable {
  /// The source of the lines.
  package static let source = "tenon-http"

  private let telemetry: Telemetry
  private let histogram: String
  private let kind: ObservabilitySpanKind

  /// Creates a log.
  ///
  /// - Parameters:
  ///   - telemetry: receives the lines, durations and spans.
  ///   - histogram: the name of the durations; that of a client's requests by default.
  ///   - kind: the kind of the spans; that of a client by default.
  package init(
    telemetry: Telemetry, histogram: String = "http.client.request.duration",
    kind: ObservabilitySpanKind = .client
  ) {
    self.telemetry = telemetry
    self.histogram = histogram
    self.kind = kind
  }

  /// Performs an exchange, and records it when it ends. For a stream, that is when the head of the response
  /// has arrived.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - attempt: the number of the attempt, from 1.
  ///   - attributes: further attributes of the duration and the span.
  ///   - status: returns the status of the response.
  ///   - exchange: sends the request.
  package nonisolated(nonsending) func recording<Response>(
    _ request: TransportRequest,
    attempt: Int = 1,
    adding attributes: @autoclosure () -> TelemetryAttributes = [:],
    status: (Response) -> Int,
    _ exchange: nonisolated(nonsending) () async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    do {
      let response = try await telemetry.measure(
        histogram, span: request.method.rawValue, kind: kind,
        Self.attributes(of: request).merging(attributes()) { first, _ in first },
        details: attempt > 1 ? ["http.request.resend_count": .int(attempt - 1)] : [:],
        outcome: { Self.attributes(ofStatus: status($0)) }, exchange)
      write(request, "status \(status(response))", since: start)
      return response
    } catch {
      write(request, Telemetry.errorType(error), since: start)
      throw error
    }
  }

  /// Counts another attempt after a response or an error.
  ///
  /// - Parameters:
  ///   - request: the request, which is sent again.
  ///   - outcome: what the last attempt ended with.
  func countRetry(of request: TransportRequest, after outcome: Result<TransportResponse, TransportError>) {
    telemetry.count(
      "tenon.http.client.retries",
      Self.attributes(of: request).merging(Self.attributes(of: outcome)) { first, _ in first })
  }

  private func write(_ request: TransportRequest, _ outcome: String, since start: ContinuousClock.Instant) {
    telemetry.logger.debug(
      "\(request.method.rawValue) \(request.url.host() ?? ""): \(outcome) after "
        + "\(Int((ContinuousClock.now - start) / .milliseconds(1))) ms")
  }

  /// The attributes of a request that are no secrets.
  private static func attributes(of request: TransportRequest) -> TelemetryAttributes {
    var attributes: TelemetryAttributes = [
      "http.request.method": .string(request.method.rawValue),
      "server.address": .string(request.url.host() ?? ""),
    ]
    attributes["server.port"] = request.url.port.map { .int($0) }
    return attributes
  }

  /// The attributes of what an attempt ended with.
  private static func attributes(of outcome: Result<TransportResponse, TransportError>) -> TelemetryAttributes
  {
    switch outcome {
    case .success(let response): attributes(ofStatus: response.status)
    case .failure(let error): ["error.type": .string(error.code.rawValue)]
    }
  }

  /// The attributes of a response. A status of 400 or more is also the type of an error.
  private static func attributes(ofStatus status: Int) -> TelemetryAttributes {
    var attributes: TelemetryAttributes = ["http.response.status_code": .int(status)]
    if status >= 400 { attributes["error.type"] = .string("\(status)") }
    return attributes
  }
}

extension TransportError: TelemetryError {
  /// The code as text.
  package var telemetryCode: String { code.rawValue }
}
