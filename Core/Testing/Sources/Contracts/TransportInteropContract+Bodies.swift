import TenonFoundation
import TenonTransport
public import TenonTransportInterop
import Testing

extension TransportInteropContract {
  /// Checks how an implementation transfers bodies:
  /// - A body in memory and a stream with and without a known length arrive as they are.
  /// - A stream that fails, or whose length isn't the stated one, throws `invalidRequest`, and nothing is
  ///   stored.
  /// - A call ends when its task is cancelled while the request's body is being produced.
  /// - A response can be streamed, and its reader can stop before its end.
  /// - A response can be written to a file.
  ///
  /// Violations are recorded as issues of the running test.
  ///
  /// - Parameters:
  ///   - transport: the implementation.
  ///   - upload: a request that stores its body and is answered with a 2xx. Its body is replaced.
  ///   - download: a request that is answered with the stored body.
  /// - Throws: the errors of the implementation.
  public static func checkBodies(
    _ transport: any TransportInterop, upload: TransportRequest, download: TransportRequest
  ) async throws {
    func send(_ body: HTTPBody) async throws -> TransportResponse {
      var request = upload
      request.body = body
      return try await transport.send(request)
    }
    let length = 700_000
    for (seed, kind) in ["memory", "stream", "stream with a length"].enumerated() {
      let content = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* (seed + 3)) })
      let body: HTTPBody =
        switch kind {
        case "memory": .data(content)
        case "stream": .stream(chunks(of: content), length: nil)
        default: .stream(chunks(of: content), length: Int64(length))
        }
      #expect((200..<300).contains(try await send(body).status), "a body from \(kind) is accepted")
      #expect(try await transport.send(download).body == content, "a body from \(kind) arrives as it is")
    }
    let stored = try await transport.send(download).body

    struct Failure: Error {}
    let failing = AsyncThrowingStream<Data, any Error> { continuation in
      continuation.yield(Data(count: 10))
      continuation.finish(throwing: Failure())
    }
    await expectInvalidRequest("a stream that fails ends the call") {
      _ = try await send(.stream(failing, length: 20))
    }
    for stated in [9, 11] as [Int64] {
      await expectInvalidRequest("a stream of another length ends the call") {
        _ = try await send(.stream(chunks(of: Data(count: 10)), length: stated))
      }
    }
    let endless = AsyncThrowingStream<Data, any Error>(unfolding: {
      try await Task.sleep(for: .seconds(3_600))
      return nil
    })
    let call = Task { [upload] in
      var request = upload
      request.body = .stream(endless, length: 20)
      return try await transport.send(request)
    }
    try await Task.sleep(for: .milliseconds(20))
    call.cancel()
    await expectCancellation(call, "a call ends when its task is cancelled while its body is being produced")
    #expect(try await transport.send(download).body == stored, "an incomplete body isn't stored")

    var first: Data?
    for try await chunk in try await transport.stream(download).body {
      first = chunk
      break
    }
    let start = try #require(first, "a streamed response has chunks")
    #expect(!start.isEmpty && stored.starts(with: start), "a streamed response begins with its first byte")

    let file = FileManager.default.temporaryDirectory.appending(path: "transport-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    let response = try await transport.download(download, to: file)
    #expect(
      (200..<300).contains(response.status) && response.body.isEmpty, "a file receives the body of a response"
    )
    #expect(try Data(contentsOf: file) == stored, "a response is written to a file as it is")
  }

  /// Returns a stream of content in chunks, some of which are empty.
  private static func chunks(of content: Data) -> AsyncThrowingStream<Data, any Error> {
    AsyncThrowingStream { continuation in
      var rest = content
      while !rest.isEmpty {
        continuation.yield(rest.prefix(50_001))
        continuation.yield(Data())
        rest = rest.dropFirst(50_001)
      }
      continuation.finish()
    }
  }

  /// Records an issue unless a call throws `invalidRequest`.
  private static func expectInvalidRequest(_ comment: Comment, _ call: () async throws -> Void) async {
    do {
      try await call()
      Issue.record(comment)
    } catch {
      #expect((error as? TransportError)?.code == .invalidRequest, comment)
    }
  }
}
