#if os(Linux)
  import FoundationEssentials
  import TenonTransportInterop

  /// The body of a response, read piece by piece. Releasing it stops the exchange, unless that has ended, and
  /// so releases the connection.
  ///
  /// The actor protects the decoder, which isn't thread-safe. Decompression runs here, in the reader's task,
  /// and not on the engine's thread, which all transfers share.
  actor CurlResponseBody {
    /// The exchange, which buffers the bytes that have been received.
    private let exchange: CurlExchange
    /// Removes the content coding; `nil` if there is none.
    private let decoder: ContentDecoder?

    /// Creates the body of a response whose head has been received.
    ///
    /// - Parameters:
    ///   - exchange: the exchange. No other reader may receive its bytes.
    ///   - decoder: the decoder of the body's content coding; `nil` if there is none.
    init(_ exchange: CurlExchange, _ decoder: sending ContentDecoder?) {
      self.exchange = exchange
      self.decoder = decoder
    }

    deinit { exchange.stop(CancellationError()) }

    /// Returns the next piece, which isn't empty; `nil` at the end. Calls must not overlap.
    ///
    /// Without a coding, a piece is what has been received since the last one. Otherwise it is at most 64 KiB
    /// of decompressed bytes, and more compressed bytes are taken from the exchange only when the previous
    /// ones have been read.
    ///
    /// - Returns: the piece; `nil` at the end of the body.
    /// - Throws: `TransportError` if the body is incomplete, damaged or exceeds the ratio of decompression;
    ///   `CancellationError`. An error of the coding stops the exchange.
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

    /// Returns the whole body. It is called once, instead of ``next()``, for an exchange that collects the
    /// body.
    ///
    /// - Returns: the body after decompression; empty if there is none.
    /// - Throws: as ``next()``, and `TransportError` with `invalidResponse` and the limit `bodyBytes` if the
    ///   decompressed body exceeds the request's limit. The compressed one has been limited by the exchange.
    /// - Complexity: O(*n*) in the size of the body. Without a coding, the bytes aren't copied.
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
