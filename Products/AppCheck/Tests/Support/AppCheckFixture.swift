import Foundation
import TenonCore
import TenonTesting

@testable import TenonAppCheck

/// An app whose provider and time the test drives.
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

  /// App Check as one process has it; each call stands for a launch.
  func launch() throws -> AppCheck {
    AppCheck(
      app: context,
      provider: provider,
      store: FileTokenStore(directory: try libraryDirectory),
      pace: time.source
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

  /// A JWT with a header of this algorithm.
  static func jwt(_ algorithm: String, id: String = "1") -> String {
    let parts = [#"{"alg":"\#(algorithm)","typ":"JWT"}"#, #"{"sub":"app","jti":"\#(id)"}"#].map { part in
      Data(part.utf8).base64EncodedString().trimmingCharacters(in: ["="])
    }
    return parts.joined(separator: ".") + "." + (algorithm == "none" ? "" : "c2lnbmF0dXJl")
  }
}

/// A provider that numbers its tokens, fails on demand, and holds exchanges back.
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

  func token() async throws -> AppCheckToken {
    let gate = state.withLock { state in
      state.exchanges += 1
      return state.gate
    }
    try await gate?.pass()
    return try state.withLock { state in
      if let failure = state.failure { throw failure }
      return AppCheckToken(state.value ?? "token-\(state.exchanges)", expires: now() + state.lifetime)
    }
  }

  func limitedUseToken() async throws -> AppCheckToken {
    try state.withLock { state in
      state.limitedUse += 1
      if let failure = state.failure { throw failure }
      return AppCheckToken(state.value ?? "limited-\(state.limitedUse)", expires: now() + 300)
    }
  }
}
