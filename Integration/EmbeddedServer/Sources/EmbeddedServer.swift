import ArgumentParser
import FlyingFox
import FlyingSocks
import Foundation
import TenonCore
import TenonEmbedded

/// Serves the embedded backend over HTTP, so that clients in other processes and other languages can use it.
@main
struct EmbeddedServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "embedded-server",
    abstract: "Serves Tenon's embedded backend on loopback, at the URLs of Firebase's emulators.",
    discussion: """
      Prints one line of JSON with its address when it is ready, and ends on SIGINT and SIGTERM. Whoever reaches the \
      port may do everything: tokens are unsigned, and "Bearer owner" is an administrator. It is for development.

      Clients find it by their emulator settings, for example FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:9099.
      """
  )

  @Option(help: "The port to listen on, on 127.0.0.1; 0 takes a free one.")
  var port: UInt16 = 9099

  @Option(help: "The project whose accounts, functions and objects are served.")
  var project = "demo-tenon"

  @Option(help: "Where everything is kept; in memory unless it is given.")
  var directory: String?

  @Flag(help: "End when standard input ends, too: with the program that started this one.")
  var untilInputEnds = false

  /// Where it is ready, as it is printed.
  struct Announcement: Encodable {
    let address: String
    let project: String
  }

  func run() async throws {
    // From here on, so that a signal during the start isn't lost.
    let termination = Termination(watchesInput: untilInputEnds)
    let app = try App.configure(
      options: AppOptions(
        projectID: project,
        backend: .embedded(directory: directory.map { URL(filePath: $0).absoluteURL.path })
      )
    )
    let embedded = try Embedded.embedded(app: app)
    SampleFunctions.register(with: embedded)
    let server = HTTPServer(
      address: try .inet(ip4: "127.0.0.1", port: port),
      // A function may take its time.
      timeout: 3_600,
      logger: .disabled,
      handler: Gateway(embedded: embedded)
    )
    let waiting = Task { try await server.waitUntilListening() }
    let serving = Task {
      defer { waiting.cancel() }
      try await server.run()
    }
    do {
      try await waiting.value
    } catch {
      // What kept it from listening says more than the wait for it.
      try await serving.value
      throw error
    }
    guard case .ip4(let host, let port)? = await server.listeningAddress else {
      throw ValidationError("The server has no address on loopback.")
    }
    var line = try JSONEncoder().encode(Announcement(address: "\(host):\(port)", project: project))
    line.append(UInt8(ascii: "\n"))
    try FileHandle.standardOutput.write(contentsOf: line)
    Task {
      // It serves until the process ends, or until it can't go on.
      do { try await serving.value } catch { Self.exit(withError: error) }
    }
    await termination.wait()
    await app.delete()
    // Connections that are open end with the process. What was answered is on the disk.
    Self.exit()
  }
}
