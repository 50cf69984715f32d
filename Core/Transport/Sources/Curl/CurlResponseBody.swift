#if os(Linux)
  import Foundation
  import TenonTransportInterop

  /// The body of a response, read piece by piece. Releasing it stops the exchange.
  actor CurlResponseBody {
    private let exchange: CurlExchange
    /// Removes the content coding; `nil` if there is none.
    private let decoder: ContentDecoder?

    init(_ exchange: CurlExchange, _ decoder: sending ContentDecoder?) {
      self.exchange = exchange
      self.decoder = decoder
    }

    deinit { exchange.stop(CancellationError()) }

    /// Returns the next piece; `nil` at the end.
    ///
    /// - Throws: `TransportError` if the body is incomplete or damaged; `CancellationError`.
    func next() async throws -> Data? {
      guard let decoder else { return try await exchange.nextBytes() }
      while true {
        do throws(TransportError) {
          if let piece = try decoder.next() { return piece }
        } catch {
          exchange.stop(error)
          throw error
        }
        guard let bytes = try await exchange.nextBytes() else {
          try decoder.finish()
          return nil
        }
        decoder.append(bytes)
      }
    }

    /// Returns the whole body.
    ///
    /// - Throws: as `next()`, and `TransportError` if it exceeds the limit.
    func collect() async throws -> Data {
      guard decoder != nil else { return try await exchange.nextBytes() ?? Data() }
      let limit = exchange.request.limits.bodyBytes
      var body = Data()
      while let piece = try await next() {
        guard body.count <= limit - piece.count else {
          throw TransportError(
            .invalidResponse,
            "The response of \(exchange.origin.host) has more than \(limit) bytes after decompression.",
            limit: .bodyBytes)
        }
        body += piece
      }
      return body
    }
  }
#endif
