import Foundation
import TenonProcesses
import TenonTestSupport
import TenonTransport
import Testing

/// A running Python program of `Integration/SecondOpinions`, through which a test controls a library call by
/// call.
actor Peer {
  enum Program: String {
    /// Google's firebase-admin.
    case admin
    /// The independent firebase-client-sdk.
    case client
    /// Google's google-cloud-storage.
    case objects
    /// The same, for versions of objects, holds, retention and access.
    case protection
    /// Google's google-cloud-firestore.
    case firestore
    /// Google's google-cloud-firestore, for everything that apps do.
    case calls
    /// Google's client of the administration of Firestore.
    case administration
    /// gRPC without Google's client.
    case wire
    /// The comparison of generated requests with Google's emulator.
    case differences
  }

  /// An error that a library raised.
  struct Failure: Error, CustomStringConvertible {
    let type: String
    let code: String?
    let message: String
    var description: String { "\(type) \(code ?? ""): \(message)" }
  }

  private let process: RunningExecutable
  private let input: Pipe
  private var calls = 0

  /// Starts a program that uses the embedded backend.
  init(_ program: Program, of server: ServedBackend) async throws {
    try await self.init(
      program,
      environment: [
        "FIREBASE_AUTH_EMULATOR_HOST": server.address, "TENON_SERVER": server.address,
        "GOOGLE_CLOUD_PROJECT": ServedBackend.project,
      ])
  }

  /// Starts a program with environment variables that name its server.
  init(_ program: Program, environment: [String: String]) async throws {
    if let absence = await SecondOpinions.absence { throw Absent(reason: absence) }
    // Writing to a program that has ended is an error of the write rather than the end of the test process.
    signal(SIGPIPE, SIG_IGN)
    input = Pipe.exclusive
    process = try Executable(path: SecondOpinions.python.path).start(
      ["-u", SecondOpinions.folder.appending(path: "\(program.rawValue).py").path],
      environment: environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 },
      input: input
    )
  }

  struct Absent: Error { let reason: String }

  /// Makes the program call a function, and returns its result.
  ///
  /// - Throws: ``Failure`` if the library raised an error.
  @discardableResult
  func call(_ name: String, _ arguments: JSON = [:]) async throws -> JSON {
    calls += 1
    let number = calls
    let request: JSON = ["call": .string(name), "arguments": arguments]
    try input.fileHandleForWriting.write(contentsOf: try request.serialized + Data("\n".utf8))
    let lines = { @Sendable (text: String) in text.split(separator: "\n", omittingEmptySubsequences: false) }
    let output = await process.output { lines($0).count > number }
    guard let output else {
      let errors = await process.result().errors
      throw Absent(reason: "The program ended before it answered \(name): \(errors)")
    }
    let answer = try JSON(parsing: Data(lines(output)[number - 1].utf8))
    if let error = answer["error"] {
      throw Failure(
        type: error["type"]?.string ?? "", code: error["code"]?.string,
        message: error["message"]?.string ?? "")
    }
    return answer["result"] ?? .null
  }

  /// Ends the program.
  func close() async {
    try? input.fileHandleForWriting.close()
    _ = await process.result()
  }
}

/// Runs a closure with a server and a program that uses it.
func withPeer(
  _ program: Peer.Program, _ body: (ServedBackend, Peer) async throws -> Void
) async throws {
  try await withServedBackend { server in
    try await closing(try await Peer(program, of: server)) { peer in try await body(server, peer) }
  }
}

/// Runs a closure with a program, and ends the program.
func closing(_ peer: Peer, _ body: (Peer) async throws -> Void) async throws {
  do { try await body(peer) } catch {
    await peer.close()
    throw error
  }
  await peer.close()
}

/// Returns the error that a library raises in a call.
func failure(_ call: () async throws -> JSON) async -> Peer.Failure? {
  await #expect(throws: Peer.Failure.self) { try await call() }
}
