package import TenonCore
package import TenonTelemetry
package import TenonTransportInterop

extension HTTPClient {
  /// Creates the client of one app.
  ///
  /// Each request carries the app's `User-Agent`. Retries follow ``RetryPolicy/standard``, and deadlines the
  /// system's clock.
  ///
  /// Of the app, the client keeps only the `User-Agent`. Products derive the URLs of requests from the app's
  /// options.
  ///
  /// - Parameters:
  ///   - app: the app, whose options select the backend.
  ///   - transport: the transport of a linked library; `SystemTransport.shared` if `nil`.
  ///   - telemetry: the log, the metrics and the spans of the product.
  /// - Throws: `TransportError` with `invalidRequest` if the app uses the embedded backend and no linked
  ///   library provides it.
  package init(
    app: AppContext, transport: (any TransportInterop)?, telemetry: Telemetry
  ) throws(TransportError) {
    if transport == nil, app.options.backend.kind == .embedded {
      throw TransportError(
        .invalidRequest,
        "The app \"\(app.name)\" asks for the embedded backend, but no linked library serves it. Link the library "
          + "TenonEmbedded, or choose .production or .emulator(…) as the backend."
      )
    }
    self.init(
      transport: transport ?? SystemTransport.shared,
      headers: HTTPHeaders([HTTPHeader(name: "User-Agent", value: app.userAgent)]),
      telemetry: telemetry
    )
  }
}
