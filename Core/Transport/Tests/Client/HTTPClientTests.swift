import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@Suite(.limited) struct HTTPClientTests {
  let url = URL(string: "https://example.com/")!

  @Test(arguments: [408, 429, 502, 503, 504])
  func temporaryStatusIsRetried(_ status: Int) async throws {
    let peer = Scripted([.status(status), .status(status), .status(200)])
    let response = try await peer.client().send(TransportRequest(.get, url), repeatable: true)
    #expect(response.status == 200)
    #expect(peer.sent.count == 3)
    #expect(peer.waits == [.milliseconds(500), .seconds(1)])
  }

  @Test(arguments: [TransportError.Code.unreachable, .connectionLost])
  func temporaryFailureIsRetried(_ code: TransportError.Code) async throws {
    let peer = Scripted([.failure(code), .status(200)])
    #expect(try await peer.client().send(TransportRequest(.get, url), repeatable: true).status == 200)
    #expect(peer.sent.count == 2)
  }

  @Test(arguments: [400, 401, 403, 404, 409, 500, 501])
  func otherStatusIsFinal(_ status: Int) async throws {
    let peer = Scripted([.status(status), .status(200)])
    #expect(try await peer.client().send(TransportRequest(.get, url), repeatable: true).status == status)
  }

  @Test(arguments: [TransportError.Code.timedOut, .tls, .invalidRequest, .invalidResponse])
  func otherFailureIsFinal(_ code: TransportError.Code) async throws {
    let peer = Scripted([.failure(code), .status(200)])
    await expect(code) { try await peer.client().send(TransportRequest(.get, url), repeatable: true) }
  }

  @Test func requestThatIsNotRepeatableIsSentOnce() async throws {
    let peer = Scripted([.status(503), .status(200)])
    #expect(try await peer.client().send(TransportRequest(.post, url)).status == 503)
    #expect(peer.sent.count == 1)
  }

  @Test func lastResponseIsTheResult() async throws {
    let peer = Scripted(Array(repeating: .status(503), count: 9))
    #expect(try await peer.client().send(TransportRequest(.get, url), repeatable: true).status == 503)
    #expect(peer.sent.count == 5)
    #expect(peer.waits == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)])
  }

  @Test func lastFailureIsTheResult() async throws {
    let peer = Scripted(Array(repeating: .failure(.unreachable), count: 9))
    await expect(.unreachable) { try await peer.client().send(TransportRequest(.get, url), repeatable: true) }
    #expect(peer.sent.count == 5)
  }

  @Test(arguments: [("3", 3), ("Wed, 21 Oct 2015 07:28:07 GMT", 7), ("nonsense", 0.5), ("0", 0.5)])
  func retryAfterIsHonoured(_ value: String, _ seconds: Double) async throws {
    let peer = Scripted([.status(503, ["Retry-After": value]), .status(200)])
    _ = try await peer.client().send(TransportRequest(.get, url), repeatable: true)
    #expect(peer.waits == [.seconds(seconds)])
  }

  @Test func excessiveRetryAfterEndsTheRetries() async throws {
    let peer = Scripted([.status(429, ["Retry-After": "3600"]), .status(200)])
    #expect(try await peer.client().send(TransportRequest(.get, url), repeatable: true).status == 429)
  }

  @Test func delaysVaryAroundTheirMean() async throws {
    for (random, wait) in [(0.0, 250), (0.99, 745)] {
      let peer = Scripted([.status(503), .status(200)], random: random)
      _ = try await peer.client().send(TransportRequest(.get, url), repeatable: true)
      #expect(peer.waits == [.milliseconds(wait)])
    }
  }

  @Test func deadlineCoversAttemptsAndDelays() async throws {
    let peer = Scripted(Array(repeating: .status(503), count: 9))
    let request = TransportRequest(.get, url, deadline: .seconds(2))
    #expect(try await peer.client().send(request, repeatable: true).status == 503)
    #expect(peer.sent.map(\.deadline) == [.seconds(2), .seconds(1.5), .seconds(0.5)])
  }

  /// Unlike a deadline, it doesn't limit an attempt that has started.
  @Test func noAttemptStartsAfterTheLatestStart() async throws {
    let peer = Scripted(Array(repeating: .status(503), count: 9))
    let client = peer.client()
    let last = client.time.now() + .seconds(2)
    let response = try await client.send(TransportRequest(.get, url), repeatable: true, lastStart: last)
    #expect(response.status == 503)
    #expect(peer.waits == [.milliseconds(500), .seconds(1)])
    #expect(peer.sent.map(\.deadline) == [nil, nil, nil])
  }

  @Test func cancellationEndsTheRetries() async throws {
    let peer = Scripted([.status(503), .status(200)])
    var client = peer.client()
    client.time.sleep = { _ in throw CancellationError() }
    let impatient = client
    await #expect(throws: CancellationError.self) {
      try await impatient.send(TransportRequest(.get, url), repeatable: true)
    }
    #expect(peer.sent.count == 1)
  }

  @Test func clientFieldsAreAddedButNeverReplaceFieldsOfTheRequest() async throws {
    let peer = Scripted([.status(200)])
    var client = peer.client()
    client.headers = HTTPHeaders([
      HTTPHeader(name: "User-Agent", value: "tenon"), HTTPHeader(name: "Accept", value: "a"),
    ])
    var request = TransportRequest(.get, url)
    request.headers["accept"] = "b"
    _ = try await client.send(request)
    #expect(peer.sent[0].headers["user-agent"] == "tenon")
    #expect(peer.sent[0].headers.values(of: "Accept") == ["b"])
  }

  @Test func valuesAreSentAndReceivedAsJSON() async throws {
    struct Note: Codable, Equatable { var title: String }
    let request = try TransportRequest.json(.post, url, Note(title: "a/b"))
    let body = if case .data(let data) = request.body { data } else { Data() }
    #expect(body == Data(#"{"title":"a/b"}"#.utf8))
    #expect(request.headers["Content-Type"]?.hasPrefix("application/json") == true)
    let answer = TransportResponse(status: 200, body: Data(#"{"title":"c"}"#.utf8))
    #expect(try answer.decode(Note.self) == Note(title: "c"))
  }

  @Test func responseThatIsNotJSONIsQuotedInTheError() async throws {
    let answer = TransportResponse(status: 502, body: Data("<html>Bad gateway</html>".utf8))
    let error = #expect(throws: TransportError.self) { try answer.decode([String: String].self) }
    #expect(error?.code == .invalidResponse)
    #expect(error?.message.contains("502") == true)
    #expect(error?.message.contains("<html>Bad gateway</html>") == true)
  }
}

/// A transport that returns scripted responses in order, with a clock that advances only by waits.
private final class Scripted: TransportInterop {
  enum Answer: Sendable {
    case status(Int, [String: String] = [:])
    case failure(TransportError.Code)
  }

  private struct State {
    var answers: [Answer]
    var sent: [TransportRequest] = []
    var waits: [Duration] = []
  }

  private let state: Lock<State>
  private let random: Double
  private let start = ContinuousClock.now

  init(_ answers: [Answer], random: Double = 0.5) {
    state = Lock(State(answers: answers))
    self.random = random
  }

  var sent: [TransportRequest] { state.withLock { $0.sent } }
  var waits: [Duration] { state.withLock { $0.waits } }

  func client() -> HTTPClient {
    HTTPClient(
      transport: self,
      time: TimeSource(
        now: { [self] in waits.reduce(start) { $0 + $1 } },
        date: { Date(timeIntervalSince1970: 1_445_412_480) },  // Wed, 21 Oct 2015 07:28:00 GMT
        sleep: { [self] wait in state.withLock { $0.waits.append(wait) } },
        random: { [random] in random }
      )
    )
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let answer = state.withLock { state in
      state.sent.append(request)
      return state.answers.removeFirst()
    }
    switch answer {
    case .status(let status, let fields):
      return TransportResponse(
        status: status,
        headers: HTTPHeaders(fields.map { HTTPHeader(name: $0.key, value: $0.value) })
      )
    case .failure(let code):
      throw TransportError(code, "scripted")
    }
  }

  func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
    let response = try await send(request)
    return TransportStreamingResponse(
      status: response.status,
      headers: response.headers,
      body: AsyncThrowingStream { $0.finish() }
    )
  }
}
