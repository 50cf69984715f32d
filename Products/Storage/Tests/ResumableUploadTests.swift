import Foundation
import TenonCore
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

struct ResumableUploadTests {
  enum Trouble: Sendable {
    /// The piece is taken, but nobody learns of it.
    case answerLost
    /// The piece doesn't arrive.
    case pieceLost
    case busy
    case none
  }

  /// A server that takes pieces, and loses the answers or the pieces that it is told to.
  private final class Server: Sendable {
    struct State {
      var received = Data()
      var commands: [String] = []
      var isFinal = false
      /// What the server says that it has, whatever it has.
      var claimed: String?
      /// What becomes of the pieces, in order; all is well when there is nothing more.
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
        case "start": return Self.response(200, ["X-Goog-Upload-URL": "https://upload.invalid/session"])
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
          if trouble == .pieceLost { throw TransportError(.connectionLost, "lost") }
          if trouble == .busy { return Self.response(503) }
          guard case .data(let piece) = request.body,
            state.claimed != nil || request.headers["X-Goog-Upload-Offset"] == "\(state.received.count)"
          else { return Self.response(400) }
          state.received += piece
          state.isFinal = command.hasSuffix("finalize")
          if trouble == .answerLost { throw TransportError(.connectionLost, "lost") }
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
    let metadata = try await storage.reference("a").put(file: file) { step in
      progress.withLock { $0.append(step.completed) }
    }
    return (metadata, progress.withLock { $0 }, content)
  }

  private static let piece = ResumableUpload.pieceSize

  @Test(
    arguments: [
      (0, [], ["start", "upload, finalize"]), (10, [], ["start", "upload, finalize"]),
      (piece, [], ["start", "upload, finalize"]), (piece + 1, [], ["start", "upload", "upload, finalize"]),
      (piece + 1, [.pieceLost], ["start", "upload", "query", "upload", "upload, finalize"]),
      (piece + 1, [.answerLost], ["start", "upload", "query", "upload, finalize"]),
      (piece + 1, [.none, .busy], ["start", "upload", "upload, finalize", "query", "upload, finalize"]),
      (10, [.answerLost], ["start", "upload, finalize", "query", "metadata"]),
    ] as [(Int, [Trouble], [String])]
  )
  func everyByteArrivesOnceWhateverGetsLost(size: Int, troubles: [Trouble], commands: [String]) async throws {
    let server = Server(troubles)
    let (metadata, progress, content) = try await upload(size, server)
    let state = server.state.withLock { $0 }
    #expect(state.received == content)
    #expect(state.commands == commands)
    #expect(metadata.size == Int64(size))
    #expect(progress == progress.sorted() && progress.allSatisfy { $0 <= Int64(size) })
  }

  @Test func anUploadThatKeepsFailingEndsWithAnError() async throws {
    let server = Server(Array(repeating: .pieceLost, count: 20))
    let thrown = await #expect(throws: StorageError.self) { _ = try await upload(10, server) }
    #expect(thrown?.code == .unavailable)
  }

  @Test(arguments: ["-1", "11", "9223372036854775807", "-9223372036854775808"])
  func aServerThatSaysItHasWhatItCannotHaveIsAnError(count: String) async throws {
    let server = Server([.pieceLost])
    server.state.withLock { $0.claimed = count }
    let thrown = await #expect(throws: StorageError.self) { _ = try await upload(10, server) }
    #expect(thrown?.code == .unknown)
  }

  @Test func aServerThatForgetsWhatItTookDoesNotKeepTheUploadForever() async throws {
    let server = Server(Array(repeating: [.none, .pieceLost], count: 50).flatMap(\.self))
    server.state.withLock { $0.claimed = "0" }
    let thrown = await #expect(throws: StorageError.self) {
      _ = try await upload(2 * Self.piece, server)
    }
    #expect(thrown?.code == .unavailable)
  }
}
