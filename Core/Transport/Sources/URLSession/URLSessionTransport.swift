import Foundation
import TenonCore
public import TenonTransportInterop

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests over the network with `URLSession`, on every platform in the same way.
///
/// On Linux `URLSession` as it comes can trap or hang when a task is cancelled, hands `Authorization` to the
/// target of a redirect, drops the body of a 307 and ignores deadlines. This transport keeps the contract of
/// `TransportInterop` there too: it has no cache, cookies or stored credentials, its own cancellation, its own
/// deadlines, and follows up to 20 redirects itself.
///
/// - Plain `http` is for this machine only: elsewhere than at a loopback address it is refused with
///   `invalidRequest`.
/// - A redirect to another origin loses every credential, one from `https` to `http` is refused with
///   `invalidResponse`.
/// - A file body is sent without being loaded into memory.
/// - A stream has no back-pressure: what the reader hasn't taken waits in memory.
public final class URLSessionTransport: TransportInterop {
  /// The transport of this process, for whoever has no reason to own one.
  public static let shared = URLSessionTransport()

  private let session: URLSession
  private let delegate = ExchangeDelegate()
  private let queue = DispatchQueue(label: "tenon.transport")

  /// Creates a transport with connections of its own.
  ///
  /// - Parameter maxConnectionsPerHost: how many connections may be open to one host at a time.
  public init(maxConnectionsPerHost: Int = 64) {
    let configuration = URLSessionConfiguration.ephemeral
    // With a cache, `FoundationNetworking` traps when a cancellation races with the end of a task.
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCredentialStorage = nil
    configuration.httpMaximumConnectionsPerHost = maxConnectionsPerHost
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  deinit { session.finishTasksAndInvalidate() }

  /// How many exchanges the session still works on.
  package var openExchanges: Int { delegate.count }

  /// Sends a request and collects the whole answer, in memory.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let (answer, _) = try await answer(to: request, streaming: false)
    return HTTPResponse(status: answer.head.status, headers: answer.head.headers, body: answer.body)
  }

  /// Sends a request and returns as soon as the head of the answer is there.
  public func stream(_ request: HTTPRequest) async throws -> HTTPStreamingResponse {
    let (answer, chunks) = try await answer(to: request, streaming: true)
    return HTTPStreamingResponse(status: answer.head.status, headers: answer.head.headers, body: chunks)
  }

  private typealias Chunks = AsyncThrowingStream<Data, any Error>

  /// Asks until the answer is no redirect. The deadline holds for all of it.
  private func answer(to first: HTTPRequest, streaming: Bool) async throws -> (Exchange.Answer, Chunks) {
    try first.checkFields()
    let deadline = first.deadline.map { ContinuousClock.now + $0.limited }
    var request = first
    for _ in 0...Redirect.limit {
      let prepared = try URLRequest(request)
      let (chunks, continuation) = Chunks.makeStream()
      let exchange = Exchange(
        url: request.url,
        delivery: streaming ? .chunks(continuation) : .whole,
        queue: queue
      )
      if streaming {
        continuation.onTermination = { reason in
          if case .cancelled = reason { exchange.stop(CancellationError()) }
        }
      }
      let answer = try await exchange.run(until: deadline) { [body = request.body] exchange in
        queue.async { [self] in begin(exchange, prepared, body) }
      }
      guard let next = try Redirect.next(after: answer.head, to: request) else { return (answer, chunks) }
      request = next
    }
    throw TransportError(
      .invalidResponse,
      "\(first.url.host() ?? "") redirects more than \(Redirect.limit) times."
    )
  }

  /// Starts the session's task. Runs on `queue`.
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
