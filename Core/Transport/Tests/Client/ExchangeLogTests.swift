import Foundation
import TenonCore
import TenonTestSupport
import TenonTesting
import TenonTransportInterop
import Testing

@testable import TenonTransport

/// What `TENON_LOG=debug` shows of requests.
@Suite(.limited) struct ExchangeLogTests {
  private func client(_ answer: @escaping @Sendable () throws -> Int) -> (HTTPClient, RecordedLog) {
    let log = RecordedLog()
    var client = HTTPClient(
      transport: FakeTransport { _ in TransportResponse(status: try answer()) },
      time: TestTime(advancesItself: true).source)
    client.log = ExchangeLog(logger: log.logger)
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
}
