import Foundation
import TenonCore
import TenonFoundation
public import TenonHTTP
public import TenonTransportInterop

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests over the network with `URLSession`, the transport of all platforms but Linux.
///
/// It uses no cache, cookies or stored credentials, and implements cancellation, deadlines and redirects
/// itself. So it also runs on Linux, for tests, where `URLSession` by itself can trap or hang when a task is
/// cancelled, sends `Authorization` to the target of a redirect, drops the body of a 307 and ignores
/// deadlines.
///
/// - Plain `http` is allowed only to loopback addresses. Requests to other hosts throw `invalidRequest`.
/// - A redirect to another origin drops all credentials. It throws `invalidResponse` if there is a body, and
///   so does a redirect from `https` to `http`.
/// - A file body is sent without loading it into memory. A body that is a stream is written to a temporary
///   file first.
/// - A streamed response has no backpressure: chunks that the reader hasn't consumed are buffered in memory.
/// - Of the limits, the session's own apply to header lines, interim responses, trailers and decompression,
///   and of the timeouts only the deadline of the whole exchange.
///
/// All functions can be called concurrently, from any task.
public final class URLSessionTransport: TransportInterop {
  /// The transport that all apps of this process share.
  public static let shared = URLSessionTransport()

  /// The session of all requests, which owns the connections.
  private let session: URLSession
  /// Forwards the session's events to their exchanges.
  private let delegate = ExchangeDelegate()
  /// The queue on which the tasks of the session are created, resumed and cancelled.
  private let queue = DispatchQueue(label: "tenon.transport")

  /// Creates a transport with its own connections. They are closed after the transport's last request when it
  /// is released.
  ///
  /// - Parameter settings: how to connect to servers.
  public init(configuration settings: TransportConfiguration = TransportConfiguration()) {
    let configuration = URLSessionConfiguration.ephemeral
    // With a cache, `FoundationNetworking` traps when a cancellation races with the completion of a task.
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCredentialStorage = nil
    configuration.httpMaximumConnectionsPerHost = settings.maxConnectionsPerHost
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  /// Lets running tasks finish, and then releases the session and its delegate.
  deinit { session.finishTasksAndInvalidate() }

  /// The number of exchanges whose tasks the session hasn't completed, for tests.
  package var openExchanges: Int { delegate.count }

  /// Sends a request and returns the complete response, in memory.
  ///
  /// - Parameter request: the request. Its deadline covers redirects and the body of the response.
  /// - Returns: the response, whatever its status, after decompression.
  /// - Throws: `TransportError` if no complete response arrived: `invalidRequest` if the request can't be
  ///   sent, `unreachable`, `tls` or `connectionLost` if the connection fails, `timedOut` if the deadline
  ///   passes, and `invalidResponse` if the response violates HTTP or exceeds a limit; `CancellationError`.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    let (answer, _) = try await answer(to: request, streaming: false)
    return TransportResponse(status: answer.head.status, headers: answer.head.headers, body: answer.body)
  }

  /// Sends a request and returns as soon as the head of the response has arrived.
  ///
  /// - Parameter request: the request. Its deadline covers redirects and the body of the response.
  /// - Returns: the head and the stream of the body. Ending the iteration early, or cancelling its task, ends
  ///   the exchange.
  /// - Throws: `TransportError` if no head arrived; `CancellationError`. The stream throws the same errors.
  public func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
    let (answer, chunks) = try await answer(to: request, streaming: true)
    return TransportStreamingResponse(status: answer.head.status, headers: answer.head.headers, body: chunks)
  }

  /// The stream of a response's body.
  private typealias Chunks = AsyncThrowingStream<Data, any Error>

  /// Sends a request and follows redirects, each in a separate exchange.
  ///
  /// - Parameters:
  ///   - first: the request. Its deadline covers all redirects and the body.
  ///   - streaming: whether to return after the head of the last response.
  /// - Returns: the last response, and the stream of its body, which is unused unless `streaming` is `true`.
  /// - Throws: `TransportError`, also if there are more redirects than the request's limit;
  ///   `CancellationError`.
  private func answer(to first: TransportRequest, streaming: Bool) async throws -> (Exchange.Answer, Chunks) {
    let deadline = first.deadline.map { ContinuousClock.now + $0.limited }
    let spool = try await BodySpool(first)
    defer { spool?.remove() }
    var (request, redirects) = (first, 0)
    while true {
      let origin = try request.checked()
      let prepared = URLRequest(request)
      let (chunks, continuation) = Chunks.makeStream()
      let exchange = Exchange(
        request, origin: origin,
        delivery: streaming ? .chunks(continuation) : .whole,
        queue: queue
      )
      if streaming {
        continuation.onTermination = { reason in
          if case .cancelled = reason { exchange.stop(CancellationError()) }
        }
      }
      let answer = try await exchange.run(until: deadline) {
        [body = spool?.body(of: request) ?? request.body] exchange in
        queue.async { [self] in begin(exchange, prepared, body) }
      }
      guard let next = try Redirect.next(after: answer.head, to: request, count: redirects) else {
        return (answer, chunks)
      }
      (request, redirects) = (next, redirects + 1)
    }
  }

  /// Starts the session's task of an exchange, or stops the exchange if its body file can't be read. Must run
  /// on `queue`.
  ///
  /// A task whose exchange ends in the meantime is resumed and then cancelled, so that the session reports
  /// its end, with which ``ExchangeDelegate`` releases the exchange.
  ///
  /// - Parameters:
  ///   - exchange: the exchange. If it has ended, no task is created.
  ///   - request: the session's request, without a body that is a file.
  ///   - body: the body to send; a stream has been replaced by its file.
  private func begin(_ exchange: Exchange, _ request: URLRequest, _ body: HTTPBody) {
    guard exchange.isRunning else { return }
    let task: URLSessionTask
    if case .file(let file) = body {
      guard (try? file.checkResourceIsReachable()) == true,
        FileManager.default.isReadableFile(atPath: file.path)
      else {
        return exchange.stop(
          TransportError(.invalidRequest, "The file \(file.path) can't be read, so it can't be sent.")
        )
      }
      task = session.uploadTask(with: request, fromFile: file)
    } else {
      task = session.dataTask(with: request)
    }
    delegate.insert(exchange, for: task)
    let isWanted = exchange.adopt(task)
    task.resume()
    if !isWanted { task.cancel() }
  }
}
