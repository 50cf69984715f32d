import Foundation
import TenonCore
import TenonFoundation
import TenonHashes
import TenonJSON
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop

@testable import TenonStorage

/// A real server on loopback for one object, `gs://b.c/a`, in which a test chooses what goes wrong with each
/// request. It refuses content at wrong positions and doesn't store a byte twice.
final class UploadServer: Sendable {
  /// What goes wrong with a request.
  enum Trouble: Sendable, Hashable {
    /// Nothing.
    case none
    /// The request isn't processed, and the connection ends.
    case requestLost
    /// The request is processed, and the connection ends.
    case responseLost
    /// The request is processed, and the connection ends within the response.
    case responseCut
    /// The request isn't processed, and has this response.
    case answer(Int, [String: String])
    /// The request is processed, but isn't answered until the gate opens.
    case held
  }

  /// A request, as far as tests examine it.
  struct Entry: Sendable, Hashable {
    /// The command; `multipart` or `metadata` if there is none.
    var command: String
    /// The number of bytes of content.
    var count: Int
    /// The value of `X-Goog-Upload-Offset`.
    var offset: Int?
  }

  struct State: Sendable {
    var entries: [Entry] = []
    var content = Data()
    var isFinal = false
    /// The number of requests that were processed.
    var processed = 0
    /// The number of sessions that were started.
    var sessions = 0
    /// The JSON of the metadata that the client sent.
    var settings = Data()
  }

  /// Chooses the trouble of a request by its number, from 0, and its command.
  typealias Plan = @Sendable (_ index: Int, _ command: String) -> Trouble

  private let shared: Shared
  private let server: LoopbackServer

  /// What the server's threads share.
  private final class Shared: Sendable {
    let state = Lock(State())
    let gate = ThreadGate()
    let port = Lock<UInt16>(0)
  }

  var state: State { shared.state.withLock { $0 } }
  var commands: [String] { state.entries.map(\.command) }
  /// The port on 127.0.0.1.
  var port: UInt16 { server.port }

