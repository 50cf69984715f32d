import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonAppCheck

@Suite(.limited)
struct RefreshTests {
  @Test func aTokenIsRefreshedAutomaticallyBeforeItsExpiry() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    var waits = fixture.time.waits.makeAsyncIterator()
    try await appCheck.token()
    var changes = appCheck.tokenChanges.makeAsyncIterator()
    #expect(await changes.next()?.token == "token-1")
    // Often: a refresh that is due as soon as a token is stored must not join the exchange of that token.
    for number in 2...DeepTests.count(60, deep: 300) {
      // Half of an hour and five minutes.
      #expect(await waits.next() == 2_100)
      fixture.time.advance(by: 2_100)
      #expect(await changes.next()?.token == "token-\(number)")
    }
  }

  @Test(arguments: [
    (3_600.0, 2_100.0), (86_400, 43_500), (600, 300), (300, 60), (60, 60), (1e300, 31_536_000),
    (.infinity, 31_536_000),
  ])
  func theWaitFollowsTheLifetime(lifetime: Double, wait: Double) async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    fixture.provider.state.withLock { $0.lifetime = lifetime }
    var waits = fixture.time.waits.makeAsyncIterator()
    let appCheck = try fixture.launch()
    try await appCheck.token()
    #expect(await waits.next() == wait)
  }

  @Test func failuresAreRetriedAtGrowingIntervals() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    var waits = fixture.time.waits.makeAsyncIterator()
    try await appCheck.token()
    #expect(await waits.next() == 2_100)
    fixture.provider.fail(with: AppCheckError(.serverUnreachable, "No network."))
    fixture.time.advance(by: 2_100)
    for expected in [30.0, 60, 120, 240, 480, 960] {
      #expect(await waits.next() == expected)
      fixture.time.advance(by: expected)
    }
    #expect(await waits.next() == 960)
    fixture.provider.fail(with: nil)
    fixture.time.advance(by: 960)
    #expect(await waits.next() == 2_100)
    #expect(try await appCheck.token().token == "token-9")
  }

  @Test func automaticRefreshCanBeDisabledAndEnabled() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    var waits = fixture.time.waits.makeAsyncIterator()
    appCheck.isTokenAutoRefreshEnabled = false
    try await appCheck.token()
    #expect(await appCheck.keeper.refresh == nil)
    fixture.time.advance(by: 100)
    appCheck.isTokenAutoRefreshEnabled = true
    #expect(await waits.next() == 2_000)
    #expect(appCheck.isTokenAutoRefreshEnabled)
  }

  @Test func aStoredTokenIsRefreshedAfterARestart() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let first = try fixture.launch()
    try await first.token()
    await first.keeper.close()
    #expect(await first.keeper.refresh == nil)
    fixture.time.advance(by: 600)
    let second = try fixture.launch()
    #expect(try await second.token().token == "token-1")
    #expect(await second.keeper.refresh != nil)
  }
}
