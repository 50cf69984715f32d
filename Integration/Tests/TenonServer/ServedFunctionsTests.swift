import Foundation
import TenonFunctions
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

/// Streaming functions over HTTP.
@Suite(.limited) struct ServedFunctionsTests {
  private typealias Counted = StreamResponse<Int, [String: Int]>

  private func request(_ server: ServedBackend, _ name: String, _ data: String) throws -> TransportRequest {
    TransportRequest(
      .post,
      try #require(URL(string: "http://\(server.address)/\(ServedBackend.project)/us-central1/\(name)")),
      headers: HTTPHeaders([
        HTTPHeader(name: "Content-Type", value: "application/json"),
        HTTPHeader(name: "Accept", value: "text/event-stream"),
      ]),
      body: .data(Data(#"{"data":\#(data)}"#.utf8)))
  }

  @Test func messagesAndResultArriveInOrder() async throws {
    try await withServedBackend { server in
      try await server.withApp { app in
        let functions = try Functions.functions(app: app)
        let count: Callable<Int, Counted> = functions.httpsCallable("count")
        var responses: [Counted] = []
        for try await response in try count.stream(1_000) { responses.append(response) }
        #expect(responses == (0..<1_000).map { .message($0) } + [.result(["count": 1_000])])
        let plain: Callable<Int, [String: Int]> = functions.httpsCallable("count")
        #expect(try await plain(3) == ["count": 3])
        let error = await #expect(throws: FunctionsError.self) {
          for try await _ in try count.stream(-1) {}
        }
        #expect(error?.code == .outOfRange)
        #expect(try error?.details(as: [String: Int].self) == ["largest": 1_000_000])
      }
    }
  }

  @Test func streamIsChunkedWithHeartbeatsWhileTheFunctionIsSilent() async throws {
    try await withServedBackend { server in
      let response = try await SystemTransport().stream(try request(server, "wait", "null"))
      #expect(response.status == 200)
      #expect(response.headers["Content-Type"]?.hasPrefix("text/event-stream") == true)
      #expect(response.headers["Transfer-Encoding"] == "chunked" || response.headers["Content-Length"] == nil)
      var text = ""
      let two = ": ping\n\n: ping\n\n"
      for try await piece in response.body {
        text += String(decoding: piece, as: UTF8.self)
        if text.hasSuffix(two) { break }
      }
      #expect(text.hasPrefix("data: {\"message\":\"waiting\"}\n\n"))
    }
  }

  @Test(arguments: [true, false])
  func functionIsCancelledWhenItsCallerDisconnects(streams: Bool) async throws {
    try await withServedBackend { server in
      try await server.withApp { app in
        let functions = try Functions.functions(app: app)
        let waiting: Callable<String?, Int> = functions.httpsCallable("waiting")
        let call = Task {
          if streams {
            for try await _ in try functions.httpsCallable("wait").stream() {}
          } else {
            try await functions.httpsCallable("wait").call()
          }
        }
        try await eventually { try await waiting(nil) != 0 }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        try await eventually { try await waiting(nil) == 0 }
      }
    }
  }
}
