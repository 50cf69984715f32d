import Foundation
import TenonCore
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonAppCheck

/// What happens to a token, by pairs of events in both orders.
@Suite(.limited) struct TokenOrderTests {
  private let fixture = AppCheckFixture()

  /// Whether the event that the test's name mentions first comes first.
  private static let orders = [true, false]

  @Test(arguments: orders) func theOnlyCallerIsCancelledAndTheAnswerArrives(isFirst: Bool) async throws {
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    let gate = fixture.provider.gate()
    let caller = Task { try await appCheck.token() }
    await gate.arrival()
    if isFirst {
      caller.cancel()
      await #expect(throws: CancellationError.self) { try await caller.value }
      gate.open()
    } else {
      gate.open()
      #expect(try await caller.value.token == "token-1")
      caller.cancel()
    }
    // Nobody has waited for an answer that was abandoned, so it isn't kept.
    #expect(try await appCheck.token().token == (isFirst ? "token-2" : "token-1"))
    #expect(fixture.provider.exchanges == (isFirst ? 2 : 1))
  }

  @Test(arguments: orders) func oneCallerIsCancelledAndAnotherOneComes(isFirst: Bool) async throws {
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    let gate = fixture.provider.gate()
    let first = Task { try await appCheck.token() }
    await gate.arrival()
    if isFirst {
      first.cancel()
      _ = await first.result
    }
    let second = Task { try await appCheck.token() }
    if isFirst { await gate.arrival() }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    gate.open()
    // The second caller may come so late that the first one has already left.
    #expect(try await second.value.token == "token-\(fixture.provider.exchanges)")
    #expect(try await appCheck.token() == second.value)
    #expect((isFirst ? 2...2 : 1...2).contains(fixture.provider.exchanges))
  }

  @Test(arguments: orders) func aRefreshIsDueAndACallerForcesOne(isFirst: Bool) async throws {
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    var waits = fixture.time.waits.makeAsyncIterator()
    try await appCheck.token()
    #expect(await waits.next() == 2_100)
    let gate = fixture.provider.gate()
    if isFirst {
      fixture.time.advance(by: 2_100)
      await gate.arrival()
    }
    let caller = Task { try await appCheck.token(forcingRefresh: true) }
    if !isFirst {
      await gate.arrival()
      fixture.time.advance(by: 2_100)
    }
    gate.open()
    let token = try await caller.value
    // The caller may come so late that the refresh that was due is over.
    let exchanges = fixture.provider.exchanges
    #expect(token.token == "token-\(exchanges)")
    #expect((isFirst ? 2...3 : 2...2).contains(exchanges))
    for _ in 2...exchanges { #expect(await waits.next() == 2_100) }
    // One refresh is scheduled, and not one for each of the two.
    fixture.time.advance(by: 2_100)
    #expect(await waits.next() == 2_100)
    #expect(fixture.provider.exchanges == exchanges + 1)
  }

  @Test(arguments: orders) func theAppIsClosedAndTheAnswerArrives(isFirst: Bool) async throws {
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    let changes = appCheck.tokenChanges
    let gate = fixture.provider.gate()
    let caller = Task { try await appCheck.token() }
    await gate.arrival()
    if isFirst { await appCheck.keeper.close() }
    gate.open()
    #expect(try await caller.value.token == "token-1")
    if !isFirst { await appCheck.keeper.close() }
    #expect(await appCheck.keeper.refresh == nil)
    let seen = await changes.reduce(into: []) { $0.append($1.token) }
    #expect(seen == (isFirst ? [] : ["token-1"]))
  }

  @Test(arguments: orders) func theAppIsClosedAndARefreshIsDue(isFirst: Bool) async throws {
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    var waits = fixture.time.waits.makeAsyncIterator()
    try await appCheck.token()
    #expect(await waits.next() == 2_100)
    let refresh = try #require(await appCheck.keeper.refresh)
    let gate = fixture.provider.gate()
    if isFirst { await appCheck.keeper.close() }
    fixture.time.advance(by: 2_100)
    if !isFirst {
      await gate.arrival()
      await appCheck.keeper.close()
    }
    gate.open()
    await refresh.value
    #expect(await appCheck.keeper.refresh == nil)
    #expect(fixture.provider.exchanges == (isFirst ? 1 : 2))
    #expect(try await appCheck.token().token == (isFirst ? "token-1" : "token-2"))
  }

  @Test(arguments: orders) func theRefreshIsDisabledAndDue(isFirst: Bool) async throws {
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    var waits = fixture.time.waits.makeAsyncIterator()
    try await appCheck.token()
    #expect(await waits.next() == 2_100)
    let refresh = try #require(await appCheck.keeper.refresh)
    let gate = fixture.provider.gate()
    if isFirst { appCheck.isTokenAutoRefreshEnabled = false }
    fixture.time.advance(by: 2_100)
    if !isFirst {
      await gate.arrival()
      appCheck.isTokenAutoRefreshEnabled = false
    }
    gate.open()
    await refresh.value
    try await eventually { await appCheck.keeper.refresh == nil }
    #expect(fixture.provider.exchanges == (isFirst ? 1 : 2))
    #expect(try await appCheck.token().token == (isFirst ? "token-1" : "token-2"))
  }

  @Test(arguments: orders) func theTokenExpiresAndTheExchangeFails(isFirst: Bool) async throws {
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    appCheck.isTokenAutoRefreshEnabled = false
    try await appCheck.token()
    // Too late for a fresh token, but it is valid for 200 more seconds.
    fixture.time.advance(by: 3_400)
    let gate = fixture.provider.gate()
    let caller = Task { try await appCheck.token() }
    await gate.arrival()
    fixture.provider.fail(with: AppCheckError(.serverUnreachable, "No network."))
    if isFirst { fixture.time.advance(by: 200) }
    gate.open()
    let result = await caller.result
    fixture.time.advance(by: 200)
    if isFirst {
      #expect(throws: AppCheckError.self) { try result.get() }
    } else {
      #expect(try result.get().token == "token-1")
    }
    await #expect(throws: AppCheckError.self) { try await appCheck.token() }
  }

  /// A failure before a success doesn't lengthen the wait after a later failure.
  @Test func theIntervalOfRetriesBeginsAnewAfterASuccess() async throws {
    defer { fixture.remove() }
    let appCheck = try fixture.launch()
    var waits = fixture.time.waits.makeAsyncIterator()
    try await appCheck.token()
    for _ in 1...2 {
      #expect(await waits.next() == 2_100)
      fixture.provider.fail(with: AppCheckError(.serverUnreachable, "No network."))
      fixture.time.advance(by: 2_100)
      #expect(await waits.next() == 30)
      fixture.time.advance(by: 30)
      #expect(await waits.next() == 60)
      fixture.provider.fail(with: nil)
      fixture.time.advance(by: 60)
    }
    #expect(await waits.next() == 2_100)
  }
}
