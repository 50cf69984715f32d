import Foundation
import TenonAppCheck
import TenonTestSupport
import TenonTransportInterop
import Testing

@testable import TenonAuth

/// Auth on an unreliable network.
@Suite(.limited) struct AuthFaultTests {
  /// The number of trials: 80, or the value of `TENON_FAULT_TRIALS`.
  private static let count = number("TENON_FAULT_TRIALS") ?? 80
  /// The seed that determines the order of the trials: 1, or the value of `TENON_FAULT_SEED`.
  private static let seed = UInt64(number("TENON_FAULT_SEED") ?? 1)

  private static func number(_ variable: String) -> Int? {
    ProcessInfo.processInfo.environment[variable].flatMap(Int.init)
  }

  private func onBackend<Trial: Sendable>(
    _ trials: some Collection<Trial>, _ run: @escaping @Sendable (Trial, BackendServer) async throws -> Void
  ) async throws {
    let backend = try BackendServer()
    await withTaskGroup(of: Void.self) { group in
      for (index, trial) in trials.enumerated() {
        if index >= 4 { await group.next() }
        group.addTask {
          do { try await run(trial, backend) } catch { Issue.record(error, "\(trial)") }
        }
      }
    }
    await backend.stop()
  }

  @Test(.deep) func everyOperationEndsSignedInOrOutUnderAllFaults() async throws {
    var trials: [AuthTrial] = []
    var seed = Self.seed
    while trials.count < Self.count {
      trials += AuthTrial.all(seed: seed)
      seed += 1
    }
    try await onBackend(trials.prefix(Self.count)) { try await $0.run($1) }
  }

  @Test func withoutAResponseTheErrorSaysSoAndTheSessionRemains() async throws {
    let backend = try BackendServer()
    let app = try FaultyApp(backend: backend, seed: Self.seed)
    defer { app.remove() }
    let profile = try await app.launch().auth.signInAnonymously().user.profile
    app.proxy.stop()
    let (auth, appCheck) = try app.launch()
    for operation in [AuthOperation.refresh, .reload, .updateProfile, .link, .deleteUser] {
      let error = await #expect(throws: AuthError.self) {
        _ = try await operation.run(auth, AuthOperation.Person(name: "nobody"))
      }
      #expect(error?.code == .networkError, "\(operation)")
      #expect((error?.underlying as? TransportError)?.code == .unreachable, "\(operation)")
    }
    let error = await #expect(throws: AppCheckError.self) { try await appCheck.token(forcingRefresh: true) }
    #expect(error?.code == .serverUnreachable)
    #expect(auth.currentUser?.profile == profile)
    #expect(try app.launch().auth.currentUser?.profile == profile)
    await backend.stop()
  }

  @Test func noSessionIsLostOrIncompleteAfterManyFaults() async throws {
    let walks = (0..<max(Self.count / 12, 1)).map { AuthWalk(seed: Self.seed << 32 + UInt64($0)) }
    try await onBackend(walks) { try await $0.run($1) }
  }
}
