import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport

@testable import TenonAppCheck

/// An app whose provider and clock the test controls.
struct AppCheckFixture {
  let provider: ScriptedProvider
  let time = TestTime()
  let directory: String
  let context: AppContext

  init(backend: AppBackend = .production, appID: String = "1:2:web:3") {
    directory = NSTemporaryDirectory() + "app-check-\(UUID())"
    context = AppContext(
      name: "tests",
      options: AppOptions(
        projectID: "demo", apiKey: "key", appID: appID, backend: backend, data: .directory(directory)),
      userAgent: "tenon-tests/1"
    )
    let time = time
    provider = ScriptedProvider { time.date }
  }

  /// Creates the App Check of one process; each call is a launch.
  func launch() throws -> AppCheck {
    AppCheck(
      app: context,
      provider: provider,
      store: FileTokenStore(directory: try libraryDirectory),
      time: time.source
    )
  }

  var libraryDirectory: String {
    get throws { try context.directory(for: "tenon-app-check") ?? directory }
  }

  var tokenFile: String {
    get throws { "\(try libraryDirectory)/token.json" }
  }

  func remove() { try? FileManager.default.removeItem(atPath: directory) }

  static func mode(of path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  /// Returns a JWT whose header names an algorithm.
  static func jwt(_ algorithm: String, id: String = "1") -> String {
    let parts = [#"{"alg":"\#(algorithm)","typ":"JWT"}"#, #"{"sub":"app","jti":"\#(id)"}"#].map { part in
      Data(part.utf8).base64EncodedString().trimmingCharacters(in: ["="])
    }
    return parts.joined(separator: ".") + "." + (algorithm == "none" ? "" : "c2lnbmF0dXJl")
  }
}

/// A provider that numbers its tokens, fails on demand, and can hold exchanges.
final class ScriptedProvider: AppCheckProvider {
  struct State {
    var exchanges = 0
    var limitedUse = 0
    var lifetime: TimeInterval = 3_600
    var value: String?
    var failure: (any Error)?
    var gate: Gate?
  }

  let state = Lock(State())
  private let now: @Sendable () -> Date

  init(now: @escaping @Sendable () -> Date) { self.now = now }

  var exchanges: Int { state.withLock { $0.exchanges } }

  func fail(with error: (any Error)?) { state.withLock { $0.failure = error } }

  func gate() -> Gate {
    let gate = Gate()
    state.withLock { $0.gate = gate }
    return gate
  }

  func getToken() async throws -> AppCheckToken {
    let gate = state.withLock { state in
      state.exchanges += 1
      return state.gate
    }
    try await gate?.pass()
    return try state.withLock { state in
      if let failure = state.failure { throw failure }
      return AppCheckToken(
        token: state.value ?? "token-\(state.exchanges)", expirationDate: now() + state.lifetime)
    }
  }

  func getLimitedUseToken() async throws -> AppCheckToken {
    try state.withLock { state in
      state.limitedUse += 1
      if let failure = state.failure { throw failure }
      return AppCheckToken(token: state.value ?? "limited-\(state.limitedUse)", expirationDate: now() + 300)
    }
  }
}
