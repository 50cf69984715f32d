import Foundation
import TenonAppCheckInterop
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonAppCheck

@Suite(.limited) struct TokenTests {
  private struct Failure: Error {}

  @Test func appCheckKeepsTheContractOfItsInterop() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    try await AppCheckInteropContract.check(AttestedApp(keeper: try fixture.launch().keeper))
    let failing = AppCheckFixture()
    defer { failing.remove() }
    failing.provider.fail(with: Failure())
    let interop = AttestedApp(keeper: try failing.launch().keeper)
    try await AppCheckInteropContract.checkFailing(interop)
    let result = await interop.token(forcingRefresh: false)
    #expect(result.token == "eyJlcnJvciI6IlVOS05PV05fRVJST1IifQ==")
    #expect((result.error as? AppCheckError)?.code == .providerFailed)
  }

  @Test func aTokenIsRefreshedFiveMinutesBeforeItsExpiry() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    appCheck.isTokenAutoRefreshEnabled = false
    let first = try await appCheck.token()
    fixture.time.advance(by: 3_600 - 301)
    #expect(try await appCheck.token() == first)
    fixture.time.advance(by: 1)
    #expect(try await appCheck.token().token == "token-2")
    #expect(try await appCheck.token(forcingRefresh: true).token == "token-3")
    #expect(try await appCheck.token().token == "token-3")
    #expect(fixture.provider.exchanges == 3)
  }

  @Test func aHundredCallersShareOneExchangeAndOneMayBeCancelled() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    let gate = fixture.provider.gate()
    let callers = (0..<100).map { _ in Task { try await appCheck.token() } }
    let leaver = Task { try await appCheck.token(forcingRefresh: true) }
    await gate.arrival()
    leaver.cancel()
    await #expect(throws: CancellationError.self) { try await leaver.value }
    gate.open()
    var tokens: Set<String> = []
    for caller in callers { tokens.insert(try await caller.value.token) }
    #expect(tokens == ["token-1"])
    #expect(fixture.provider.exchanges == 1)
  }

  @Test func anExchangeWithoutCallersIsCancelled() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    let gate = fixture.provider.gate()
    let caller = Task { try await appCheck.token() }
    await gate.arrival()
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    fixture.provider.state.withLock { $0.gate = nil }
    #expect(try await appCheck.token().token == "token-2")
  }

  @Test func aCachedTokenIsUsedUntilItsExpiryWhileExchangesFail() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    appCheck.isTokenAutoRefreshEnabled = false
    let first = try await appCheck.token()
    fixture.provider.fail(with: AppCheckError(.serverUnreachable, "No network."))
    fixture.time.advance(by: 3_600 - 10)
    #expect(try await appCheck.token() == first)
    let forced = await #expect(throws: AppCheckError.self) { try await appCheck.token(forcingRefresh: true) }
    #expect(forced?.code == .serverUnreachable)
    fixture.time.advance(by: 10)
    await #expect(throws: AppCheckError.self) { try await appCheck.token() }
    fixture.provider.fail(with: nil)
    #expect(try await appCheck.token() != first)
  }

  @Test func limitedUseTokensAreNewAndNotCached() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    #expect(try await appCheck.limitedUseToken().token == "limited-1")
    #expect(try await appCheck.limitedUseToken().token == "limited-2")
    #expect(fixture.provider.exchanges == 0)
    #expect(!FileManager.default.fileExists(atPath: try fixture.tokenFile))
  }

  @Test func settingTheClockBackRefreshesTheToken() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    appCheck.isTokenAutoRefreshEnabled = false
    let first = try await appCheck.token()
    fixture.time.set(by: -30)
    #expect(try await appCheck.token() == first)
    fixture.time.set(by: -86_400)
    #expect(try await appCheck.token().token == "token-2")
  }

  @Test func theProvidersErrorIsTheCauseOfAnError() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    fixture.provider.fail(with: Failure())
    let appCheck = try fixture.launch()
    let error = await #expect(throws: AppCheckError.self) { try await appCheck.token() }
    #expect(error?.code == .providerFailed && error?.underlying is Failure)
    let limited = await #expect(throws: AppCheckError.self) { try await appCheck.limitedUseToken() }
    #expect(limited?.code == .providerFailed)
  }

  @Test(arguments: [
    ("", 3_600.0), ("two lines\r\nX-Evil: 1", 3_600), ("tökén", 3_600), ("fine", 0), ("fine", -1),
  ])
  func anImpossibleTokenIsRejected(value: String, lifetime: Double) async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    fixture.provider.state.withLock {
      $0.value = value
      $0.lifetime = lifetime
    }
    let appCheck = try fixture.launch()
    let error = await #expect(throws: AppCheckError.self) { try await appCheck.token() }
    #expect(error?.code == .invalidToken)
  }

  @Test(arguments: [
    (AppBackend.production, false), (.embedded(directory: nil), true), (.emulator(EmulatorHosts()), true),
  ])
  func productionAcceptsNoUnsignedTokens(backend: AppBackend, isAccepted: Bool) async throws {
    let fixture = AppCheckFixture(backend: backend)
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    fixture.provider.state.withLock { $0.value = AppCheckFixture.jwt("RS256") }
    #expect(try await appCheck.token().token == AppCheckFixture.jwt("RS256"))
    fixture.provider.state.withLock { $0.value = AppCheckFixture.jwt("none") }
    for exchange in [
      { try await appCheck.token(forcingRefresh: true) }, { try await appCheck.limitedUseToken() },
    ] {
      if isAccepted {
        #expect(try await exchange().token == AppCheckFixture.jwt("none"))
      } else {
        #expect(await #expect(throws: AppCheckError.self) { _ = try await exchange() }?.code == .invalidToken)
      }
    }
  }

  @Test func descriptionsContainNoToken() async throws {
    let token = AppCheckToken(token: "s3cret", expirationDate: .distantFuture)
    let kept = KeptToken(source: "", value: Secret("s3cret"), received: .now, expires: .now)
    var dumped = ""
    dump(token, to: &dumped)
    dump(kept, to: &dumped)
    let texts = ["\(token)", String(reflecting: token), "\(kept)", String(reflecting: kept), dumped]
    #expect(!texts.contains { $0.contains("s3cret") })
  }

  @Test func changesBeginWithTheTokenAndEndWithTheApp() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    try await appCheck.token()
    var changes = appCheck.tokenChanges.makeAsyncIterator()
    #expect(await changes.next()?.token == "token-1")
    try await appCheck.token(forcingRefresh: true)
    #expect(await changes.next()?.token == "token-2")
    await appCheck.keeper.close()
    #expect(await changes.next() == nil)
    var late = appCheck.tokenChanges.makeAsyncIterator()
    #expect(await late.next() == nil)
  }
}
