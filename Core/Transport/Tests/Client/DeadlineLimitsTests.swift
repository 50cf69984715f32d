import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransportInterop
import Testing

@testable import TenonTransport

@Suite(.limited) struct DeadlineLimitsTests {
  @Test func deadlineOfAnyLengthIsAccepted() async throws {
    let client = HTTPClient(transport: FakeTransport { _ in TransportResponse(status: 200) })
    let url = try #require(URL(string: "https://example.com"))
    let request = TransportRequest(.get, url, deadline: .seconds(Int64.max))
    #expect(try await client.send(request, repeatable: true).status == 200)
    #expect(try await client.send(request).status == 200)
  }

  @Test(
    arguments: [
      ("0", .zero), ("120", .seconds(120)), ("9223372036854775807", .longestWait),
      ("99999999999999999999", .longestWait), ("-1", nil), ("+1", nil), ("1.5", nil), ("1e3", nil), ("", nil),
      ("-5", nil), ("NaN", nil),
      ("0x10", nil), (" 5", nil), ("1e-400", nil), (String(repeating: "9", count: 400), .longestWait),
      ("soon", nil), ("Thu, 01 Jan 1970 00:00:30 GMT", .seconds(30)),
      ("Thu, 01 Jan 1970 00:00:00 GMT", .zero), ("Fri, 31 Dec 9999 23:59:59 GMT", .longestWait),
      ("Fri, 99 Dec 1970 00:00:00 GMT", nil), ("Fri, 31 Dec 99999999999999999999 23:59:59 GMT", nil),
    ] as [(String, Duration?)])
  func retryAfterOfAnyFormIsParsed(field: String, wait: Duration?) {
    let response = TransportResponse(
      status: 503, headers: HTTPHeaders([HTTPHeader(name: "Retry-After", value: field)]))
    #expect(response.retryAfter(now: Date(timeIntervalSince1970: 0)) == wait)
  }
}
