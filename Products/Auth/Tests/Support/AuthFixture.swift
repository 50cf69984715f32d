import Foundation
import TenonCore
import TenonTesting
import TenonTransportInterop

@testable import TenonAuth

/// An app with authentication that talks to a scripted server, at a time that the test sets.
struct AuthFixture {
  let server = ScriptedServer()
  /// The time of the session.
  let time = TestTime()
  /// The time in which requests are repeated: nobody waits for it.
  let network = TestTime(advancesItself: true)
  let directory: String
  private let context: AppContext

  init(backend: AppBackend = .emulator(EmulatorHosts(auth: "127.0.0.1:9099"))) throws {
    let name = "auth-\(UUID())"
    directory = NSTemporaryDirectory() + name
    let options = AppOptions(projectID: "demo", apiKey: "key", backend: backend, data: .directory(directory))
    context = try App.configure(named: name, options: options, libraries: []).context
  }

  /// Authentication as one process has it; each call stands for a launch.
  func launch() throws -> Auth {
    try Auth(
      app: context,
      appCheck: nil,
      transport: server,
      store: FileSessionStore(directory: try sessionDirectory),
      pace: time.source,
      retries: network.source
    )
  }

  private var sessionDirectory: String {
    get throws { try context.directory(for: "tenon-auth") ?? directory }
  }

  var sessionFile: String {
    get throws { "\(try sessionDirectory)/session.json" }
  }

  func remove() { try? FileManager.default.removeItem(atPath: directory) }
}
