import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTransport

@testable import TenonAppCheck
@testable import TenonAuth

/// An app with Auth and App Check whose requests pass through a ``FaultProxy``. It can be relaunched, like
/// another process of the same installation.
struct FaultyApp: Sendable {
  let proxy: FaultProxy
  let directory: URL
  private let context: AppContext
  /// A clock on which retries don't wait.
  private let time = TestTime(advancesItself: true)

  init(backend: BackendServer, seed: UInt64) throws {
    proxy = try FaultProxy(to: backend.port, seed: seed)
    directory = FileManager.default.temporaryDirectory.appending(path: "faults-\(UUID())")
    context = AppContext(
      name: "faulty",
      options: AppOptions(
        projectID: BackendServer.projectID, apiKey: "key", appID: "1:42:web:a1",
        backend: .embedded(directory: nil), data: .directory(directory.path)),
      userAgent: "tenon-tests/1"
    )
  }

  /// Launches the app, with nothing in memory and no connections.
  ///
  /// - Parameter isImpatient: whether to wait for responses only as long as tests should.
  func launch(isImpatient: Bool = false) throws -> (auth: Auth, appCheck: AppCheck) {
    var transport = FaultyTransport(port: proxy.port)
    if isImpatient { transport.patience = .seconds(1) }
    let appCheck = try launchAppCheck(transport)
    let auth = try Auth(
      app: context,
      appCheck: AttestedApp(keeper: appCheck.keeper),
      transport: transport,
      store: try context.standardSessionStore,
      retries: time.source
    )
    return (auth, appCheck)
  }

  private func launchAppCheck(_ transport: FaultyTransport) throws -> AppCheck {
    let provider = try AppCheckDebugProvider(
      app: context, transport: transport, token: Secret("faults"), time: time.source
    ) { _ in }
    let directory = try context.directory(for: AppCheckLibrary.name) ?? ""
    let appCheck = AppCheck(
      app: context, provider: provider, store: FileTokenStore(directory: directory), time: time.source)
    // By this time, automatic renewals would continue without end.
    appCheck.isTokenAutoRefreshEnabled = false
    return appCheck
  }

  /// The stored App Check token.
  var keptAppCheckToken: AppCheckToken? {
    get throws {
      try FileTokenStore(directory: try context.directory(for: AppCheckLibrary.name) ?? "").load()?.token
    }
  }

  /// Deletes the App Check token, so that the next launch must exchange another one.
  func forgetAppCheckToken() throws {
    let file = "\(try context.directory(for: AppCheckLibrary.name) ?? "")/token.json"
    if FileManager.default.fileExists(atPath: file) { try FileManager.default.removeItem(atPath: file) }
  }

  /// The names of Auth's files.
  var sessionFiles: Set<String> {
    get throws {
      let directory = try context.directory(for: AuthLibrary.name) ?? ""
      return Set(try FileManager.default.contentsOfDirectory(atPath: directory))
    }
  }

  func remove() {
    proxy.stop()
    try? FileManager.default.removeItem(at: directory)
  }
}
