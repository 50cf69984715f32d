import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonFunctions

/// Streams of a server on this machine, through the system's transport.
@Suite(.limited) struct StreamTests {
  typealias Response = StreamResponse<Int, String>
  private typealias Step = LoopbackServer.Step

  /// The head of a stream of events.
  private static func head(_ status: Int = 200, type: String? = "text/event-stream") -> Step {
    let type = type.map { "Content-Type: \($0)\r\n" } ?? ""
    return .bytes(Data("HTTP/1.1 \(status) Status\r\n\(type)Transfer-Encoding: chunked\r\n\r\n".utf8))
  }

  private static let messages = Step.chunk("data: {\"message\": 1}\n\n: ping\n\ndata: {\"message\": 2}\n\n")
  private static let result = Step.chunk("data: {\"result\": \"done\"}\n\n")

  /// Returns the functions of an app without other products.
  private static func functions(
    _ transport: any TransportInterop = SystemTransport(), time: TimeSource = .system
  ) throws -> Functions {
    let context = AppContext(name: "tests", options: AppOptions(projectID: "demo"), userAgent: "")
    return try FunctionsInstances(
      app: context, auth: nil, appCheck: nil, transport: transport, time: time
    ).functions(region: "us-central1")
  }

  /// Returns the URL of the function of a server.
  private static func url(_ server: RawServer) throws -> URL {
    try #require(URL(string: "http://127.0.0.1:\(server.port)/tell"))
  }

  private func withFunction<Result>(
    _ steps: [LoopbackServer.Step], time: TimeSource = .system,
    _ body: (Functions, LoopbackServer, URL) async throws -> Result
  ) async throws -> Result {
    let server = try LoopbackServer { _ in steps }
    defer { server.stop() }
    return try await body(try Self.functions(time: time), server, server.url("/tell"))
  }

  /// Reads a stream to its end.
  private func all<Element>(_ stream: CallableStream<Element>) async -> (
    elements: [Element], error: (any Error)?
  ) {
    var elements: [Element] = []
    do { for try await element in stream { elements.append(element) } } catch { return (elements, error) }
    return (elements, nil)
  }

  private func outcome(_ steps: [LoopbackServer.Step]) async throws -> (
    elements: [Response], error: FunctionsError?, requests: Int
  ) {
    try await withFunction(steps) { functions, server, url in
      let tell: Callable<String, Response> = functions.httpsCallable(url)
      let (elements, error) = await all(try tell.stream("story"))
      if let error, !(error is FunctionsError) { Issue.record(error) }
      await server.drained()
      return (elements, error as? FunctionsError, server.requests.count)
    }
  }

  @Test func messagesComeBeforeTheResult() async throws {
    try await withFunction([Self.head(), Self.messages, Self.result, .lastChunk]) { functions, server, url in
      let tell: Callable<String, Response> = functions.httpsCallable(url)
      let (elements, error) = await all(try tell.stream("story"))
      #expect(error == nil && elements == [.message(1), .message(2), .result("done")])
      let request = try #require(server.requests.first)
      #expect(request.method == "POST" && request.field("Accept") == "text/event-stream")
      #expect(request.body == Data(#"{"data":"story"}"#.utf8))
      #expect(request.field("Content-Type")?.hasPrefix("application/json") == true)
    }
  }

  @Test func plainResponseTypeReceivesOnlyTheMessages() async throws {
    try await withFunction([Self.head(), Self.messages, Self.result, .lastChunk]) { functions, _, url in
      let tell: Callable<String, Int> = functions.httpsCallable(url)
      let (elements, error) = await all(try tell.stream("story"))
      #expect(error == nil && elements == [1, 2])
    }
  }

  @Test func untypedStreamHasValuesOfEveryKind() async throws {
    let wrapped = #"{"@type":"type.googleapis.com/google.protobuf.Int64Value","value":"9007199254740993"}"#
    let events = "data: {\"message\": {\"a\": [1, \(wrapped)]}}\n\ndata: {\"result\": null}\n\n"
    try await withFunction([Self.head(), .chunk(events), .lastChunk]) { functions, _, url in
      let (elements, error) = await all(try functions.httpsCallable(url).stream(["n": 1]))
      #expect(error == nil && elements.count == 2)
      guard case .message(let message) = elements.first, case .result(let result) = elements.last else {
        Issue.record("\(elements)")
        return
      }
      #expect((message.data as? [String: [Int]])?["a"] == [1, 9_007_199_254_740_993])
      #expect(try message.data(as: [String: [Int64]].self) == ["a": [1, 9_007_199_254_740_993]])
      #expect(result.data is NSNull)
    }
  }

