import Foundation
import TenonCore
import TenonFoundation
import TenonObservabilityInterop
import TenonTelemetry
import TenonTestSupport
import TenonTesting
import TenonTransportInterop
import Testing

@testable import TenonTransport

/// What `TENON_LOG=debug` shows of requests.
@Suite(.limited) struct ExchangeLogTests {
  private func client(_ answer: @escaping @Sendable () throws -> Int) -> (HTTPClient, RecordedLog) {
    let log = RecordedLog()
    let client = HTTPClient(
      transport: FakeTransport { _ in TransportResponse(status: try answer()) },
      time: TestTime(advancesItself: true).source, telemetry: Telemetry(source: "tests", logger: log.logger))
    return (client, log)
  }

  private var request: TransportRequest {
    get throws {
      TransportRequest(
        .post, try #require(URL(string: "https://api.example/secret-path/documents?key=secret-key")),
        headers: HTTPHeaders([HTTPHeader(name: "Authorization", value: "Bearer secret-token")]),
        body: .data(Data("secret-body".utf8)))
    }
  }

  @Test func eachExchangeIsALineWithMethodHostStatusAndTime() async throws {
    let (client, log) = client { 204 }
    _ = try await client.send(try request)
    _ = try await client.stream(try request)
    #expect(log.lines.count == 2)
    for line in log.lines {
      #expect(line.contains(/POST api\.example: status 204 after \d+ ms$/), "\(line)")
    }
  }

  @Test func p6LinesContainNoSecrets() async throws {
    let (client, log) = client { throw TransportError(.connectionLost, "secret-reason") }
    await #expect(throws: TransportError.self) { try await client.send(try request, repeatable: true) }
    #expect(log.lines.count == client.retries.attempts)
    for line in log.lines {
      #expect(line.contains("POST api.example: connection-lost after ") && !line.contains("secret"))
    }
  }

  @Test func anErrorOfAnotherTypeIsAFailure() async throws {
    let (client, log) = client { throw CancellationError() }
    await #expect(throws: CancellationError.self) { try await client.send(try request) }
    #expect(log.lines.first?.contains("cancelled after") == true)
  }

  /// What a provider receives of three attempts, of which the last one succeeds.
  @Test func aProviderReceivesASpanAndADurationOfEachAttemptAndTheRetries() async throws {
    let observability = FakeObservability()
    let left = Lock<[Int]>([503, 0])
    let client = HTTPClient(
      transport: FakeTransport { _ in
        let status = left.withLock { $0.isEmpty ? 204 : $0.removeFirst() }
        if status == 0 { throw TransportError(.connectionLost, "secret-reason") }
        return TransportResponse(status: status)
      },
      time: TestTime(advancesItself: true).source,
      telemetry: Telemetry(source: "tests", observability: observability))
    _ = try await client.send(try request, repeatable: true)

    let common: [String: ObservabilityValue] = [
      "http.request.method": "POST", "server.address": "api.example",
    ]
    func with(_ more: [String: ObservabilityValue]) -> [String: ObservabilityValue] {
      common.merging(more) { $1 }
    }
    let refused = with(["http.response.status_code": 503, "error.type": "503"])
    let lost = with(["error.type": "connection-lost"])
    let answered = with(["http.response.status_code": 204])
    #expect(observability.durations.map(\.name) == .init(repeating: "http.client.request.duration", count: 3))
    #expect(observability.durations.map(\.attributes) == [refused, lost, answered])
    #expect(observability.increments.map(\.name) == .init(repeating: "tenon.http.client.retries", count: 2))
    #expect(observability.increments.map(\.attributes) == [refused, lost])
    let spans = observability.spans
    #expect(spans.map(\.name) == ["POST", "POST", "POST"])
    #expect(spans.allSatisfy { $0.kind == .client && $0.isEnded && $0.parent == nil })
    #expect(spans.map(\.errorType) == ["503", "connection-lost", nil])
    #expect(spans.map { $0.attributes["http.request.resend_count"] } == [nil, 1, 2])
    #expect(observability.entries.map(\.source) == ["tenon-http", "tenon-http", "tenon-http"])
    #expect(!"\(spans)\(observability.durations)\(observability.entries)".contains("secret"))
  }
}
