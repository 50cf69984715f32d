import Foundation
import TenonCore
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

struct ResumableUploadTests {
  enum Trouble: Sendable {
    /// The server stores the chunk, but its response is lost.
    case responseLost
    /// The chunk is lost.
    case chunkLost
    /// The server answers with 503.
    case busy
    /// The server stores the chunk and confirms it.
    case none
  }

  /// A server of resumable uploads in which a test chooses what goes wrong with each chunk.
  private final class Server: Sendable {
    struct State {
      var received = Data()
      var commands: [String] = []
      var isFinal = false
      /// The number of bytes that the server reports instead of the true one.
      var claimed: String?
      /// What goes wrong with the next chunks, in order.
      var troubles: [Trouble]
    }

    let state: Lock<State>

    init(_ troubles: [Trouble]) { state = Lock(State(troubles: troubles)) }

    func answer(_ request: HTTPRequest) throws -> HTTPResponse {
      let command = request.headers["X-Goog-Upload-Command"] ?? "metadata"
      return try state.withLock { state in
        state.commands.append(command)
        let size = #"{"name": "a", "size": "\#(state.received.count)"}"#
        switch command {
        case "start":
          return Self.response(
            200, ["X-Goog-Upload-URL": "https://firebasestorage.googleapis.com/session?upload_id=s3cret"])
        case "query":
          return Self.response(
            200,
            [
              "X-Goog-Upload-Status": state.isFinal ? "final" : "active",
              "X-Goog-Upload-Size-Received": state.claimed ?? "\(state.received.count)",
            ]
          )
        case "metadata": return Self.response(200, [:], size)
        default:
          let trouble = state.troubles.isEmpty ? .none : state.troubles.removeFirst()
          if trouble == .chunkLost { throw TransportError(.connectionLost, "lost") }
          if trouble == .busy { return Self.response(503) }
          guard case .data(let chunk) = request.body,
            state.claimed != nil || request.headers["X-Goog-Upload-Offset"] == "\(state.received.count)"
          else { return Self.response(400) }
          state.received += chunk
          state.isFinal = command.hasSuffix("finalize")
          if trouble == .responseLost { throw TransportError(.connectionLost, "lost") }
          return Self.response(200, [:], #"{"name": "a", "size": "\#(state.received.count)"}"#)
        }
      }
    }

    private static func response(_ status: Int, _ headers: [String: String] = [:], _ body: String = "{}")
      -> HTTPResponse
    {
      HTTPResponse(
        status: status,
        headers: HTTPHeaders(headers.map { HTTPField(name: $0.key, value: $0.value) }),
        body: Data(body.utf8)
      )
    }
  }

  private func upload(_ size: Int, _ server: Server) async throws -> (
    metadata: StorageMetadata, progress: [Int64], content: Data
  ) {
    var content = Data(repeating: 7, count: size)
    for index in stride(from: 0, to: size, by: 1009) { content[index] = UInt8(truncatingIfNeeded: index) }
    let file = FileManager.default.temporaryDirectory.appending(path: "tenon-upload-\(UUID())")
    try content.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let context = AppContext(
      name: "tests",
      options: AppOptions(projectID: "demo", storageBucket: "b.c"),
      userAgent: ""
    )
    let transport = FakeTransport { try server.answer($0) }
    let storage = try StorageInstances(app: context, auth: nil, appCheck: nil, transport: transport)
      .storage(bucket: nil)
    let progress = Lock<[Int64]>([])
    let metadata = try await storage.reference(withPath: "a").putFileAsync(from: file) { step in
      progress.withLock { $0.append(step.completedUnitCount) }
    }
    return (metadata, progress.withLock { $0 }, content)
  }

  private static let chunk = ResumableUpload.chunkSize

  @Test(
    arguments: [
      (0, [], ["start", "upload, finalize"]), (10, [], ["start", "upload, finalize"]),
      (chunk, [], ["start", "upload, finalize"]), (chunk + 1, [], ["start", "upload", "upload, finalize"]),
      (chunk + 1, [.chunkLost], ["start", "upload", "query", "upload", "upload, finalize"]),
      (chunk + 1, [.responseLost], ["start", "upload", "query", "upload, finalize"]),
      (chunk + 1, [.none, .busy], ["start", "upload", "upload, finalize", "query", "upload, finalize"]),
      (10, [.responseLost], ["start", "upload, finalize", "query", "metadata"]),
    ] as [(Int, [Trouble], [String])]
  )
  func everyByteIsStoredOnceWhateverIsLost(size: Int, troubles: [Trouble], commands: [String]) async throws {
    let server = Server(troubles)
    let (metadata, progress, content) = try await upload(size, server)
    let state = server.state.withLock { $0 }
    #expect(state.received == content)
    #expect(state.commands == commands)
    #expect(metadata.size == Int64(size))
    #expect(Set(progress).count == progress.count && progress == progress.sorted())
    #expect(progress.allSatisfy { $0 <= Int64(size) })
    // The last chunk's progress is lost with its response.
    if troubles != [.responseLost] || size > 10 { #expect(progress.last == Int64(size)) }
  }

  @Test func uploadThatFailsRepeatedlyIsAnError() async throws {
    let server = Server(Array(repeating: .chunkLost, count: 20))
    let thrown = await #expect(throws: StorageError.self) { _ = try await upload(10, server) }
    #expect(thrown?.code == .unavailable)
  }

  @Test(
    arguments: [
      "-1", "-5", "11", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
      "999999999999999999999", "1e300", "1e-400", "NaN", "+5", "0x10", "5,5",
    ])
  func impossibleByteCountOfTheServerIsAnError(count: String) async throws {
    let server = Server([.chunkLost])
    server.state.withLock { $0.claimed = count }
    let thrown = await #expect(throws: StorageError.self) { _ = try await upload(10, server) }
    #expect(thrown?.code == .unknown)
  }

  @Test func serverThatLosesBytesRepeatedlyEndsTheUpload() async throws {
    let server = Server(Array(repeating: [.none, .chunkLost], count: 50).flatMap(\.self))
    server.state.withLock { $0.claimed = "0" }
    let thrown = await #expect(throws: StorageError.self) {
      _ = try await upload(2 * Self.chunk, server)
    }
    #expect(thrown?.code == .unavailable)
  }

