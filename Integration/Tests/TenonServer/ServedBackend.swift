import Foundation
import TenonCore
import TenonProcesses
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// A running `tenon-server`, on a free port of loopback.
struct ServedBackend: Sendable {
  static let project = "demo-served"

  let process: RunningExecutable
  /// Open as long as this process runs. The server ends when it is closed.
  private let input = Pipe.exclusive
  /// The address on which it listens, as `host:port`.
  let address: String
  /// The address of the data browser, with its token.
  let page: String

  /// The token of the data browser.
  var token: String { page.split(separator: "=").last.map(String.init) ?? "" }

  /// - Parameters:
  ///   - project: the project that is served.
  ///   - directory: the directory for the data; in memory if `nil`.
  ///   - extra: further arguments.
  ///   - isQuiet: whether it writes no lines about its requests.
  ///   - openFiles: the number of files that the process may have open; the limit of this process if `nil`.
  ///   - diskSize: the size in megabytes of a file system for the directory, which only the process sees;
  ///     that of this process if `nil`.
  ///   - environment: additional environment variables of the process.
  init(
    project: String = Self.project, directory: URL? = nil, arguments extra: [String] = [],
    isQuiet: Bool = true, openFiles: Int? = nil, diskSize: Int? = nil, environment: [String: String] = [:]
  ) async throws {
    var arguments = ["--port", "0", "--project", project, "--until-input-ends"] + extra
    if isQuiet { arguments.append("--quiet") }
    arguments += directory.map { ["--directory", $0.path] } ?? ["--memory"]
    var executable = Executable("tenon-server")
    if let openFiles {
      arguments = ["-c", "ulimit -n \(openFiles) && exec \"$0\" \"$@\"", executable.url.path] + arguments
      executable = Executable(path: "/bin/sh")
    }
    if let directory, let diskSize {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      let commands =
        "mount -t tmpfs -o size=\(diskSize)m none '\(directory.path)' && exec \"$0\" \"$@\""
      arguments = ["unshare", "-rm", "sh", "-c", commands, executable.url.path] + arguments
      executable = Executable(path: "/usr/bin/env")
    }
    let process = try executable.start(arguments, environment: environment, input: input)
    let line = try #require(await process.output { $0.hasSuffix("\n") }, "tenon-server didn't start")
    let announcement = try JSON(parsing: Data(line.utf8))
    #expect(announcement["project"] == .string(project))
    self.process = process
    address = try #require(announcement["address"]?.string)
    page = try #require(announcement["browser"]?.string)
  }

  /// Returns the names of the files of transfers in the temporary directory of a server, which also has the
  /// hub's file there.
  static func transfers(in temporary: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: temporary.path).filter { !$0.contains("hub-") }
  }

  /// Ends the server with a signal, as an operator would, and waits for its end.
  func stop(by signal: Int32 = SIGTERM) async -> Executable.Result {
    process.signal(signal)
    return await process.result()
  }

  /// Ends the server by closing its input, as when its parent process ends.
  func abandon() async -> Executable.Result {
    try? input.fileHandleForWriting.close()
    return await process.result()
  }

  /// Runs a closure with an app whose products use the server, as they would use Firebase's emulators.
  func withApp(_ body: (App) async throws -> Void) async throws {
    let app = try App.configure(
      name: "served-\(UUID())",
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

  private static let transport = SystemTransport()

  /// Sends a request as an independent client would.
  func send(
    _ method: HTTPMethod,
    _ path: String,
    _ body: JSON? = nil,
    headers: [String: String] = [:]
  ) async throws -> TransportResponse {
    let headers = ["Content-Type": "application/json"].merging(headers) { $1 }
    let request = TransportRequest(
      method,
      try #require(URL(string: "http://\(address)\(path)")),
      headers: HTTPHeaders(headers.map { HTTPHeader(name: $0.key, value: $0.value) }),
      body: try body.map { .data(try $0.serialized) } ?? .none
    )
    return try await Self.transport.send(request)
  }

  /// Returns the emails whose codes haven't been used.
  func mails() async throws -> [Mail] {
    struct List: Decodable { let oobCodes: [Mail] }
    let answer = try await send(.get, "/emulator/v1/projects/\(Self.project)/oobCodes")
    return try JSONDecoder().decode(List.self, from: answer.body).oobCodes
  }

  /// Returns the last email to an address.
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

/// Serves a backend while a closure runs.
func withServedBackend(
  project: String = ServedBackend.project, directory: URL? = nil, arguments: [String] = [],
  openFiles: Int? = nil,
  _ body: (ServedBackend) async throws -> Void
) async throws {
  let server = try await ServedBackend(
    project: project, directory: directory, arguments: arguments, openFiles: openFiles)
  do {
    try await body(server)
  } catch {
    _ = await server.stop()
    throw error
  }
  let end = await server.stop()
  #expect(end.status == 0, "\(end.errors)")
}
