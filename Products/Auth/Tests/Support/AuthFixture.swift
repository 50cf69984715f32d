import Foundation
import TenonCore
import TenonTransportInterop

@testable import TenonAuth

/// An app with authentication that talks to a scripted server, at a time that the test sets.
struct AuthFixture {
  let server = ScriptedServer()
  let clock = TestClock()
  let sleeper = Sleeper()
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
    let clock = clock
    let sleeper = sleeper
    return try Auth(
      app: context,
      appCheck: nil,
      transport: server,
      store: FileSessionStore(directory: try sessionDirectory),
      now: { clock.now },
      sleep: { try await sleeper.sleep($0) }
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

/// A clock that moves when it is told to.
final class TestClock: Sendable {
  private let time = Lock(Date(timeIntervalSince1970: 1_700_000_000))

  var now: Date { time.withLock { $0 } }
  func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}
