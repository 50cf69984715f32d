import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonFunctions

/// Responses that end anywhere.
@Suite(.limited) struct CutTests {
  enum Framing: CaseIterable, Sendable { case sized, chunked, closed }
  private typealias Response = StreamResponse<Int, Int>

  private static let events = [
    "data: {\"message\": 1}\n\n: ping\n\n", "data: {\"message\": 2}\r\n\r\ndata: {\"result\": 3}\n\n",
  ]
  private static let document = [#"{"result""#, ": 3}"]

  /// Returns a response with a body in two parts.
  private static func response(_ framing: Framing, _ type: String, _ parts: [String]) -> Data {
    var head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n"
    var body = parts.joined()
    switch framing {
    case .sized: head += "Content-Length: \(body.utf8.count)\r\n\r\n"
    case .chunked:
      head += "Transfer-Encoding: chunked\r\n\r\n"
      body = parts.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }.joined() + "0\r\n\r\n"
    case .closed: head += "Connection: close\r\n\r\n"
    }
    return Data((head + body).utf8)
  }

  /// Calls a function whose response is cut at every position in turn, by default at every fifth one and the
  /// last ones, and checks each outcome.
  private func cut(_ response: Data, _ run: (Functions, URL, Int) async throws -> Void) async throws {
    let length = Lock(0)
    let server = try LoopbackServer { _ in [.bytes(response.prefix(length.withLock { $0 })), .hangUp] }
    defer { server.stop() }
    let context = AppContext(name: "tests", options: AppOptions(projectID: "demo"), userAgent: "")
    let functions = try FunctionsInstances(
      app: context, auth: nil, appCheck: nil, transport: SystemTransport()
    ).functions(region: "us-central1")
    let step = DeepTests.count(5, deep: 1)
    let positions = (0...response.count).filter { $0.isMultiple(of: step) || $0 >= response.count - 4 }
    for (index, position) in positions.enumerated() {
      length.withLock { $0 = position }
      try await run(functions, server.url("/f"), position)
      #expect(server.requests.count == index + 1)
    }
  }

  @Test(arguments: Framing.allCases)
  func streamThatIsCutIsAnErrorUnlessItsResultHasArrived(framing: Framing) async throws {
    let response = Self.response(framing, "text/event-stream", Self.events)
    try await cut(response) { functions, url, position in
      let callable: Callable<Int, Response> = functions.httpsCallable(url)
      var elements: [Response] = []
      var failure: FunctionsError?
      do { for try await element in try callable.stream(0) { elements.append(element) } } catch {
        failure = error as? FunctionsError
        #expect(failure != nil, "\(error)")
      }
      let expected: [Response] = [.message(1), .message(2), .result(3)]
      #expect(expected.starts(with: elements))
      #expect((failure == nil) == (elements == expected), "\(position): \(failure?.message ?? "")")
      if let failure {
        #expect([.unavailable, .dataLoss, .internal].contains(failure.code), "\(position): \(failure)")
      }
      if position == response.count { #expect(failure == nil) }
    }
  }

  @Test(arguments: Framing.allCases)
  func resultThatIsCutIsAnError(framing: Framing) async throws {
    let response = Self.response(framing, "application/json", Self.document)
    try await cut(response) { functions, url, position in
      let callable: Callable<Int, Int> = functions.httpsCallable(url)
      var result: Int?
      var failure: FunctionsError?
      do { result = try await callable(0) } catch {
        failure = error as? FunctionsError
        #expect(failure != nil, "\(error)")
      }
      // The empty line after the last chunk may be incomplete: nothing depends on it.
      if position == response.count { #expect(result == 3, "\(position)") }
      if position < response.count - 2 { #expect(result == nil, "\(position)") }
      if let failure { #expect([.unavailable, .internal].contains(failure.code), "\(position): \(failure)") }
    }
  }
}
