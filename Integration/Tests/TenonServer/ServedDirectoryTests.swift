import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// Where `tenon-server` keeps its data.
@Suite(.limited) struct ServedDirectoryTests {
  private static let document = "/v1/projects/demo-kept/databases/(default)/documents/notes/a"

  /// Sends a request to a server with arguments, whose end is by a signal.
  private func send(
    _ method: HTTPMethod, _ arguments: [String], in folder: URL, endBy signal: Int32 = SIGTERM
  ) async throws -> Int {
    let server = try Executable("tenon-server").start(
      ["--port", "0", "--project", "demo-kept", "--quiet"] + arguments, in: folder)
    defer { server.signal(SIGKILL) }
    let line = try #require(await server.output { $0.hasSuffix("\n") })
    let address = try #require(try JSON(parsing: Data(line.utf8))["address"]?.string)
    let request = TransportRequest(
      method, try #require(URL(string: "http://\(address)\(Self.document)")),
      headers: HTTPHeaders([HTTPHeader(name: "Content-Type", value: "application/json")]),
      body: method == .get ? .none : .data(Data(#"{"fields": {"a": {"integerValue": "1"}}}"#.utf8)))
    let status = try await SystemTransport.shared.send(request).status
    server.signal(signal)
    #expect(await server.result().status == (signal == SIGKILL ? -SIGKILL : 0))
    return status
  }

  @Test func whatBeginsWithAnExportIsKeptInExportsOnly() async throws {
    try await withTemporaryDirectory { (folder: URL) async throws in
      // The first start has no folder to import.
      let arguments = ["--import", "seed", "--export-on-exit"]
      #expect(try await send(.patch, arguments, in: folder) == 200)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["seed"])
      #expect(try await send(.get, arguments, in: folder) == 200)
      #expect(try await send(.get, [], in: folder) == 404)
    }
  }

  @Test func whatWasAcknowledgedIsThereAfterAKill() async throws {
    try await withTemporaryDirectory { (folder: URL) async throws in
      #expect(try await send(.patch, [], in: folder, endBy: SIGKILL) == 200)
      #expect(try await send(.get, [], in: folder) == 200)
      let files = folder.appending(path: ".tenon")
      #expect(try String(contentsOf: files.appending(path: ".gitignore"), encoding: .utf8) == "*\n")
      #expect(FileManager.default.fileExists(atPath: files.appending(path: "demo-kept").path))
      #expect(try await send(.get, ["--project", "demo-other", "--any-project"], in: folder) == 404)
      #expect(try await send(.get, ["--directory", "elsewhere"], in: folder) == 404)
    }
  }

  @Test func theFolderIsBesideTheConfiguration() async throws {
    try await withTemporaryDirectory { (folder: URL) async throws in
      let web = folder.appending(path: "web")
      try FileManager.default.createDirectory(at: web, withIntermediateDirectories: true)
      try Data("{}".utf8).write(to: web.appending(path: "firebase.json"))
      #expect(try await send(.patch, ["--config", "web/firebase.json"], in: folder) == 200)
      #expect(try await send(.get, [], in: web) == 200)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["web"])
    }
  }

  @Test func memoryIsLostAndLeavesNothing() async throws {
    try await withTemporaryDirectory { (folder: URL) async throws in
      #expect(try await send(.patch, ["--memory"], in: folder) == 200)
      #expect(try await send(.get, ["--memory"], in: folder) == 404)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
  }

  @Test(arguments: ["../other", "a/b", ".", "ü"])
  func aProjectThatIsNoNameOfAFolderNeedsOne(project: String) async throws {
    try await withTemporaryDirectory { (folder: URL) async throws in
      let end = try await Executable("tenon-server").run(
        ["--port", "0", "--project", project], in: folder)
      #expect(end.status == 1 && end.errors.contains("Name a folder with --directory, or pass --memory."))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
  }

  @Test func aFolderThatCannotBeCreatedIsAnError() async throws {
    try await withTemporaryDirectory { (folder: URL) async throws in
      try Data().write(to: folder.appending(path: ".tenon"))
      let end = try await Executable("tenon-server").run(["--port", "0"], in: folder)
      #expect(end.status == 1 && end.errors.contains("demo-tenon can't be created: "), "\(end.errors)")
    }
  }

  @Test func aDirectoryAndMemoryExcludeEachOther() async throws {
    let end = try await Executable("tenon-server").run(["--memory", "--directory", "data"])
    #expect(end.status == 64 && end.errors.contains("Pass one of them."))
  }

  /// A call that would take ten minutes is cut.
  @Test(arguments: [SIGTERM, SIGINT]) func aSignalEndsTheServerDuringACall(signal: Int32) async throws {
    let server = try await ServedBackend()
    let request = TransportRequest(
      .post, try #require(URL(string: "http://\(server.address)/demo-served/us-central1/wait")),
      headers: HTTPHeaders([
        HTTPHeader(name: "Content-Type", value: "application/json"),
        HTTPHeader(name: "Accept", value: "text/event-stream"),
      ]), body: .data(Data(#"{"data": null}"#.utf8)))
    let answer = try await SystemTransport.shared.stream(request)
    var pieces = answer.body.makeAsyncIterator()
    #expect(try await pieces.next() != nil)
    #expect(await server.stop(by: signal).status == 0)
  }
}
