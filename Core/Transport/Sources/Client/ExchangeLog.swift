package import TenonCore
import TenonFoundation
package import TenonTransportInterop

/// Writes one line of the level `debug` for each exchange of requests and responses, for
/// `TENON_LOG=debug`: `POST identitytoolkit.googleapis.com: status 200 after 35 ms`.
///
/// The line has the method, the host, the status or the kind of failure, and the time, because everything
/// else in a request may be a secret: paths name documents and objects, and queries have keys and tokens.
package struct ExchangeLog: Sendable {
  private let logger: AppLogger

  /// Creates a log.
  ///
  /// - Parameter logger: receives the lines; `tenon-http` of the process by default.
  package init(logger: AppLogger = AppLogger(source: "tenon-http")) { self.logger = logger }

  /// Performs an exchange, and writes its line when the exchange ends. For a stream, that is when the head of
  /// the response has arrived.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - status: returns the status of the response.
  ///   - exchange: sends the request.
  package nonisolated(nonsending) func recording<Response>(
    _ request: TransportRequest,
    status: (Response) -> Int,
    _ exchange: nonisolated(nonsending) () async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    do {
      let response = try await exchange()
      write(request, "status \(status(response))", since: start)
      return response
    } catch {
      let outcome =
        (error as? TransportError)?.code.rawValue ?? (error is CancellationError ? "cancelled" : "failed")
      write(request, outcome, since: start)
      throw error
    }
  }

  private func write(_ request: TransportRequest, _ outcome: String, since start: ContinuousClock.Instant) {
    logger.debug(
      "\(request.method.rawValue) \(request.url.host() ?? ""): \(outcome) after "
        + "\(Int((ContinuousClock.now - start) / .milliseconds(1))) ms")
  }
}
