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

/// The tokens that a stream passes on, whatever happens first.
@Suite(.limited) struct TokenChangesOrderTests {
  private static func client(_ auth: FakeAuth) -> FirestoreClient {
    FirestoreClient(
      http: HTTPClient(transport: FakeTransport { _ in TransportResponse(status: 200) }), auth: auth,
      appCheck: nil,
      options: AppOptions(projectID: "p", data: .memory))
  }

  /// The user who is signed in, and the tokens that a stream of Ann must have received, if everything is
  /// quiet between the events.
  private struct Model {
    var (user, refreshes, isCancelled) = ("ann", 0, false)
    var tokens = ["Bearer ann-token-0"]

    mutating func happens(_ event: String) {
      let before = (user, refreshes)
      switch event {
      case "the token changes": refreshes += 1
      case "another user signs in": (user, refreshes) = ("bob", 0)
      case "the user returns": (user, refreshes) = ("ann", 0)
      default: isCancelled = true
      }
      // Auth reports changes only.
      if user == "ann", !isCancelled, (user, refreshes) != before {
        tokens.append("Bearer ann-token-\(refreshes)")
      }
    }
  }

  @Test func aStreamReceivesTheTokensOfItsUserOnly() async {
    await forEveryOrder { schedule in
      let auth = FakeAuth()
      auth.signIn(userID: "ann")
      let received = Lock<[String]>([])
      let observers = Self.client(auth).tokenChanges(in: RemoteContext(user: "ann")) { _, value in
        received.withLock { $0.append(value) }
      }
      schedule.event("the token changes") { Task { _ = try await auth.token(forcingRefresh: true) } }
      schedule.event("another user signs in") { auth.signIn(userID: "bob") }
      schedule.event("the user returns") { auth.signIn(userID: "ann") }
      schedule.event("the stream ends") { for observer in observers { observer.cancel() } }
      await schedule.play()
      let tokens = received.withLock(\.self)
      #expect(tokens.allSatisfy { $0.hasPrefix("Bearer ann-") }, "\(tokens)")
      guard schedule.isQuietBetweenEvents else { return }
      var model = Model()
      for event in schedule.order { model.happens(event) }
      #expect(tokens == model.tokens)
    }
  }
}
