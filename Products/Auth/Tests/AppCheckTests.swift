import Foundation
import TenonAppCheckInterop
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAuth

@Suite(.limited) struct AppCheckTests {
  private let server = ScriptedServer()

  private func auth(_ appCheck: FakeAppCheck?, host: String = "127.0.0.1:9099") throws -> Auth {
    let options = AppOptions(
      projectID: "demo", apiKey: "key", backend: .emulator(EmulatorHosts(auth: host)),
      data: .memory)
    let app = AppContext(name: "tests", options: options, userAgent: "tenon-tests/1")
    return try Auth(
      app: app, appCheck: appCheck, transport: server, store: MemorySessionStore())
  }

  private var sent: [String?] {
    server.state.withLock { $0.requests.map { $0.headers["X-Firebase-AppCheck"] } }
  }

  @Test func everyRequestCarriesTheToken() async throws {
    let appCheck = FakeAppCheck()
    let auth = try auth(appCheck)
    try await auth.signInAnonymously()
    let count = sent.count
    _ = await appCheck.token(forcingRefresh: true)
    _ = try await auth.user.getIDToken(forcingRefresh: true)
    appCheck.fail(with: CocoaError(.fileReadUnknown))
    _ = try await auth.user.getIDToken(forcingRefresh: true)
    #expect(count > 0 && sent.prefix(count).allSatisfy { $0 == "app-check-1" })
    #expect(sent.dropFirst(count) == ["app-check-2", FakeAppCheck.placeholder])
  }

  @Test func withoutAppCheckNoTokenIsSent() async throws {
    try await auth(nil).signInAnonymously()
    #expect(!sent.isEmpty && sent.allSatisfy { $0 == nil })
  }

  /// The rule of `RequestSigner`, which also signs the requests of Functions and Storage.
  @Test func p6TheTokenIsNotSentUnencryptedToAnotherMachine() async throws {
    try await auth(FakeAppCheck(), host: "192.168.1.5:9099").signInAnonymously()
    #expect(!sent.isEmpty && sent.allSatisfy { $0 == nil })
  }

  @Test func aServerThatRequiresATokenIsReported() async throws {
    let auth = try auth(nil)
    server.fail("signUp", "Firebase App Check token is invalid.", status: 401)
    let error = await #expect(throws: AuthError.self) { try await auth.signInAnonymously() }
    #expect(error?.code == .appCheckTokenInvalid)
    #expect(error?.message.contains("TenonAppCheck") == true)
  }

  /// App Check whose token takes a number of seconds, or never arrives.
  private struct SlowAppCheck: AppCheckInterop {
    let time: TestTime
    let seconds: TimeInterval?

    func token(forcingRefresh: Bool) async -> AppCheckResult {
      guard let seconds else {
        // A provider may not notice that nobody waits any more.
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        return AppCheckResult(token: "never")
      }
      time.advance(by: seconds)
      return AppCheckResult(token: "slow")
    }

    func limitedUseToken() async -> AppCheckResult { await token(forcingRefresh: true) }
    var tokenChanges: AsyncStream<AppCheckResult> { AsyncStream { $0.finish() } }
  }

  private func auth(_ appCheck: any AppCheckInterop, _ time: TestTime) throws -> Auth {
    let options = AppOptions(
      projectID: "demo", apiKey: "key", backend: .emulator(EmulatorHosts(auth: "127.0.0.1:9099")),
      data: .memory)
    let app = AppContext(name: "tests", options: options, userAgent: "tenon-tests/1")
    return try Auth(
      app: app, appCheck: appCheck, transport: server, store: MemorySessionStore(), time: time.source)
  }

  @Test func p4TheDeadlineCoversTheAppCheckToken() async throws {
    let time = TestTime()
    let auth = try auth(SlowAppCheck(time: time, seconds: 10), time)
    try await auth.signInAnonymously()
    let deadlines = server.state.withLock { $0.requests.compactMap(\.deadline) }
    // Each of the two requests waits 10 seconds for its token. A request that may be repeated has a little
    // less, by the time that has passed.
    #expect(deadlines.count == 2 && deadlines.first == .seconds(20))
    #expect(deadlines.last.map { $0 > .seconds(5) && $0 <= .seconds(10) } == true)
  }

  @Test func p4AnAppCheckTokenThatNeverArrivesEndsAtTheDeadline() async throws {
    let time = TestTime()
    let auth = try auth(SlowAppCheck(time: time, seconds: nil), time)
    var waits = time.waits.makeAsyncIterator()
    let signIn = Task { try await auth.signInAnonymously() }
    #expect(await waits.next() == 30)
    time.advance(by: 30)
    let error = await #expect(throws: AuthError.self) { try await signIn.value }
    #expect(error?.code == .networkError && error?.message.contains("App Check") == true)
    #expect(server.methods.isEmpty)
  }
}
