package import TenonCore
package import TenonTransportInterop

extension HTTPClient {
  /// A client for one app.
  ///
  /// - Parameter transport: the one that a linked library provides; the process's `URLSession` transport when `nil`.
  /// - Throws: `invalidRequest` when the app works on the embedded backend and nothing linked provides it.
  package init(app: AppContext, transport: (any TransportInterop)?) throws(TransportError) {
    if transport == nil, app.options.backend.kind == .embedded {
      throw TransportError(
        .invalidRequest,
        "The app \"\(app.name)\" asks for the embedded backend, but no linked library serves it. Link the library "
          + "TenonEmbedded, or choose .production or .emulator(…) as the backend."
      )
    }
    self.init(
      transport: transport ?? URLSessionTransport.shared,
      headers: HTTPHeaders([HTTPField(name: "User-Agent", value: app.userAgent)])
    )
  }
}