  /// - Parameters:
  ///   - granularity: the value of `X-Goog-Upload-Chunk-Granularity`.
  ///   - plan: chooses what goes wrong.
  ///   - describe: changes the object's description, which is otherwise true.
  init(
    granularity: Int = 262_144, _ plan: @escaping Plan = { _, _ in .none },
    describe: @escaping @Sendable (inout [String: JSON]) -> Void = { _ in }
  ) throws {
    let shared = Shared()
    self.shared = shared
    server = try LoopbackServer { request in
      let command =
        request.field("X-Goog-Upload-Command") ?? request.field("X-Goog-Upload-Protocol") ?? "metadata"
      let index = shared.state.withLock { state in
        state.entries.append(
          Entry(
            command: command, count: command.contains("upload") ? request.body.count : 0,
            offset: request.field("X-Goog-Upload-Offset").flatMap { Int($0) }))
        return state.entries.count - 1
      }
      let trouble = plan(index, command)
      switch trouble {
      case .requestLost: return [.hangUp]
      case .answer(let status, let fields):
        return [.answer(status, fields, #"{"error": {"message": "No."}}"#)]
      default: break
      }
      let (status, fields, body) = Self.process(request, command, granularity, describe, shared)
      switch trouble {
      case .responseLost: return [.hangUp]
      case .responseCut:
        return [.bytes(Data("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{".utf8)), .hangUp]
      case .held: return [.wait(shared.gate), .answer(status, fields, body)]
      default: return [.answer(status, fields, body)]
      }
    }
    shared.port.withLock { $0 = server.port }
  }

  /// Ends the server and releases the requests that it holds.
  func stop() {
    shared.gate.open()
    server.stop()
  }

  /// Processes a request and returns the response.
  private static func process(
    _ request: LoopbackServer.Request, _ command: String, _ granularity: Int,
    _ describe: (inout [String: JSON]) -> Void, _ shared: Shared
  ) -> (Int, [String: String], Data) {
    let port = shared.port.withLock { $0 }
    return shared.state.withLock { state in
      state.processed += 1
      var fields = [
        "X-Goog-Upload-Chunk-Granularity": "\(granularity)",
        "X-Goog-Upload-Status": state.isFinal ? "final" : "active",
        "X-Goog-Upload-Size-Received": "\(state.content.count)",
      ]
      switch command {
      case "start":
        state.sessions += 1
        state.content = Data()
        state.isFinal = false
        fields["X-Goog-Upload-Status"] = "active"
        state.settings = request.body
        fields["X-Goog-Upload-URL"] = "http://127.0.0.1:\(port)/v0/b/b.c/o?name=a&upload_id=\(state.sessions)"
        return (200, fields, Data())
      case "query", "metadata": break
      case "multipart":
        state.content = part(1, of: request)
        state.settings = part(0, of: request)
        state.isFinal = true
      default:
        guard request.target.hasSuffix("upload_id=\(state.sessions)") else { return (404, [:], Data()) }
        guard !state.isFinal, request.field("X-Goog-Upload-Offset") == "\(state.content.count)",
          command.contains("finalize") || request.body.count % granularity == 0
        else { return (400, fields, Data()) }
        state.content += request.body
        state.isFinal = command.contains("finalize")
      }
      fields["X-Goog-Upload-Status"] = state.isFinal ? "final" : "active"
      fields["X-Goog-Upload-Size-Received"] = "\(state.content.count)"
      guard state.isFinal, command != "query" else { return (200, fields, Data()) }
      return (200, fields, description(of: state.content, describe))
    }
  }

  /// Returns the JSON of an object, after a test has changed it.
  static func description(of content: Data, _ describe: (inout [String: JSON]) -> Void = { _ in }) -> Data {
    var digest = ContentDigest()
    digest.update(content)
    var members: [String: JSON] = [
      "name": "a", "bucket": "b.c", "size": .string("\(digest.size)"), "generation": "1",
      "metageneration": "1", "contentType": "application/octet-stream", "md5Hash": .string(digest.md5Hash),
      "crc32c": .string(digest.crc32cHash), "timeCreated": "2026-01-01T00:00:00.000Z",
      "updated": "2026-01-01T00:00:00.000Z",
    ]
    describe(&members)
    return (try? JSON.object(members).serialized) ?? Data()
  }

  /// Returns the content of a part of a `multipart/related` body.
  private static func part(_ index: Int, of request: LoopbackServer.Request) -> Data {
    let boundary = request.field("Content-Type")?.components(separatedBy: "boundary=").last ?? ""
    var parts: [Data] = []
    var rest = request.body[...]
    while let range = rest.range(of: Data("--\(boundary)".utf8)) {
      parts.append(Data(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    guard let body = parts.dropFirst(index + 1).first, let head = body.range(of: Data("\r\n\r\n".utf8)) else {
      return Data()
    }
    return Data(body[head.upperBound...].dropLast(2))
  }

  // MARK: - The client

  /// Returns a reference to the object in a separate app, in chunks of 256 KiB.
  ///
  /// - Parameter time: the clock; one on which delays take no time if `nil`.
  func object(time: TestTime = TestTime(advancesItself: true)) throws -> StorageReference {
    try Self.object(port: port, time: time.source)
  }

  /// Returns a reference to the object of a server, which may be that of another process.
  static func object(
    port: UInt16, time: TimeSource = TestTime(advancesItself: true).source
  ) throws -> StorageReference {
    let context = AppContext(
      name: "tests",
      options: AppOptions(
        projectID: "demo", storageBucket: "b.c",
        backend: .emulator(EmulatorHosts(storage: "127.0.0.1:\(port)"))),
      userAgent: "")
    let storage = try StorageInstances(
      app: context, auth: nil, appCheck: nil, transport: nil, time: time
    ).storage(bucket: nil)
    storage.uploadChunkSizeBytes = 1 << 18
    return storage.reference(withPath: "a")
  }

  /// Content of which no two chunks are equal.
  static func content(_ size: Int) -> Data {
    var generator = SeededGenerator(seed: UInt64(size))
    return Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  /// Calls a closure with a separate file, in a directory that must contain nothing else afterwards.
  static func withFile(
    _ content: Data, named name: String = "source", _ body: (URL) async throws -> Void
  ) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-upload-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appending(path: name)
    try content.write(to: file)
    try await body(file)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    guard names == [name] || names == [] else { throw CocoaError(.fileWriteUnknown) }
  }
}
