import TenonEmbedded
import TenonFoundation

/// Functions for clients to try.
///
/// - `echo` returns the data that it receives, and `whoami` the caller.
/// - `count` sends the numbers from 0 up to its data as messages, and returns how many.
/// - `request` responds to any request with what it has received.
/// - `copy` copies the documents of `sample-originals` to `sample-copies`, unless `isOff` of
///   `sample-switches/copy` is true.
/// - `wait` sends one message and then only heartbeats, five in a second, until its caller leaves. `waiting`
///   returns how many calls of `wait` are running.
enum SampleFunctions {
  static func register(with embedded: Embedded) throws {
    try embedded.onRequest("request", cors: .everyone) { request in
      try FunctionResponse(json: [
        "method": request.method, "path": request.path, "query": request.query,
        "body": String(decoding: request.body, as: UTF8.self), "uid": request.auth?.uid ?? "",
      ])
    }
    // The copy isn't in the collection, so that it isn't an event of the function.
    try embedded.onDocumentWritten(
      "copy", "sample-originals/{id}",
      retry: RetryConfig(minBackoff: .milliseconds(50), maxBackoff: .seconds(1))
    ) { event in
      let documents = embedded.documents()
      if try await documents.get("sample-switches/copy")?["isOff"] == true {
        throw CallableError(.unavailable, "Copying is switched off.")
      }
      let copy = "sample-copies/\(event.params["id"] ?? "")"
      guard let original = event.data.after else { return try await documents.delete(copy) }
      try await documents.set(copy, original.fields)
    }
    embedded.onCall("echo") { (request: CallableRequest<[String: String]>) in request.data }
    embedded.onCall("whoami") { (request: CallableRequest<String?>) in request.auth?.uid }
    embedded.onCall("count") { (request: CallableRequest<Int>, response: CallableResponse<Int>) in
      guard (0...largestCount).contains(request.data) else {
        throw CallableError(
          .outOfRange, "Count to at most \(largestCount).", details: ["largest": largestCount])
      }
      for number in 0..<request.data { try await response.sendChunk(number) }
      return ["count": request.data]
    }
    let waiting = Waiting()
    embedded.onCall("wait", timeout: .seconds(600), heartbeat: .milliseconds(200)) {
      (_: CallableRequest<String?>, response: CallableResponse<String>) in
      waiting.count.withLock { $0 += 1 }
      defer { waiting.count.withLock { $0 -= 1 } }
      try await response.sendChunk("waiting")
      try await Task.sleep(for: .seconds(600))
      return "nobody left"
    }
    embedded.onCall("waiting") { (_: CallableRequest<String?>) in waiting.count.withLock { $0 } }
  }

  private static let largestCount = 1_000_000

  /// The calls of `wait` that are running.
  private final class Waiting: Sendable {
    let count = Lock(0)
  }
}
