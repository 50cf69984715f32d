import TenonFoundation

#if os(Linux)
  import FoundationEssentials
  import TenonCore
  public import TenonHTTP
  public import TenonTransportInterop

  /// Sends requests over the network with libcurl, the transport of Linux.
  ///
  /// libcurl is a library of the system on which Foundation's own `URLSession` is built there. It is loaded
  /// at the first request. All connections of a transport are served by one thread, which runs from the first
  /// request until the transport is released.
  ///
  /// - Plain `http` is allowed only to loopback addresses. Requests to other hosts throw `invalidRequest`.
  /// - Over TLS, HTTP/2 is used where the server offers it, with many requests on one connection. Connections
  ///   are kept open.
  /// - A redirect to another origin drops all credentials. It throws `invalidResponse` if there is a body,
  ///   and so does a redirect from `https` to `http`.
  /// - A body in a file is sent without loading it into memory, and streams are read only as fast as they are
  ///   sent. A streamed response is received only as fast as it is read.
  /// - A response that states no length and isn't sent in chunks ends with its connection. If a TLS
  ///   connection ends without the alert `close_notify`, it throws `connectionLost`. This needs libcurl with
  ///   OpenSSL.
  /// - No cookies, caches, `.netrc` files or stored credentials are used.
  ///
  /// All functions can be called concurrently, from any task.
  public final class CurlTransport: TransportInterop {
    /// The transport that all apps of this process share. It is never released, so its thread runs until the
    /// process ends, once a request has been sent.
    public static let shared = CurlTransport()

    /// The connections and their thread.
    private let engine: CurlEngine

    /// Creates a transport with its own connections. They are closed after the transport's last request when
    /// it is released.
    ///
    /// - Parameter configuration: how to connect to servers.
    public convenience init(configuration: TransportConfiguration = TransportConfiguration()) {
      self.init(configuration: configuration, hasRequestCallback: true)
    }

    /// Creates a transport that can behave as with a version of libcurl before 7.80, for tests.
    ///
    /// - Parameters:
    ///   - configuration: how to connect to servers.
    ///   - hasRequestCallback: whether libcurl may be asked to call back before a request, if it can.
    package init(configuration: TransportConfiguration, hasRequestCallback: Bool) {
      engine = CurlEngine(configuration, hasRequestCallback: hasRequestCallback)
    }

    deinit { engine.close() }

    /// The number of exchanges that have begun and whose connections haven't been released, for tests.
    package var openExchanges: Int { engine.openExchanges }

    /// Sends a request and returns the complete response, in memory.
    ///
    /// - Parameter request: the request. Its deadline covers redirects and the body of the response.
    /// - Returns: the response, whatever its status, after decompression.
    /// - Throws: `TransportError` if no complete response arrived: `invalidRequest` if the request can't be
    ///   sent, `unreachable`, `tls` or `connectionLost` if the connection fails or isn't established in time,
    ///   `timedOut` if another deadline passes, and `invalidResponse` if the response violates HTTP or
    ///   exceeds a limit; `CancellationError`.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
      let (head, body) = try await response(to: request, isCollected: true)
      return TransportResponse(status: head.status, headers: head.headers, body: try await body.collect())
    }

    /// Sends a request and returns as soon as the head of the response has arrived.
    ///
    /// About 256 KiB of the body are received ahead of its reader. If the reader is slower than the server,
    /// the server has to wait. Over HTTP/2, where other exchanges on the connection go on, the server may
    /// send 32 MiB more: libcurl's window for a stream, which can't be configured.
    ///
    /// - Parameter request: the request. Its deadline covers redirects and the body of the response.
    /// - Returns: the head and the stream of the body, after decompression. Ending the iteration early, or
    ///   cancelling its task, ends the exchange.
    /// - Throws: `TransportError` if no head arrived, with the codes of ``send(_:)``; `CancellationError`.
    ///   The stream throws the same errors.
    public func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
      let (head, body) = try await response(to: request, isCollected: false)
      return TransportStreamingResponse(
        status: head.status, headers: head.headers,
        body: AsyncThrowingStream(unfolding: { try await body.next() }))
    }

    /// Sends a request and follows redirects, each in a separate exchange. The body of a response that
    /// redirects is discarded, and its exchange is stopped unless it has ended.
    ///
    /// - Parameters:
    ///   - first: the request. Its deadline covers all redirects and the body.
    ///   - isCollected: whether to return after the body of the last response. If not, after its head.
    /// - Returns: the last response. Releasing its body stops the exchange if it hasn't ended.
    /// - Throws: `TransportError`, with `invalidRequest` if the request can't be sent, and with
    ///   `invalidResponse` for a redirect that is never followed, for more redirects than the request's limit
    ///   and for a content coding that isn't supported; `CancellationError`.
    private func response(
      to first: TransportRequest, isCollected: Bool
    ) async throws -> (ResponseHead, CurlResponseBody) {
      let deadline = first.deadline.map { ContinuousClock.now + $0.limited }
      var (request, redirects) = (first, 0)
      while true {
        let origin = try request.checked()
        let exchange = CurlExchange(
          request, to: origin, until: deadline, isCollected: isCollected, engine: engine)
        var head = try await exchange.head()
        do {
          guard let next = try Redirect.next(after: head, to: request, count: redirects) else {
            let decoder = try ContentDecoder.make(for: &head, of: request, host: origin.host)
            return (head, CurlResponseBody(exchange, decoder))
          }
          exchange.stop(CancellationError())
          (request, redirects) = (next, redirects + 1)
        } catch {
          exchange.stop(error)
          throw error
        }
      }
    }
  }
#endif
