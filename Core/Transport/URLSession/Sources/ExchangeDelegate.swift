import Foundation
import TenonFoundation
import TenonHTTP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Forwards the events of a session to the exchanges that they belong to.
///
/// The session calls the delegate on a serial queue. ``count`` and ``insert(_:for:)`` can be called on any
/// thread. The session retains its delegate until it has been invalidated and its last task is complete.
///
/// An exchange is retained from ``insert(_:for:)`` until its task completes. Events of tasks without an
/// exchange are ignored. No function of an exchange is called while the lock is held.
final class ExchangeDelegate: NSObject, URLSessionDataDelegate {
  /// The running exchanges, by the identifiers of their tasks.
  private let exchanges = Lock<[Int: Exchange]>([:])

  /// The number of tasks that the session hasn't reported as complete.
  var count: Int { exchanges.withLock { $0.count } }

  /// Registers the exchange of a task. It receives the task's events until the task completes.
  ///
  /// - Parameters:
  ///   - exchange: the exchange.
  ///   - task: the task, which must not have been resumed, because earlier events would be lost.
  func insert(_ exchange: Exchange, for task: URLSessionTask) {
    let id = task.taskIdentifier
    exchanges.withLock { $0[id] = exchange }
  }

  /// Returns the exchange of a task, or `nil` if the task has completed. Complexity: O(1).
  private func exchange(of task: URLSessionTask) -> Exchange? {
    let id = task.taskIdentifier
    return exchanges.withLock { $0[id] }
  }

  /// Forwards the head of the response, unless it isn't HTTP, and lets the task continue.
  ///
  /// An exchange that refuses the head, because it exceeds a limit, cancels the task itself.
  func urlSession(
    _: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    if let head = ResponseHead(response) { exchange(of: dataTask)?.received(head) }
    completionHandler(.allow)
  }

  /// Forwards a part of the body.
  func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.received(data)
  }

  /// Forwards the progress of the request's body.
  func urlSession(
    _: URLSession, task: URLSessionTask, didSendBodyData _: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    exchange(of: task)?.sent(totalBytesSent, of: totalBytesExpectedToSend)
  }

  /// Forwards a redirect, which the exchange declines: the transport follows redirects itself. See
  /// ``Redirect``.
  func urlSession(
    _: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest _: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    guard let head = ResponseHead(response) else { return completionHandler(nil) }
    // A cancelled task completes by itself, and answering it would trap.
    if exchange(of: task)?.redirected(head) == true { completionHandler(nil) }
  }

  /// Treats a 401 as a response like any other, and leaves other challenges, such as those of TLS, to the
  /// system.
  ///
  /// The whole response has been reported by now. The challenge has to be answered, because
  /// `FoundationNetworking` never completes a task whose challenge is left open.
  func urlSession(
    _: URLSession,
    task: URLSessionTask,
    didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let head = ResponseHead(challenge.failureResponse ?? task.response), head.status == 401 else {
      return completionHandler(.performDefaultHandling, nil)
    }
    if exchange(of: task)?.challenged(head) == true { completionHandler(.cancelAuthenticationChallenge, nil) }
  }

  /// Forwards the completion of a task and removes its exchange.
  func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let id = task.taskIdentifier
    let exchange = exchanges.withLock { $0.removeValue(forKey: id) }
    exchange?.completed(error, response: ResponseHead(task.response))
  }
}
