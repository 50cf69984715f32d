import Foundation
import TenonAppCheckInterop
import TenonAuthInterop
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonFunctions

/// P4: the timeout of a call covers the time for tokens.
@Suite(.limited) struct DeadlineTests {
  private let time = TestTime()

  private func functions(
    auth: (any AuthInterop)? = nil, appCheck: (any AppCheckInterop)? = nil
  ) throws -> (functions: Functions, transport: FakeTransport) {
    let transport = FakeTransport { _ in TransportResponse(status: 200, body: Data(#"{"result": 1}"#.utf8)) }
    let context = AppContext(
      name: "tests", options: AppOptions(projectID: "demo"), userAgent: "tenon-tests/1")
    let instances = try FunctionsInstances(
      app: context, auth: auth, appCheck: appCheck, transport: transport, time: time.source)
    return (try instances.functions(region: "us-central1"), transport)
  }

  @Test(arguments: ["Auth", "App Check"], [false, true])
  func p4TokenThatNeverArrivesEndsWithTheTimeout(silent: String, limitedUse: Bool) async throws {
    let (functions, transport) = try functions(
      auth: silent == "Auth" ? SilentTokens() : nil, appCheck: silent == "App Check" ? SilentTokens() : nil)
    var waits = time.waits.makeAsyncIterator()
    let call = Task {
      let options = HTTPSCallableOptions(requireLimitedUseAppCheckTokens: limitedUse)
      let count = functions.httpsCallable("count", options: options)
      count.timeoutInterval = .seconds(20)
      return try await count.call()
    }
    #expect(await waits.next() == 20)
    time.advance(by: 20)
    let error = await #expect(throws: FunctionsError.self) { try await call.value }
    #expect(error?.code == .deadlineExceeded && error?.message.contains(silent) == true)
    #expect(transport.requests.isEmpty)
  }

  /// An implementation of Auth that takes 15 seconds for a token.
  private struct SlowAuth: AuthInterop {
    let time: TestTime
    var currentUserID: String? { "slow" }
    var stateChanges: AsyncStream<AuthState> { AsyncStream { $0.finish() } }

    func token(forcingRefresh: Bool) async throws -> String? {
      time.advance(by: 15)
      return "token"
    }
  }

  @Test func p4RequestGetsTheTimeThatTokensLeave() async throws {
    let (functions, transport) = try functions(auth: SlowAuth(time: time), appCheck: FakeAppCheck())
    var count: Callable<Int?, Int> = functions.httpsCallable("count")
    count.timeoutInterval = .seconds(20)
    #expect(try await count(nil) == 1)
    #expect(transport.requests.map(\.deadline) == [.seconds(5)])
    #expect(transport.requests.first?.headers["Authorization"] == "Bearer token")
  }

  @Test func cancelledCallDoesNotWaitForAToken() async throws {
    let (functions, transport) = try functions(auth: SilentTokens())
    var waits = time.waits.makeAsyncIterator()
    let call = Task { try await functions.httpsCallable("count").call() }
    #expect(await waits.next() == 70)
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(transport.requests.isEmpty)
  }

  @Test func timeoutIs70SecondsByDefaultAndSetPerReference() throws {
    let (functions, _) = try functions()
    let first = functions.httpsCallable("f")
    first.timeoutInterval = .seconds(5)
    #expect(functions.httpsCallable("f").timeoutInterval == .seconds(70))
    #expect(
      functions.httpsCallable("f", requestAs: Int.self, responseAs: Int.self).timeoutInterval == .seconds(70))
  }

  @Test func timeoutOfAnyLengthIsAccepted() async throws {
    let (functions, transport) = try functions()
    let count = functions.httpsCallable("count")
    count.timeoutInterval = .seconds(Int64.max)
    try await count.call()
    #expect(transport.requests.map(\.deadline) == [.longestWait])
  }

  /// The transport of this test has no deadlines, and responds.
  @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min)])
  func timeoutOfZeroOrLessEndsTheCallAtOnce(timeout: Duration) async throws {
    let (functions, transport) = try functions()
    let count = functions.httpsCallable("count")
    count.timeoutInterval = timeout
    let error = await #expect(throws: FunctionsError.self) { try await count.call() }
    #expect(error?.code == .deadlineExceeded)
    #expect(transport.requests.map(\.deadline) == [.zero])
  }
}
