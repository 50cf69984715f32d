import Foundation
import TenonCore
import TenonTransport
import TenonTransportInterop
import Testing

/// The executable `embedded-server` at work, on a free port of loopback.
struct ServedBackend: Sendable {
  static let project = "demo-served"

  let process: RunningExecutable
  /// Open as long as this process lives; the server ends when it is closed.
  private let input = Pipe()
  /// Where it listens, as `host:port`.
  let address: String

  /// - Parameters:
  ///   - directory: where everything is kept; in memory when `nil`.
  ///   - extra: further arguments.
  ///   - openFiles: how many files the process may have open; as many as this one when `nil`.
  init(directory: URL? = nil, arguments extra: [String] = [], openFiles: Int? = nil) async throws {
    var arguments = ["--port", "0", "--project", Self.project, "--until-input-ends"] + extra
    if let directory { arguments += ["--directory", directory.path] }
    var executable = Executable("embedded-server")
    if let openFiles {
      arguments = ["-c", "ulimit -n \(openFiles) && exec \"$0\" \"$@\"", executable.url.path] + arguments
      executable = Executable(path: "/bin/sh")
    }
    let process = try executable.start(arguments, input: input)
    let line = try #require(await process.output { $0.hasSuffix("\n") }, "embedded-server did not start")
    let announcement = try JSON(parsing: Data(line.utf8))
    #expect(announcement["project"] == .string(Self.project))
    self.process = process
    address = try #require(announcement["address"]?.string)
  }

  /// Ends the server as an operator would, and waits for the end.
  func stop(by signal: Int32 = SIGTERM) async -> Executable.Result {
    process.signal(signal)
    return await process.result()
  }

  /// Ends the server as it ends when the program is gone that started it.
  func abandon() async -> Executable.Result {
    try? input.fileHandleForWriting.close()
    return await process.result()
  }

  /// An app whose products work with the server, as they would with Firebase's emulators.
  func withApp(_ body: (App) async throws -> Void) async throws {
    let app = try App.configure(
      named: "served-\(UUID())",
      options: AppOptions(
        projectID: Self.project,
        apiKey: "any",
        storageBucket: "\(Self.project).appspot.com",
        backend: .emulator(EmulatorHosts(auth: address, functions: address, storage: address)),
        data: .memory
      )
    )
    do {
      try await body(app)
    } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  private static let transport = URLSessionTransport()

  /// A request of a client that isn't ours.
  func send(
    _ method: HTTPMethod,
    _ path: String,
    _ body: JSON? = nil,
    headers: [String: String] = [:]
  ) async throws -> HTTPResponse {
    let headers = ["Content-Type": "application/json"].merging(headers) { $1 }
    let request = HTTPRequest(
      method,
      try #require(URL(string: "http://\(address)\(path)")),
      headers: HTTPHeaders(headers.map { HTTPField(name: $0.key, value: $0.value) }),
      body: try body.map { .data(try $0.serialized) } ?? .none
    )
    return try await Self.transport.send(request)
  }

  /// The mails that nobody has used yet.
  func mails() async throws -> [Mail] {
    struct List: Decodable { let oobCodes: [Mail] }
    let answer = try await send(.get, "/emulator/v1/projects/\(Self.project)/oobCodes")
    return try JSONDecoder().decode(List.self, from: answer.body).oobCodes
  }

  /// The last mail to an address.
  func mail(to email: String) async throws -> Mail {
    try #require(try await mails().last { $0.email == email }, "There is no mail to \(email).")
  }

  struct Mail: Decodable {
    let email: String
    let requestType: String
    let oobCode: String
    let oobLink: URL
  }
}

/// Serves a backend for as long as a closure takes.
func withServedBackend(
  directory: URL? = nil, arguments: [String] = [], openFiles: Int? = nil,
  _ body: (ServedBackend) async throws -> Void
) async throws {
  let server = try await ServedBackend(directory: directory, arguments: arguments, openFiles: openFiles)
  do {
    try await body(server)
  } catch {
    _ = await server.stop()
    throw error
  }
  let end = await server.stop()
  #expect(end.status == 0, "\(end.errors)")
}