  /// Uploads a file to a server that names a URL for its content, and returns the requests.
  private func upload(
    to session: String?, backend: AppBackend = .production
  ) async throws -> (requests: [HTTPRequest], error: (any Error)?) {
    let file = FileManager.default.temporaryDirectory.appending(path: "tenon-upload-\(UUID())")
    try Data("x".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let transport = FakeTransport { _ in
      let fields = session.map { [HTTPField(name: "X-Goog-Upload-URL", value: $0)] } ?? []
      return HTTPResponse(status: 200, headers: HTTPHeaders(fields), body: Data("{}".utf8))
    }
    let options = AppOptions(projectID: "demo", storageBucket: "b.c", backend: backend)
    let storage = try StorageInstances(
      app: AppContext(name: "tests", options: options, userAgent: ""), auth: auth,
      appCheck: FakeAppCheck(), transport: transport
    ).storage(bucket: nil)
    do {
      try await storage.reference(withPath: "a").putFileAsync(from: file)
      return (transport.requests, nil)
    } catch { return (transport.requests, error) }
  }

  @Test(arguments: [
    (AppBackend.production, "https://firebasestorage.googleapis.com/session"),
    (.production, "HTTPS://FirebaseStorage.googleapis.com:443/session"),
    (.emulator(EmulatorHosts(storage: "127.0.0.1:9199")), "http://127.0.0.1:9199/session"),
    // An emulator may name itself differently from the app.
    (.emulator(EmulatorHosts(storage: "127.0.0.1:9199")), "http://localhost:9199/session"),
    (.emulator(EmulatorHosts(storage: "localhost:9199")), "http://[::1]:9199/session"),
  ])
  func p6ContentAndTokensGoToTheServicesOwnOrigin(backend: AppBackend, session: String) async throws {
    let (requests, error) = try await upload(to: session, backend: backend)
    #expect(error == nil && requests.count == 2)
    #expect(requests.allSatisfy { $0.headers["Authorization"] == "Firebase ann-token-0" })
    #expect(requests.allSatisfy { $0.headers["X-Firebase-AppCheck"] != nil })
    #expect(requests.last?.url.absoluteString == session)
  }

  @Test(arguments: [
    (AppBackend.production, "https://upload.invalid/s3cret?upload_id=s3cret", "https://upload.invalid "),
    (
      .production, "https://firebasestorage.googleapis.com.upload.invalid/s3cret",
      "googleapis.com.upload.invalid "
    ),
    (
      .production, "https://firebasestorage.googleapis.com:444/s3cret",
      "https://firebasestorage.googleapis.com:444 "
    ),
    (.production, "http://firebasestorage.googleapis.com/s3cret", "http://firebasestorage.googleapis.com "),
    (.production, "http://127.0.0.1:9199/s3cret", "http://127.0.0.1:9199 "),
    (.production, "https://localhost/s3cret", "https://localhost "),
    (
      .emulator(EmulatorHosts(storage: "127.0.0.1:9199")), "http://127.0.0.1:9198/s3cret",
      "http://127.0.0.1:9198 "
    ),
    (
      .emulator(EmulatorHosts(storage: "127.0.0.1:9199")), "http://[2001:db8::1]:9199/s3cret",
      "http://[2001:db8::1]:9199 "
    ),
    (
      .emulator(EmulatorHosts(storage: "127.0.0.1:9199")), "http://192.168.1.5:9199/s3cret",
      "http://192.168.1.5:9199 "
    ),
    (
      .emulator(EmulatorHosts(storage: "127.0.0.1:9199")), "https://firebasestorage.googleapis.com/s3cret",
      "https://"
    ),
    (.production, "https://firebasestorage.googleapis.com@upload.invalid/s3cret", "without credentials"),
    (.production, "https://ann:s3cret@firebasestorage.googleapis.com/s3cret", "without credentials"),
    (.production, "/v0/b/b.c/o?upload_id=s3cret", "not an absolute"),
    (.production, "file:///etc/s3cret", "not an absolute"),
    (.production, "", "not an absolute"),
  ])
  func p6NothingIsSentToAnotherOriginThatTheServerNames(
    backend: AppBackend, session: String, text: String
  ) async throws {
    let (requests, thrown) = try await upload(to: session, backend: backend)
    let error = try #require(thrown as? StorageError)
    #expect(error.code == .untrustedOrigin && error.message.contains(text), "\(error)")
    #expect(requests.map { $0.headers["X-Goog-Upload-Command"] } == ["start"])
    for text in disclosedTexts(of: error) { #expect(!text.contains("s3cret"), "\(text)") }
  }

  @Test func serverThatNamesNoURLIsAnError() async throws {
    let (requests, error) = try await upload(to: nil)
    #expect((error as? StorageError)?.code == .unknown && requests.count == 1)
  }
}
