import Foundation
import TenonCore
import TenonTesting
import TenonTransportInterop
import Testing

@testable import TenonTransport

struct DurationLimitsTests {
  @Test(
    arguments: [
      (0, .zero), (-1, .zero), (1.5, .milliseconds(1_500)), (.nan, .zero), (.infinity, .longestWait),
      (-.infinity, .zero), (1e300, .longestWait), (9.3e18, .longestWait),
    ] as [(Double, Duration)])
  func secondsOfAnySizeBecomeATime(seconds: Double, time: Duration) {
    #expect(Duration.wait(seconds: seconds) == time)
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(1e19), .seconds(-1e19), .seconds(Int64.min)])
  func anyTimeCanBeLimited(time: Duration) {
    #expect((.zero ... .longestWait).contains(time.limited))
  }

  @Test func aWaitOfAnyLengthCanBeCancelled() async {
    let wait = Task { try await RetryPace.system.sleep(.seconds(Int64.max)) }
    wait.cancel()
    await #expect(throws: CancellationError.self) { try await wait.value }
  }

  @Test func aDeadlineMayBeOfAnyLength() async throws {
    let client = HTTPClient(transport: FakeTransport { _ in HTTPResponse(status: 200) })
    let url = try #require(URL(string: "https://example.com"))
    let request = HTTPRequest(.get, url, deadline: .seconds(Int64.max))
    #expect(try await client.send(request, repeatable: true).status == 200)
    #expect(try await client.send(request).status == 200)
  }

  @Test(
    arguments: [
      ("0", .zero), ("120", .seconds(120)), ("9223372036854775807", .longestWait),
      ("99999999999999999999", .longestWait), ("-1", nil), ("+1", nil), ("1.5", nil), ("1e3", nil), ("", nil),
      ("soon", nil), ("Thu, 01 Jan 1970 00:00:30 GMT", .seconds(30)),
      ("Thu, 01 Jan 1970 00:00:00 GMT", .zero), ("Fri, 31 Dec 9999 23:59:59 GMT", .longestWait),
      ("Fri, 99 Dec 1970 00:00:00 GMT", nil), ("Fri, 31 Dec 99999999999999999999 23:59:59 GMT", nil),
    ] as [(String, Duration?)])
  func anyRetryAfterIsRead(field: String, wait: Duration?) {
    let response = HTTPResponse(
      status: 503, headers: HTTPHeaders([HTTPField(name: "Retry-After", value: field)]))
    #expect(response.retryAfter(now: Date(timeIntervalSince1970: 0)) == wait)
  }
}