  @Test func nothingIsSentBeforeTheIteration() async throws {
    try await withFunction([Self.head(), Self.result, .lastChunk]) { functions, server, url in
      let tell: Callable<String, Response> = functions.httpsCallable(url)
      let stream = try tell.stream("story")
      _ = stream.makeAsyncIterator()
      #expect(server.requests.isEmpty)
      for _ in 0..<2 { #expect(await all(stream).elements == [.result("done")]) }
      #expect(server.requests.count == 2)
    }
  }

  /// The second one must not continue behind the error, nor return what has arrived with it.
  @Test(arguments: [
    "data: {\"message\": \"x\"}\n\ndata: {\"message\": 2}\n\n",
    "data: {\"message\": \"x\", \"result\": \"done\"}\n\n",
  ])
  func streamEndsWithItsFirstError(events: String) async throws {
    try await withFunction([Self.head(), .chunk(events), Self.result, .lastChunk]) { functions, server, url in
      let tell: Callable<String, Response> = functions.httpsCallable(url)
      var elements = try tell.stream("story").makeAsyncIterator()
      do {
        let element = try await elements.next()
        Issue.record("\(String(describing: element)) instead of an error")
      } catch { #expect((error as? FunctionsError)?.code == .internal) }
      #expect(try await elements.next() == nil)
      #expect(try await elements.next() == nil)
      #expect(server.requests.count == 1)
    }
  }

  @Test func messageMayComeWithTheResult() async throws {
    let event = Step.chunk("data: {\"message\": 1, \"result\": \"done\", \"error\": null}\n\n")
    let (elements, error, _) = try await outcome([Self.head(), event, .lastChunk])
    #expect(error == nil && elements == [.message(1), .result("done")])
  }

  @Test func errorTakesPrecedenceOverWhatComesWithIt() async throws {
    let event = Step.chunk(
      "data: {\"message\": 1, \"result\": \"done\", \"error\": {\"status\": \"ABORTED\"}}\n\n")
    let (elements, error, _) = try await outcome([Self.head(), event, .lastChunk])
    #expect(elements.isEmpty && error?.code == .aborted)
  }

  @Test func oneReaderAtATimeReceivesTheElements() async throws {
    let gate = ThreadGate()
    defer { gate.open() }
    try await withFunction([Self.head(), .wait(gate), Self.messages, Self.result, .lastChunk]) {
      functions, server, url in
      defer { gate.open() }
      let tell: Callable<String, Response> = functions.httpsCallable(url)
      let first = try tell.stream("story").makeAsyncIterator()
      let reading = Task {
        var elements = first
        return try await elements.next()
      }
      try await eventually { !server.requests.isEmpty }
      var second = first
      do {
        let element = try await second.next()
        Issue.record("\(String(describing: element)) instead of an error")
      } catch { #expect(error is CancellationError) }
      gate.open()
      #expect(try await reading.value == .message(1))
      #expect(try await second.next() == .message(2))
    }
  }

  @Test func invalidDataIsAnErrorBeforeTheStream() async throws {
    try await withFunction([]) { functions, _, url in
      let tell: Callable<[Double], Response> = functions.httpsCallable(url)
      let error = #expect(throws: FunctionsError.self) { try tell.stream([1, .nan]) }
      #expect(error?.code == .invalidArgument && error?.message.contains("[1]: ") == true)
      let untyped = #expect(throws: FunctionsError.self) { try functions.httpsCallable("a b").stream() }
      #expect(untyped?.code == .invalidArgument)
    }
  }

  @Test func streamEndsAfterItsResultEvenIfTheConnectionRemainsOpen() async throws {
    let gate = ThreadGate()
    defer { gate.open() }
    let (elements, error, _) = try await withFunction([Self.head(), Self.result, .wait(gate)]) {
      functions, server, url in
      defer { gate.open() }
      let tell: Callable<String, Response> = functions.httpsCallable(url)
      let (elements, error) = await all(try tell.stream("story"))
      return (elements, error, server.requests.count)
    }
    #expect(error == nil && elements == [.result("done")])
  }

  @Test(
    arguments: [
      ([Self.messages, .lastChunk], "data-loss", "ended without a result"),
      ([.lastChunk], "data-loss", "ended without a result"),
      ([Self.messages, .chunk("data: {\"result\": \"do"), .lastChunk], "data-loss", "without a result"),
      ([Self.messages, .hangUp], "unavailable", "connection"),
      ([Self.messages, .bytes(Data("zz\r\n".utf8)), .hangUp], "internal", "malformed"),
      ([Self.messages, .chunk("data: {\"result\":}\n\n"), .lastChunk], "internal", "isn't valid JSON"),
      ([Self.messages, .chunk("data: [1]\n\n"), .lastChunk], "internal", "neither message nor result"),
      (
        [Self.messages, .chunk("data: {\"other\": 1}\n\n"), .lastChunk], "internal",
        "neither message nor result"
      ),
      ([Self.messages, .chunk("data: {\"message\": \"x\"}\n\n"), .lastChunk], "internal", "message: "),
      (
        [
          Self.messages, .chunk("data: {\"error\": {\"status\": \"ABORTED\", \"message\": \"No.\"}}\n\n"),
          .lastChunk,
        ],
        "aborted", "No."
      ),
    ] as [([LoopbackServer.Step], String, String)])
  func streamThatIsNotCompleteIsATypedError(steps: [LoopbackServer.Step], code: String, text: String)
    async throws
  {
    let (elements, error, requests) = try await outcome([Self.head()] + steps)
    #expect(elements.isEmpty || elements == [.message(1), .message(2)])
    #expect(error?.code.rawValue == code, "\(error?.message ?? "")")
    #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("/tell") == true || code == "aborted")
    #expect(requests == 1)
  }

  @Test func errorEventKeepsItsDetails() async throws {
    let event =
      "data: {\"error\": {\"status\": \"RESOURCE_EXHAUSTED\", \"message\": \"Later.\", \"details\": {\"wait\": 5}}}\n\n"
    let (elements, error, _) = try await outcome([Self.head(), Self.messages, .chunk(event), .lastChunk])
    #expect(elements == [.message(1), .message(2)] && error?.code == .resourceExhausted)
    #expect(try error?.details(as: [String: Int].self) == ["wait": 5])
  }

  @Test(
    arguments: [
      (200, "application/json", #"{"result": "done"}"#, nil), (200, nil, #" {"result": "done"}"#, nil),
      (200, nil, "data: {\"result\": \"done\"}\n\n", nil),
      (200, "Text/Event-Stream ; charset=utf-8", "data: {\"result\": \"done\"}\n\n", nil),
      (200, "text/html", "<html>Sign in</html>", "internal"), (204, "text/html", "", "internal"),
      (200, "application/json", #"{"error": {"status": "NOT_FOUND", "message": "m"}}"#, "not-found"),
      (
        401, "application/json", #"{"error": {"status": "UNAUTHENTICATED", "message": "m"}}"#,
        "unauthenticated"
      ),
      (404, "text/html", "<html>Page not found</html>", "not-found"), (503, "text/html", "", "unavailable"),
      (429, nil, "slow down", "resource-exhausted"),
      (
        400, "text/event-stream", "data: {\"error\": {\"status\": \"ABORTED\", \"message\": \"m\"}}\n\n",
        "aborted"
      ),
      (500, "text/event-stream", "", "internal"),
    ] as [(Int, String?, String, String?)])
  func responseWithoutAStreamIsItsResultOrItsError(
    status: Int, type: String?, body: String, code: String?
  ) async throws {
    let fields = type.map { ["Content-Type": $0, "Retry-After": "1"] } ?? ["Retry-After": "1"]
    let (elements, error, requests) = try await outcome([.answer(status, fields, body)])
    #expect(error?.code.rawValue == code, "\(error?.message ?? "")")
    #expect(elements == (code == nil ? [.result("done")] : []))
    #expect(requests == 1)
  }

  @Test func pageOfAnyLengthIsReadOnlyInPart() async throws {
    let (_, error, _) = try await outcome([Self.head(500, type: "text/html"), .endlessChunks])
    #expect(error?.code == .internal && error?.message.contains("500") == true)
  }

  @Test(
    arguments: DeepTests.few(
      1, of: [("application/json", "{\"result\": \""), ("text/event-stream", "data: \"")]))
  func eventAndResultAreLimitedInSize(type: String, beginning: String) async throws {
    let piece = String(repeating: "x", count: 1 << 20)
    let steps = [.chunk(beginning)] + Array(repeating: Step.chunk(piece), count: 34) + [.lastChunk]
    let (_, error, _) = try await outcome([Self.head(type: type)] + steps)
    #expect(error?.code == .internal)
    #expect((error?.underlying as? TransportError)?.limit == .bodyBytes)
  }

  // MARK: - Times

  @Test(arguments: [false, true])
  func silentStreamIsAnErrorThatNamesTheLimit(isIdle: Bool) async throws {
    let gate = ThreadGate()
    defer { gate.open() }
    try await withFunction([Self.head(), Self.messages, .wait(gate)]) { functions, _, url in
      defer { gate.open() }
      var tell: Callable<String, Response> = functions.httpsCallable(url)
      if isIdle {
        functions.timeouts.inactivity = .milliseconds(80)
      } else {
        tell.timeoutInterval = .milliseconds(80)
      }
      let (_, thrown) = await all(try tell.stream("story"))
      let error = try #require(thrown as? FunctionsError)
      #expect(error.code == .deadlineExceeded)
      #expect(
        error.message.hasSuffix(
          isIdle ? "The limit is Functions.timeouts.inactivity." : "The limit is timeoutInterval."),
        "\(error.message)")
    }
  }

  /// A transport that ignores deadlines, and whose body never goes on.
  private struct SilentTransport: TransportInterop {
    func send(_ request: TransportRequest) async throws -> TransportResponse { throw CancellationError() }
    func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
      TransportStreamingResponse(
        status: 200, headers: HTTPHeaders([HTTPHeader(name: "Content-Type", value: "text/event-stream")]),
        body: AsyncThrowingStream { _ in })
    }
  }

  @Test(arguments: [5.0, 20, 90])
  func limitsApplyToEveryTransport(timeout: Double) async throws {
    let time = TestTime()
    let functions = try Self.functions(SilentTransport(), time: time.source)
    functions.timeouts.inactivity = .seconds(10)
    var waits = time.waits.makeAsyncIterator()
    var tell: Callable<String, Response> = functions.httpsCallable("f")
    tell.timeoutInterval = .seconds(timeout)
    let stream = try tell.stream("story")
    let reading = Task { await all(stream).error as? FunctionsError }
    #expect(await waits.next() == min(timeout, 10))
    time.advance(by: min(timeout, 10))
    let error = await reading.value
    #expect(error?.code == .deadlineExceeded)
    #expect((error?.underlying as? TransportError)?.timeout == (timeout < 10 ? .exchange : .inactivity))
  }

  /// Returns a transport that answers with a stream of events.
  private static func answering(_ events: String) -> FakeTransport {
    FakeTransport { _ in
      TransportResponse(
        status: 200, headers: HTTPHeaders([HTTPHeader(name: "Content-Type", value: "text/event-stream")]),
        body: Data(events.utf8))
    }
  }

  @Test func timeOfAStreamBeginsWithItsIteration() async throws {
    let time = TestTime()
    let transport = Self.answering("data: {\"result\": \"done\"}\n\n")
    let tell: Callable<String, Response> = try Self.functions(transport, time: time.source)
      .httpsCallable("f")
    let stream = try tell.stream("story")
    for _ in 0..<2 {
      time.advance(by: 1_000)
      let (elements, error) = await all(stream)
      #expect(error == nil && elements == [.result("done")])
    }
    #expect(transport.requests.map(\.deadline) == [.seconds(70), .seconds(70)])
  }

  /// P4: the limit of a stream covers the decoding of its elements.
  @Test(arguments: ["message", "result"])
  func p4ElementThatIsDecodedTooLateIsATimeout(slow: String) async throws {
    struct Slow: Decodable, Sendable {
      init(from decoder: any Decoder) throws {
        let id = try decoder.singleValueContainer().decode(String.self)
        if let slow = Time.slow, slow.id == id { slow.time.advance(by: 70) }
      }
    }
    enum Time {
      @TaskLocal static var slow: (id: String, time: TestTime)?
    }
    let time = TestTime()
    let transport = Self.answering("data: {\"message\": \"message\"}\n\ndata: {\"result\": \"result\"}\n\n")
    let tell: Callable<String, StreamResponse<Slow, Slow>> = try Self.functions(transport, time: time.source)
      .httpsCallable("f")
    let stream = try tell.stream("story")
    let (elements, thrown) = await Time.$slow.withValue((slow, time)) { await all(stream) }
    let error = thrown as? FunctionsError
    #expect(elements.count == (slow == "message" ? 0 : 1))
    #expect(error?.code == .deadlineExceeded && error?.message.contains("timeoutInterval") == true)
  }

  // MARK: - Leaving

  @Test(arguments: ["break", "cancel", "cancel before the head"])
  func leavingTheStreamClosesTheConnection(how: String) async throws {
    let isClosed = AsyncStream.makeStream(of: Void.self)
    let isAsked = AsyncStream.makeStream(of: Void.self)
    let server = try RawServer { connection in
      var rest = Data()
      guard connection.readRequest(&rest) != nil else { return }
      isAsked.continuation.yield()
      if how != "cancel before the head" {
        let event = "data: {\"message\": 1}\n\n"
        connection.write(
          "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "\(String(event.utf8.count, radix: 16))\r\n\(event)\r\n")
      }
      connection.drain()
      isClosed.continuation.yield()
    }
    defer { server.stop() }
    let functions = try Self.functions()
    let tell: Callable<String, Int> = functions.httpsCallable(try Self.url(server))
    let stream = try tell.stream("story")
    let isReceived = AsyncStream.makeStream(of: Void.self)
    let reading = Task {
      for try await _ in stream {
        isReceived.continuation.yield()
        if how == "break" { break }
      }
    }
    if how == "cancel before the head" {
      for await _ in isAsked.stream { break }
    } else {
      for await _ in isReceived.stream { break }
    }
    if how == "break" {
      try await reading.value
    } else {
      reading.cancel()
      await #expect(throws: CancellationError.self) { try await reading.value }
    }
    for await _ in isClosed.stream { break }
  }

  @Test func aStreamWhoseReadingWasCancelledHasEnded() async throws {
    let gate = ThreadGate()
    defer { gate.open() }
    try await withFunction([Self.head(), Self.messages, .wait(gate)]) { functions, _, url in
      let tell: Callable<String, Int> = functions.httpsCallable(url)
      let stream = try tell.stream("story")
      let isWaiting = AsyncStream.makeStream(of: Void.self)
      let reading = Task {
        var elements = stream.makeAsyncIterator()
        #expect(try await elements.next() == 1)
        #expect(try await elements.next() == 2)
        isWaiting.continuation.yield()
        do {
          _ = try await elements.next()
          Issue.record("The reading wasn't cancelled.")
        } catch is CancellationError {}
        return try await elements.next()
      }
      for await _ in isWaiting.stream { break }
      reading.cancel()
      #expect(try await reading.value == nil)
    }
  }

  @Test func cancellingACallClosesTheConnection() async throws {
    let isAsked = AsyncStream.makeStream(of: Void.self)
    let isClosed = AsyncStream.makeStream(of: Void.self)
    let server = try RawServer { connection in
      var rest = Data()
      guard connection.readRequest(&rest) != nil else { return }
      isAsked.continuation.yield()
      connection.drain()
      isClosed.continuation.yield()
    }
    defer { server.stop() }
    let functions = try Self.functions()
    let url = try Self.url(server)
    let call = Task { try await functions.httpsCallable(url).call() }
    for await _ in isAsked.stream { break }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    for await _ in isClosed.stream { break }
  }

  @Test func slowReaderSlowsDownTheFunction() async throws {
    // More than the buffers of both sides and of the system.
    let event = "data: {\"message\": \"\(String(repeating: "x", count: 1 << 20))\"}\n\n"
    let written = Lock(0)
    let server = try RawServer { connection in
      var rest = Data()
      guard connection.readRequest(&rest) != nil else { return }
      connection.write(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
      let chunk = "\(String(event.utf8.count, radix: 16))\r\n\(event)\r\n"
      while connection.write(chunk) { written.withLock { $0 += 1 } }
    }
    defer { server.stop() }
    let functions = try Self.functions()
    let url = try Self.url(server)
    let tell: Callable<String, String> = functions.httpsCallable(url)
    var read = 0
    for try await message in try tell.stream("story") {
      #expect(message.utf8.count == 1 << 20)
      read += 1
      // The sender has stopped when it doesn't write any more. One that nothing stops goes on.
      var last = -1
      try await eventually {
        let now = written.withLock { $0 }
        defer { last = now }
        guard now != last, now < 40 else { return true }
        try await Task.sleep(for: .milliseconds(20))
        return false
      }
      if read == 3 { break }
    }
    #expect(written.withLock { $0 } < 40)
  }
}
