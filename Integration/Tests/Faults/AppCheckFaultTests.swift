import Foundation
import TenonTestSupport
import Testing

@testable import TenonAppCheck

/// App Check on an unreliable network.
@Suite(.limited) struct AppCheckFaultTests {
  enum Need: CaseIterable, Sendable { case first, renewed, forSingleUse }

  private func token(_ appCheck: AppCheck, _ need: Need) async throws -> AppCheckToken {
    switch need {
    case .first: try await appCheck.token()
    case .renewed: try await appCheck.token(forcingRefresh: true)
    case .forSingleUse: try await appCheck.limitedUseToken()
    }
  }

  @Test(arguments: Fault.allCases, DeepTests.few(1, of: Need.allCases))
  func anExchangeReturnsATokenOrAnErrorAndKeepsTheStoredOne(fault: Fault, need: Need) async throws {
    let backend = try BackendServer()
    for isLasting in [false, true] {
      let app = try FaultyApp(backend: backend, seed: isLasting ? 1 : 2)
      defer { app.remove() }
      if need == .renewed { try await app.launch().appCheck.token() }
      let before = try app.keptAppCheckToken

      let appCheck = try app.launch(isImpatient: true).appCheck
      let (result, faults) = await app.proxy.withFaults({ index, _ in index == 0 || isLasting ? fault : nil })
      {
        try await token(appCheck, need)
      }
      #expect(!faults.isEmpty)
      let after = try app.keptAppCheckToken
      switch result {
      case .success(let token):
        #expect(!token.token.isEmpty && token != before)
        #expect(after == (need == .forSingleUse ? before : token))
      case .failure(let error):
        #expect(error is AppCheckError, "\(error)")
        #expect(after == before)
      }
      #expect(await appCheck.cacheProblem == nil)
      let next = try app.launch().appCheck
      let present = try await next.token()
      #expect(after == nil || present == after)
      #expect(try await next.token(forcingRefresh: true) != present)
    }
    await backend.stop()
  }
}
