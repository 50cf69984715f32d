import Dispatch
import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct CallableStreamTests {
  private let time = TestTime()
  private let embedded: Embedded

  init() { embedded = Embedded(projectID: "demo", directory: nil, time: time.source) }

  private func request(_ name: String, _ data: String = "null", streams: Bool = true) -> TransportRequest {
    var fields = [HTTPHeader(name: "Content-Type", value: "application/json")]
    if streams { fields.append(HTTPHeader(name: "Accept", value: "text/event-stream")) }
    return TransportRequest(
      .post, URL(string: "https://us-central1-demo.cloudfunctions.net/\(name)")!,
      headers: HTTPHeaders(fields), body: .data(Data(#"{"data":\#(data)}"#.utf8)))
  }

  private func text(_ name: String, _ data: String = "null", streams: Bool = true) async throws -> String {
    String(decoding: try await embedded.send(request(name, data, streams: streams)).body, as: UTF8.self)
  }

  /// Waits until a condition holds that another task makes true.
  private func until(_ condition: @Sendable () -> Bool) async throws {
    try await eventually { condition() }
  }

  private func registerCount() {
    embedded.onCall("count") { (request: CallableRequest<Int>, response: CallableResponse<Int>) in
      for number in 0..<request.data {
        let isSent = try await response.sendChunk(number)
        #expect(isSent == request.acceptsStreaming)
      }
      return "done"
    }
  }

  @Test func messagesAndResultAreEvents() async throws {
    registerCount()
    let response = try await embedded.send(request("count", "2"))
    #expect(response.status == 200)
    #expect(response.headers["Content-Type"] == "text/event-stream; charset=utf-8")
    #expect(
      String(decoding: response.body, as: UTF8.self)
        == "data: {\"message\":0}\n\ndata: {\"message\":1}\n\ndata: {\"result\":\"done\"}\n\n")
  }

  @Test func callerWithoutAStreamReceivesTheResultOnly() async throws {
    registerCount()
    #expect(try await text("count", "2", streams: false) == #"{"result":"done"}"#)
  }

  @Test func functionWithoutMessagesStreamsItsResult() async throws {
    embedded.onCall("plain") { (request: CallableRequest<String?>) in
      #expect(request.acceptsStreaming)
      return Int64.max
    }
    let wrapped = #"{"@type":"type.googleapis.com/google.protobuf.Int64Value","value":"9223372036854775807"}"#
    #expect(try await text("plain") == "data: {\"result\":\(wrapped)}\n\n")
  }

  @Test func errorsAreEventsAfterTheBeginning() async throws {
    struct Secret: Error {}
    embedded.onCall("fail") {
      (request: CallableRequest<Bool>, response: CallableResponse<[String: String]>) in
      try await response.sendChunk(["line": "a\nb"])
      if request.data { throw Secret() }
      throw CallableError(.aborted, "No.", details: [Int64.max])
    }
    let message = "data: {\"message\":{\"line\":\"a\\nb\"}}\n\n"
    let wrapped = #"{"@type":"type.googleapis.com/google.protobuf.Int64Value","value":"9223372036854775807"}"#
    #expect(
      try await text("fail", "false") == message
        + "data: {\"error\":{\"details\":[\(wrapped)],\"message\":\"No.\",\"status\":\"ABORTED\"}}\n\n")
    let hidden = "data: {\"error\":{\"message\":\"INTERNAL\",\"status\":\"INTERNAL\"}}\n\n"
    #expect(try await text("fail", "true") == message + hidden)
    let mismatch = try await text("fail", "[1]")
    #expect(mismatch.contains("INVALID_ARGUMENT") && mismatch.contains("isn't of type Bool"))
  }

  @Test func failureBeforeTheBeginningHasItsStatus() async throws {
    registerCount()
    var request = request("count", "2")
    request.headers["Authorization"] = "Bearer garbage"
    #expect(try await embedded.stream(request).status == 401)
    request = self.request("none")
    #expect(try await embedded.stream(request).status == 404)
  }

  @Test func messageWithoutJSONFormIsAnInternalError() async throws {
    embedded.onCall("fail") { (_: CallableRequest<Int?>, response: CallableResponse<Double>) in
      try await response.sendChunk(.nan)
    }
    #expect(try await text("fail").contains("INTERNAL"))
    embedded.onCall("details") { (_: CallableRequest<Int?>) -> Int in
      throw CallableError(.aborted, "No.", details: Double.nan)
    }
    #expect(
      try await text("details", streams: false) == #"{"error":{"message":"INTERNAL","status":"INTERNAL"}}"#)
  }

  @Test(arguments: DeepTests.few(1, of: [true, false]))
  func resultAndMessagesAreLimitedInSize(isResult: Bool) async throws {
    embedded.onCall("large") { (_: CallableRequest<Int?>, response: CallableResponse<Data>) in
      let large = Data(count: 25 << 20)
      if isResult { return large }
      try await response.sendChunk(large)
      return Data()
    }
    #expect(try await text("large").contains("RESOURCE_EXHAUSTED"))
    if isResult {
      let response = try await embedded.send(request("large", streams: false))
      #expect(response.status == 429)
    }
  }

  @Test func floodWaitsForTheReader() async throws {
    let sent = Lock(0)
    let isCancelled = Lock(false)
    embedded.onCall("flood") { (_: CallableRequest<Int?>, response: CallableResponse<String>) -> Int in
      let text = String(repeating: "x", count: 1 << 10)
      do {
        while true {
          try await response.sendChunk(text)
          sent.withLock { $0 += 1 }
        }
      } catch {
        isCancelled.withLock { $0 = error is CancellationError }
        throw error
      }
    }
    func read() async throws {
      let response = try await embedded.stream(request("flood"))
      var iterator = response.body.makeAsyncIterator()
      var received = 0
      while received < 1 << 20 {
        received += try await iterator.next()?.count ?? 0
        // The buffer and the message that is being sent.
        #expect(sent.withLock { $0 } << 10 <= received + ChunkChannel.capacity + 4 << 10)
      }
    }
    try await read()
    // The response has been released.
    try await until { isCancelled.withLock { $0 } }
  }

  @Test func cancellingTheReaderCancelsTheFunction() async throws {
    let isCancelled = Lock(false)
    embedded.onCall("wait") { (_: CallableRequest<Int?>, response: CallableResponse<Int>) in
      try await response.sendChunk(1)
      do { try await Task.sleep(for: .seconds(3_600)) } catch {
        isCancelled.withLock { $0 = true }
        throw error
      }
    }
    let (embedded, request) = (embedded, request("wait"))
    let received = AsyncStream.makeStream(of: Void.self)
    let reading = Task {
      for try await _ in try await embedded.stream(request).body { received.continuation.yield() }
      try Task.checkCancellation()
    }
    for await _ in received.stream { break }
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    try await until { isCancelled.withLock { $0 } }
  }

  @Test(arguments: [true, false])
  func functionThatHangsEndsWithItsTime(streams: Bool) async throws {
    let gate = Gate()
    embedded.onCall("hang", timeout: .seconds(5)) { (_: CallableRequest<Int?>, _: CallableResponse<Int>) in
      // Ignores its cancellation.
      await Task { try? await gate.pass() }.value
      return 1
    }
    var waits = time.waits.makeAsyncIterator()
    let (embedded, request) = (embedded, request("hang", streams: streams))
    let call = Task { try await embedded.send(request) }
    var wait: TimeInterval? = 0
    while let next = wait, next != 5 { wait = await waits.next() }
    time.advance(by: 5)
    let response = try await call.value
    #expect(response.status == (streams ? 200 : 504))
    let text = String(decoding: response.body, as: UTF8.self)
    #expect(text.contains("DEADLINE_EXCEEDED") && text.contains("hang"))
    gate.open()
  }

  @Test func functionsThatBlockTheirThreadsStopNothingElse() async throws {
    let semaphore = DispatchSemaphore(value: 0)
    embedded.onCall("block") { (_: CallableRequest<Int?>) in block(semaphore) }
    registerCount()
    let (embedded, request) = (embedded, request("block", streams: false))
    // More than there are threads for Swift's tasks.
    let count = ProcessInfo.processInfo.activeProcessorCount + 2
    let calls = (0..<count).map { _ in Task { try await embedded.send(request).status } }
    #expect(try await text("count", "1").contains("done"))
    for _ in 0..<count { semaphore.signal() }
    for call in calls { #expect(try await call.value == 200) }
  }

  @Test func numberOfRunningClosuresIsLimited() async throws {
    let gate = Gate()
    // Ends immediately, so that a call beyond the limit fails the test and doesn't hang it.
    embedded.onCall("more") { (_: CallableRequest<Int?>) in }
    let running = Lock(0)
    let ended = Lock(0)
    embedded.onCall("begin") { (_: CallableRequest<Int?>) in
      running.withLock { $0 += 1 }
      try await gate.pass()
    }
    let (embedded, begin) = (embedded, request("begin", streams: false))
    let calls = (0..<1_000).map { _ in
      Task { @Sendable in
        defer { ended.withLock { $0 += 1 } }
        return try await embedded.send(begin).status
      }
    }
    try await until { running.withLock { $0 } + ended.withLock { $0 } >= 1_000 }
    #expect(running.withLock { $0 } == 1_000)
    #expect(try await embedded.send(request("more", streams: false)).status == 429)
    #expect(try await text("more").contains("RESOURCE_EXHAUSTED"))
    gate.open()
    for call in calls { #expect(try await call.value == 200) }
    #expect(try await embedded.send(request("more", streams: false)).status == 200)
  }

  @Test func silentStreamSendsHeartbeats() async throws {
    let gate = Gate()
    embedded.onCall("wait", timeout: .longestWait, heartbeat: .seconds(30)) {
      (_: CallableRequest<Int?>, _: CallableResponse<Int>) in
      try await gate.pass()
      return 1
    }
    let body = try await embedded.stream(request("wait")).body
    let time = time
    // Half a minute passes again and again.
    let passing = Task { for await wait in time.waits where wait <= 30 { time.advance(by: wait) } }
    var iterator = body.makeAsyncIterator()
    for _ in 0..<3 { #expect(try await iterator.next() == Data(": ping\n\n".utf8)) }
    passing.cancel()
    gate.open()
    var rest = Data()
    while let piece = try await iterator.next() { rest += piece }
    #expect(
      String(decoding: rest, as: UTF8.self).replacing(": ping\n\n", with: "") == "data: {\"result\":1}\n\n")
  }
}

/// Blocks the thread.
private func block(_ semaphore: DispatchSemaphore) { semaphore.wait() }
