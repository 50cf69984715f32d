#if os(Linux)
  import Foundation
  import TenonCore
  import TenonProcesses
  import TenonTestSupport
  import TenonTesting
  import Testing

  @testable import TenonStorage

  /// Uploads whose process is killed. The process is another one of these tests.
  @Suite(.limited) struct KilledUploadTests {
    private static let content = UploadServer.content(3 << 18)
    private static let environment = ProcessInfo.processInfo.environment
    private static let port = UInt16(environment["TENON_UPLOAD_PORT"] ?? "")
    private static let directory = URL(filePath: environment["TENON_UPLOAD_DIRECTORY"] ?? "/nowhere")

    /// The process that is killed: uploads a file, and stores each token.
    @Test(.enabled(if: port != nil)) func uploadUntilKilled() async throws {
      let object = try UploadServer.object(port: #require(Self.port))
      let upload = object.putFile(from: Self.directory.appending(path: "source"))
      for await token in upload.resumeTokens {
        try JSONEncoder().encode(token).write(
          to: Self.directory.appending(path: "tokens/token"), options: .atomic)
      }
      _ = try await upload.value
    }

    /// The process is killed while the server holds its response to the first, second or last chunk.
    @Test(.enabled(if: port == nil), arguments: 1..<4)
    func uploadContinuesAfterItsProcessWasKilled(stage: Int) async throws {
      let (arrivals, continuation) = AsyncStream.makeStream(of: Void.self)
      let server = try UploadServer { index, _ in
        guard index == stage else { return .none }
        continuation.yield()
        return .held
      }
      defer { server.stop() }
      let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-killed-\(UUID())")
      // In a separate directory, because this process may be killed while it replaces the token.
      try FileManager.default.createDirectory(
        at: directory.appending(path: "tokens"), withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: directory) }
      let stored = directory.appending(path: "tokens/token")
      let file = directory.appending(path: "source")
      try Self.content.write(to: file)

      let process = Process()
      process.executableURL = try URL(
        filePath: FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      process.arguments = ["--testing-library", "swift-testing", "--filter", "uploadUntilKilled"]
      process.environment = Self.environment.merging([
        "TENON_UPLOAD_PORT": "\(server.port)", "TENON_UPLOAD_DIRECTORY": directory.path,
      ]) { $1 }
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      let (ends, ended) = AsyncStream.makeStream(of: Int32.self)
      process.terminationHandler = { ended.yield($0.terminationStatus) }
      try process.start()
      for await _ in arrivals { break }
      // The process stores the first token while the upload goes on.
      try await eventually { FileManager.default.fileExists(atPath: stored.path) }
      kill(process.processIdentifier, SIGKILL)
      var end: Int32?
      for await status in ends {
        end = status
        break
      }
      #expect(end == SIGKILL && process.terminationReason == .uncaughtSignal)
      #expect(server.commands.count == stage + 1)

      let token = try JSONDecoder().decode(
        StorageUploadToken.self, from: Data(contentsOf: stored))
      let metadata = try await server.object().resumeUploadAsync(token, from: file)
      let state = server.state
      #expect(metadata.size == Int64(Self.content.count) && state.isFinal)
      #expect(state.content == Self.content && state.sessions == 1)
      // No byte was sent twice.
      #expect(state.entries.map(\.count).reduce(0, +) == Self.content.count)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["source", "tokens"])
    }
  }
#endif
