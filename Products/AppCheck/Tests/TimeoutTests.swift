import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAppCheck

@Suite(.limited) struct TimeoutTests {
  private func appCheck(
    _ transport: any TransportInterop, _ fixture: AppCheckFixture, deadlines: TimeSource = .system
  ) throws -> AppCheck {
    let provider = try AppCheckDebugProvider(
      app: fixture.context, transport: transport, token: Secret("debug"),
      time: fixture.time.source
    ) { _ in }
    return AppCheck(
      app: fixture.context, provider: provider, store: MemoryTokenStore(), time: fixture.time.source,
      deadlines: deadlines)
  }

  @Test(arguments: [false, true])
  func timeoutsReachEveryRequestOfTheDebugProvider(limitedUse: Bool) async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let transport = FakeTransport { _ in
      TransportResponse(status: 200, body: Data(#"{"token":"signed","ttl":"3600s"}"#.utf8))
    }
    let appCheck = try appCheck(transport, fixture)
    func run() async throws {
      if limitedUse {
        _ = try await appCheck.limitedUseToken()
      } else {
        try await appCheck.token(forcingRefresh: true)
      }
    }
    try await run()
    let standard = HTTPTimeouts(connecting: .seconds(10), firstByte: nil, inactivity: .seconds(60))
    let changed = HTTPTimeouts(connecting: .seconds(1), firstByte: .seconds(2), inactivity: .seconds(3))
    #expect(appCheck.timeouts == standard && appCheck.timeoutInterval == .seconds(30))
    appCheck.timeouts = changed
    appCheck.timeoutInterval = .seconds(7)
    try await run()
    #expect(transport.requests.map(\.timeouts) == [standard, changed])
    #expect(transport.requests.map(\.deadline) == [.seconds(30), .seconds(7)])
    #expect(transport.requests.allSatisfy { $0.limits.bodyBytes == 1 << 20 })
    await appCheck.keeper.close()
  }

  /// P4: the limit covers every provider, even one that ignores its cancellation.
  @Test(arguments: [false, true])
  func p4ProviderThatNeverReturnsEndsWithTheTimeLimit(limitedUse: Bool) async throws {
    struct Silent: AppCheckProvider {
      func getToken() async throws -> AppCheckToken {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        throw CancellationError()
      }

      func getLimitedUseToken() async throws -> AppCheckToken { try await getToken() }
    }
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let deadlines = TestTime()
    let appCheck = AppCheck(
      app: fixture.context, provider: Silent(), store: MemoryTokenStore(), time: fixture.time.source,
      deadlines: deadlines.source)
    appCheck.timeoutInterval = .seconds(20)
    var waits = deadlines.waits.makeAsyncIterator()
    let call = Task { limitedUse ? try await appCheck.limitedUseToken() : try await appCheck.token() }
    #expect(await waits.next() == 20)
    deadlines.advance(by: 20)
    let error = await #expect(throws: AppCheckError.self) { try await call.value }
    #expect(error?.code == .serverUnreachable)
    #expect(error?.message.hasSuffix("The limit is AppCheck.timeoutInterval.") == true)
    #expect((error?.underlying as? TransportError)?.timeout == .exchange)
  }

  /// P4: attempts and the waits between them share the limit.
  @Test func p4RetriesShareTheTimeLimit() async throws {
    let time = TestTime(advancesItself: true)
    let transport = FakeTransport { _ in
      time.advance(by: 12)
      throw TransportError(.connectionLost, "Bad line.")
    }
    let options = AppOptions(projectID: "demo", apiKey: "key", appID: "1:2:web:3")
    let context = AppContext(name: "tests", options: options, userAgent: "")
    let client = try ExchangeClient(app: context, transport: transport, time: time.source)
    await #expect(throws: AppCheckError.self) {
      try await client.exchange(Secret("debug"), limitedUse: false)
    }
    // The shortest waits between the attempts are a quarter and half of a second.
    #expect(transport.requests.map(\.deadline) == [.seconds(30), .seconds(17.75), .seconds(5.25)])
  }

  #if os(Linux)
    @Test(arguments: StalledTransport.phases)
    func silentServerIsAnErrorThatNamesTheLimit(phase: TransportError.Timeout) async throws {
      let fixture = AppCheckFixture()
      defer { fixture.remove() }
      let transport = try await StalledTransport(silentIn: phase)
      defer { transport.stop() }
      let appCheck = try appCheck(transport, fixture)
      let short = Duration.milliseconds(80)
      let setting: String
      switch phase {
      case .connecting: (appCheck.timeouts.connecting, setting) = (short, "timeouts.connecting")
      case .firstByte: (appCheck.timeouts.firstByte, setting) = (short, "timeouts.firstByte")
      case .inactivity: (appCheck.timeouts.inactivity, setting) = (short, "timeouts.inactivity")
      default: (appCheck.timeoutInterval, setting) = (short, "timeoutInterval")
      }
      let error = await #expect(throws: AppCheckError.self) { try await appCheck.token() }
      #expect(error?.code == .serverUnreachable)
      #expect(
        error?.message.hasSuffix("The limit is AppCheck.\(setting).") == true, "\(error?.message ?? "")")
      #expect((error?.underlying as? TransportError)?.timeout == phase)
    }
  #endif
}
