import Foundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

/// Downloads into files, with every engine.
@Suite(.limited)
struct DownloadTests {
  /// A directory with a file from before.
  struct Place: ~Copyable {
    let directory = FileManager.default.temporaryDirectory.appending(path: "downloads-\(UUID())")
    var file: URL { directory.appending(path: "file") }

    init() throws {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      try Data("old".utf8).write(to: file)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// The content of the file, and the names of all files.
    var state: [String] {
      get throws {
        [String(decoding: try Data(contentsOf: file), as: UTF8.self)]
          + (try FileManager.default.contentsOfDirectory(atPath: directory.path))
      }
    }
  }

  @Test(arguments: Engine.allCases)
  func aCompleteBodyReplacesTheFile(_ engine: Engine) async throws {
    let place = try Place()
    let server = try LoopbackServer { _ in
      [.chunkedHead(), .chunk("ne"), .pause(microseconds: 1_000), .chunk("w"), .lastChunk]
    }
    defer { server.stop() }
    let response = try await engine.shared.download(TransportRequest(.get, server.url("/")), to: place.file)
    #expect(response.status == 200 && response.body.isEmpty)
    #expect(try place.state == ["new", "file"])
  }

  @Test(arguments: Engine.allCases)
  func anErrorStatusLeavesTheFileAndHasABody(_ engine: Engine) async throws {
    let place = try Place()
    let server = try LoopbackServer { _ in [.answer(404, "not here")] }
    defer { server.stop() }
    let response = try await engine.shared.download(TransportRequest(.get, server.url("/")), to: place.file)
    #expect(response.status == 404 && response.body == Data("not here".utf8))
    #expect(try place.state == ["old", "file"])
  }

  @Test(arguments: Engine.allCases)
  func anErrorOfAnyLengthIsReadOnlyInPart(_ engine: Engine) async throws {
    let place = try Place()
    let server = try LoopbackServer { _ in [.chunkedHead(500), .endlessChunks] }
    defer { server.stop() }
    let response = try await engine.shared.download(TransportRequest(.get, server.url("/")), to: place.file)
    #expect(response.status == 500 && response.body.count >= 65_536)
    #expect(try place.state == ["old", "file"])
  }

  @Test(arguments: Engine.allCases)
  func anIncompleteBodyLeavesTheFile(_ engine: Engine) async throws {
    let place = try Place()
    let server = try LoopbackServer { _ in [.truncated(promised: 100, sent: "new"), .hangUp] }
    defer { server.stop() }
    let error = await #expect(throws: TransportError.self) {
      try await engine.shared.download(TransportRequest(.get, server.url("/")), to: place.file)
    }
    #expect(error?.code == .connectionLost)
    #expect(try place.state == ["old", "file"])
  }

  @Test func aStreamThatEndsEarlyWithoutAnErrorLeavesTheFile() async throws {
    struct Short: TransportInterop {
      func send(_ request: TransportRequest) async throws -> TransportResponse { throw CancellationError() }
      func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
        let body = AsyncThrowingStream<Data, any Error> { continuation in
          continuation.yield(Data("new".utf8))
          continuation.finish()
        }
        return TransportStreamingResponse(
          status: 200, headers: HTTPHeaders([HTTPHeader(name: "Content-Length", value: "5")]), body: body)
      }
    }
    let place = try Place()
    let error = await #expect(throws: TransportError.self) {
      try await Short().download(TransportRequest(.get, URL(string: "https://example.com")!), to: place.file)
    }
    #expect(error?.code == .connectionLost && error?.message.contains("3 of 5 bytes") == true)
    #expect(try place.state == ["old", "file"])
  }

  @Test(arguments: Engine.allCases)
  func theDeadlineCoversTheBody(_ engine: Engine) async throws {
    let place = try Place()
    let gate = ThreadGate()
    let server = try LoopbackServer { _ in [.chunkedHead(), .chunk("new"), .wait(gate), .lastChunk] }
    defer {
      gate.open()
      server.stop()
    }
    let request = TransportRequest(.get, server.url("/"), deadline: .milliseconds(200))
    let error = await #expect(throws: TransportError.self) {
      try await engine.shared.download(request, to: place.file)
    }
    #expect(error?.code == .timedOut && error?.timeout == .exchange)
    // The hidden file is removed when the exchange has ended, for which the call doesn't wait.
    try await eventually({ try place.state }, satisfies: { $0 == ["old", "file"] })
  }

  /// The transport ignores the deadline.
  @Test func theDeadlineEndsADownloadOfAnyTransport() async throws {
    struct Silent: TransportInterop {
      func send(_ request: TransportRequest) async throws -> TransportResponse { throw CancellationError() }
      func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
        TransportStreamingResponse(status: 200, headers: HTTPHeaders(), body: AsyncThrowingStream { _ in })
      }
    }
    let place = try Place()
    let request = TransportRequest(.get, URL(string: "https://example.com")!, deadline: .milliseconds(50))
    let error = await #expect(throws: TransportError.self) {
      try await Silent().download(request, to: place.file)
    }
    #expect(error?.code == .timedOut && error?.timeout == .exchange)
    try await eventually({ try place.state }, satisfies: { $0 == ["old", "file"] })
  }

  @Test(arguments: Engine.allCases)
  func cancellingLeavesTheFile(_ engine: Engine) async throws {
    let place = try Place()
    let gate = ThreadGate()
    let server = try LoopbackServer { _ in [.chunkedHead(), .chunk("new"), .wait(gate), .lastChunk] }
    defer {
      gate.open()
      server.stop()
    }
    let request = TransportRequest(.get, server.url("/"))
    let call = Task { [request, file = place.file] in
      try await engine.shared.download(request, to: file)
    }
    try await eventually { !server.requests.isEmpty }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    // The hidden file is removed when the exchange has ended, for which the call doesn't wait.
    try await eventually({ try place.state }, satisfies: { $0 == ["old", "file"] })
  }

  @Test(arguments: Engine.allCases)
  func aFileThatCannotBeWrittenIsNamed(_ engine: Engine) async throws {
    let place = try Place()
    let server = try LoopbackServer { _ in [.answer(200, "new")] }
    defer { server.stop() }
    let file = place.directory.appending(path: "missing/file")
    let error = await #expect(throws: TransportError.self) {
      try await engine.shared.download(TransportRequest(.get, server.url("/")), to: file)
    }
    #expect(error?.code == .fileError)
    #expect(error?.message == "The file \(file.path) can't be written: No such file or directory.")
  }
}
