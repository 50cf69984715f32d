import Foundation
import TenonCore
import TenonTestSupport
import TenonTransportInterop
import Testing

@testable import TenonAuth

/// An app with Auth that uses a scripted server, at a time that the test sets.
struct AuthFixture {
  let server = ScriptedServer()
  /// The clock of the session.
  let time = TestTime()
  /// The clock of retries, which advances without waiting.
  let network = TestTime(advancesItself: true)
  let directory: String
  private let context: AppContext

  init(backend: AppBackend = .emulator(EmulatorHosts(auth: "127.0.0.1:9099"))) throws {
    let name = "auth-\(UUID())"
    directory = NSTemporaryDirectory() + name
    let options = AppOptions(projectID: "demo", apiKey: "key", backend: backend, data: .directory(directory))
    context = try App.configure(name: name, options: options, libraries: []).context
  }

  /// Creates the `Auth` of one process; each call is a launch.
  func launch() throws -> Auth {
    try Auth(
      app: context,
      appCheck: nil,
      transport: server,
      store: FileSessionStore(directory: try sessionDirectory),
      time: time.source,
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

extension Auth {
  /// The signed-in user.
  var user: User {
    get throws { try #require(currentUser) }
  }
}

extension AuthCredential {
  /// The credential of an email address and its password.
  static func email(_ email: String, _ password: String) -> AuthCredential {
    EmailAuthProvider.credential(withEmail: email, password: password)
  }
}
