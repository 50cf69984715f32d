import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// `URLSession` without a cache and with as many connections as the other clients use.
struct URLSessionPeer: MeasuredClient {
  private let session: URLSession
  private let configuration: URLSessionConfiguration

  init() {
    configuration = .ephemeral
    configuration.urlCache = nil
    configuration.httpMaximumConnectionsPerHost = 64
    session = URLSession(configuration: configuration)
  }

  func get(_ url: URL) async throws -> Int {
    let (body, response) = try await session.data(for: URLRequest(url: url))
    try check(response)
    return body.count
  }

  func download(_ url: URL) async throws -> Int {
    let counter = Counter()
    let session = URLSession(configuration: configuration, delegate: counter, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    return try await counter.count(session.dataTask(with: url))
  }

  func upload(_ file: URL, to url: URL) async throws {
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    try check(try await session.upload(for: request, fromFile: file).1)
  }

  func upload(bytes: Int, to url: URL) async throws { throw Unsupported() }

  private func check(_ response: URLResponse) throws {
    guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw UnexpectedResponse() }
  }
}

/// Counts the bytes of a body, without keeping them.
private final class Counter: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  // Used on the session's delegate queue only, except before the task begins.
  private var bytes = 0
  private var waiter: CheckedContinuation<Int, any Error>?

  func count(_ task: URLSessionDataTask) async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      waiter = continuation
      task.resume()
    }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    bytes += data.count
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if let error { waiter?.resume(throwing: error) } else { waiter?.resume(returning: bytes) }
  }
}

@main
enum Program {
  static func main() async throws {
    try await ClientProgram.run(URLSessionPeer(), Array(CommandLine.arguments.dropFirst()))
  }
}
