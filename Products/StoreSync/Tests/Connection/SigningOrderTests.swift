import TenonAuthInterop
import TenonCore
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStoreSync

/// What becomes of a request that waits for a token, whatever happens first.
@Suite(.limited) struct SigningOrderTests {
  /// Auth whose token arrives when a gate opens, and is then that of the user who is signed in.
  private struct SlowAuth: AuthInterop {
    let auth = FakeAuth()
    let answer = Gate()

    var currentUserID: String? { auth.currentUserID }
    var stateChanges: AsyncStream<AuthState> { auth.stateChanges }

    func token(forcingRefresh: Bool) async throws -> String? {
      try await answer.pass()
      return try await auth.token(forcingRefresh: forcingRefresh)
    }
  }

  private enum Outcome: Equatable {
    case signed(String?)
    case failed(StoreRemoteError.Code)
    case cancelled
  }

  /// The outcome if everything is quiet between the events: of the answer, the cancellation and the deadline,
  /// the first counts.
  private static func expected(_ order: [String]) -> Outcome {
    for (index, event) in order.enumerated() {
      switch event {
      case "the token arrives":
        return order[..<index].contains("the user changes")
          ? .failed(.unauthenticated) : .signed("Bearer ann-token-0")
      case "the call is cancelled": return .cancelled
      case "the deadline passes": return .failed(.deadlineExceeded)
      default: continue
      }
    }
    preconditionFailure("The order has none of the events that end a call.")
  }

  @Test func aRequestHasTheTokenOfItsUserOrIsNotSent() async {
    await forEveryOrder { schedule in
      let (auth, time) = (SlowAuth(), TestTime())
      auth.auth.signIn(userID: "ann")
      let client = FirestoreClient(
        http: HTTPClient(
          transport: FakeTransport { _ in TransportResponse(status: 200) }, time: time.source),
        auth: auth, appCheck: nil, options: AppOptions(projectID: "p", data: .memory))
      let call = schedule.task {
        let request = TransportRequest(.post, try client.url("/v1/x"))
        return try await client.signed(
          request, in: RemoteContext(user: "ann"), by: time.now + .seconds(10))
      }
      schedule.event("the token arrives") { auth.answer.open() }
      schedule.event("the user changes") { auth.auth.signIn(userID: "bob") }
      schedule.event("the call is cancelled") { call.cancel() }
      schedule.event("the deadline passes") { time.advance(by: 10) }
      await schedule.play()
      let result = try #require(call.result, "the call ends")
      let outcome: Outcome
      switch result {
      case .success(let request): outcome = .signed(request.headers["Authorization"])
      case .failure(let error as StoreRemoteError): outcome = .failed(error.code)
      case .failure(is CancellationError): outcome = .cancelled
      case .failure(let error): throw error
      }
      if case .signed(let token) = outcome { #expect(token == "Bearer ann-token-0") }
      if schedule.isQuietBetweenEvents { #expect(outcome == Self.expected(schedule.order)) }
    }
  }
}
