import Foundation
import TenonCore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Hands what the session reports to the exchange that it concerns.
final class ExchangeDelegate: NSObject, URLSessionDataDelegate {
  private let exchanges = Lock<[Int: Exchange]>([:])

  /// How many tasks the session has not yet reported as complete.
  var count: Int { exchanges.withLock { $0.count } }

  func insert(_ exchange: Exchange, for task: URLSessionTask) {
    let id = task.taskIdentifier
    exchanges.withLock { $0[id] = exchange }
  }

  private func exchange(of task: URLSessionTask) -> Exchange? {
    let id = task.taskIdentifier
    return exchanges.withLock { $0[id] }
  }

  func urlSession(
    _: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    if let head = ResponseHead(response) { exchange(of: dataTask)?.received(head) }
    completionHandler(.allow)
  }

  func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.received(data)
  }

  func urlSession(
    _: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest _: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    guard let head = ResponseHead(response) else { return completionHandler(nil) }
    // A cancelled task completes by itself and must not be answered any more.
    if exchange(of: task)?.redirected(head) == true { completionHandler(nil) }
  }

  /// A 401 is an answer like any other: `FoundationNetworking` would never complete a task whose challenge nobody
  /// meets. By now the whole answer has been reported.
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

  func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let id = task.taskIdentifier
    let exchange = exchanges.withLock { $0.removeValue(forKey: id) }
    exchange?.completed(error, response: ResponseHead(task.response))
  }
}
