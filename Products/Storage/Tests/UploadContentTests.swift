import Foundation
import TenonFoundation
import TenonJSON
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonStorage

/// What is sent for content of different kinds and sizes.
@Suite(.limited) struct UploadContentTests {
  private static let chunk = 1 << 18

  private struct Failure: Error {}

  private static func stream(_ pieces: [Data], failing: Bool = false) -> AsyncThrowingStream<Data, any Error>
  {
    let rest = Lock(pieces)
    return AsyncThrowingStream {
      let next = rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      if next == nil, failing { throw Failure() }
      return next
    }
  }

  private static func pieces(_ content: Data, of size: Int) -> [Data] {
    stride(from: 0, to: content.count, by: size).map { content[$0..<min($0 + size, content.count)] }
  }

  @Test(
    arguments: [
      (0, ["multipart"]), (1, ["multipart"]), (chunk, ["multipart"]),
      (chunk + 1, ["start", "upload", "upload, finalize"]),
      (2 * chunk, ["start", "upload", "upload, finalize"]),
      (2 * chunk + 1, ["start", "upload", "upload", "upload, finalize"]),
    ])
  func contentOfAnySizeArrives(size: Int, commands: [String]) async throws {
    let content = UploadServer.content(size)
    for kind in ["data", "file", "stream", "stream of unknown size"] {
      let server = try UploadServer()
      defer { server.stop() }
      let object = try server.object()
      let pieces = Self.pieces(content, of: 100_000)
      switch kind {
      case "data": try await object.putDataAsync(content)
      case "file": try await UploadServer.withFile(content) { try await object.putFileAsync(from: $0) }
      case "stream": try await object.putStreamAsync(Self.stream(pieces), size: Int64(size))
      default: try await object.putStreamAsync(Self.stream(pieces))
      }
      #expect(server.state.content == content && server.state.isFinal, "\(kind)")
      // That nothing follows the second chunk is known too late.
      let isLate = kind == "stream of unknown size" && size == 2 * Self.chunk
      #expect(server.commands == (isLate ? ["start", "upload", "upload", "finalize"] : commands), "\(kind)")
    }
  }

  @Test(arguments: [
    (UploadServer.Trouble.requestLost, true), (.responseLost, true), (.answer(503, [:]), false),
  ])
  func streamIsRepeatedFromWhatTheServerHas(trouble: UploadServer.Trouble, isSized: Bool) async throws {
    let content = UploadServer.content(3 * Self.chunk)
    for stage in 1..<4 {
      let server = try UploadServer { index, _ in index == stage ? trouble : .none }
      defer { server.stop() }
      let stream = Self.stream(Self.pieces(content, of: 70_001))
      try await server.object().putStreamAsync(stream, size: isSized ? Int64(content.count) : nil)
      #expect(server.state.content == content)
    }
  }

  @Test(arguments: [10, 600_000, 2 * chunk], [-1, 1])
  func streamOfAnotherSizeIsAnErrorAndStoresNothing(size: Int, difference: Int) async throws {
    let server = try UploadServer()
    defer { server.stop() }
    let object = try server.object()
    let stream = Self.stream(Self.pieces(UploadServer.content(size + difference), of: 100_000))
    let error = await #expect(throws: StorageError.self) {
      try await object.putStreamAsync(stream, size: Int64(size))
    }
    #expect(error?.code == .invalidArgument && !server.state.isFinal)
    let negative = await #expect(throws: StorageError.self) {
      try await object.putStreamAsync(Self.stream([]), size: -1)
    }
    #expect(negative?.code == .invalidArgument)
  }

  @Test(arguments: [10, 600_000])
  func errorOfAStreamIsThrownAndNothingIsStored(size: Int) async throws {
    let server = try UploadServer()
    defer { server.stop() }
    let object = try server.object()
    let stream = Self.stream(Self.pieces(UploadServer.content(size), of: 100_000), failing: true)
    await #expect(throws: Failure.self) { try await object.putStreamAsync(stream) }
    #expect(!server.state.isFinal)
  }

  @Test func cancellationEndsTheWaitForAStream() async throws {
    let server = try UploadServer()
    defer { server.stop() }
    let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
    let upload = try server.object().putStream(stream)
    continuation.yield(Data("x".utf8))
    upload.cancel()
    let error = await #expect(throws: StorageError.self) { try await upload.value }
    #expect(error?.code == .cancelled && server.commands.isEmpty)
  }

  @Test(arguments: [10_000, 262_144, 1 << 20])
  func chunksAreMultiplesOfTheServersGranularity(granularity: Int) async throws {
    let server = try UploadServer(granularity: granularity)
    defer { server.stop() }
    let content = UploadServer.content(3_000_000)
    let object = try server.object()
    object.storage.uploadChunkSizeBytes = 500_000
    try await object.putDataAsync(content)
    #expect(server.state.content == content)
    let size = max(500_000 / granularity, 1) * granularity
    #expect(server.state.entries.filter { $0.command == "upload" }.allSatisfy { $0.count == size })
  }

  @Test func serverThatDemandsHugeChunksIsAnError() async throws {
    let server = try UploadServer(granularity: 1 << 30)
    defer { server.stop() }
    let object = try server.object()
    let error = await #expect(throws: StorageError.self) {
      try await object.putDataAsync(UploadServer.content(300_000))
    }
    #expect(error?.code == .unknown && server.commands == ["start"])
  }

  @Test(arguments: [
    ("photo.JPG", "image/jpeg"), ("a.b.json", "application/json"), ("notes.md", "text/markdown"),
    ("unknown.xyz", nil), ("noextension", nil), (".png", nil), ("a.", nil),
  ])
  func contentTypeComesFromTheNameOfTheFile(name: String, type: String?) async throws {
    for size in [10, 300_000] {
      try await UploadServer.withFile(UploadServer.content(size), named: name) { file in
        let server = try UploadServer()
        defer { server.stop() }
        try await server.object().putFileAsync(from: file)
        let settings = try JSON(parsing: server.state.settings)
        #expect(settings["contentType"]?.string == type)
        try await server.object().putFileAsync(from: file, metadata: StorageMetadata(contentType: "text/x"))
        #expect(try JSON(parsing: server.state.settings)["contentType"]?.string == "text/x")
      }
    }
  }
}
