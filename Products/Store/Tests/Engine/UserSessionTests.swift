import TenonAuthInterop
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Which user the engine takes for the signed-in one, whatever happens first.
@Suite(.limited) struct UserSessionTests {
  /// Auth whose first two answers arrive when gates open. Each answer is the user at the time of the
  /// question.
  private final class SlowAuth: AuthInterop {
    let answers = [Gate(), Gate()]
    private let state = Lock((user: "ann", questions: 0))

    var currentUserID: String? {
      get async throws {
        let (user, number) = state.withLock { state in
          defer { state.questions += 1 }
          return state
        }
        if number < answers.count { try await answers[number].pass() }
        return user
      }
    }
    var stateChanges: AsyncStream<AuthState> { AsyncStream { $0.finish() } }

    func token(forcingRefresh: Bool) async throws -> String? { nil }
    func signIn(_ user: String) { state.withLock { $0.user = user } }
  }

  /// An engine that reads the session, and records the user after each time.
  private actor Engine {
    private let session: UserSession
    private(set) var users: [String?] = []
    var user: String? { session.user }

    init(_ auth: any AuthInterop) {
      session = UserSession(
        StoreEngine.Configuration(logger: LogRecorder().logger, remote: FakeStoreRemote(), auth: { auth }))
    }

    func refresh() async throws {
      _ = try await session.refresh {}
      users.append(session.user)
    }

    func stop() { session.stop() }
  }

  @Test func anAnswerThatANewerOneHasOvertakenIsNotUsed() async {
    await forEveryOrder { schedule in
      let auth = SlowAuth()
      let engine = Engine(auth)
      let first = schedule.task { try await engine.refresh() }
      let second = Lock<ScheduledTask<Void>?>(nil)
      schedule.event("the user changes") { auth.signIn("bob") }
      schedule.event("the session is read again") {
        let task = schedule.task { try await engine.refresh() }
        second.withLock { $0 = task }
      }
      schedule.event("the first answer arrives") { auth.answers[0].open() }
      schedule.event("the second answer arrives") { auth.answers[1].open() }
      schedule.event("the first reading is cancelled") { first.cancel() }
      await schedule.play()
      #expect(first.result != nil, "the first reading ends")
      // It doesn't end with the first one, with which it has nothing in common.
      #expect(second.withLock(\.self)?.value != nil, "the second reading succeeds")
      let users = await engine.users
      if let change = users.firstIndex(of: "bob") {
        #expect(users[change...].allSatisfy { $0 == "bob" }, "\(users)")
      }
      if schedule.isQuietBetweenEvents {
        if schedule.comes("the user changes", before: "the session is read again") {
          #expect(await engine.user == "bob")
        }
        #expect(
          first.wasCancelled
            == (schedule.comes("the first reading is cancelled", before: "the first answer arrives")
              && !Self.secondAnswers(beforeTheCancellationIn: schedule)))
      }
    }
  }

  /// An Auth that reports when the stream of its changes is cancelled.
  private final class ObservedAuth: AuthInterop {
    let isLeft = AsyncStream.makeStream(of: Void.self)
    private let changes = AsyncStream.makeStream(of: AuthState.self)
    var currentUserID: String? { "ann" }
    var stateChanges: AsyncStream<AuthState> {
      changes.continuation.onTermination = { [isLeft] _ in isLeft.continuation.yield() }
      return changes.stream
    }

    func token(forcingRefresh: Bool) async throws -> String? { nil }
  }

  @Test func aSessionThatIsStoppedCancelsItsStreamOfChanges() async throws {
    let auth = ObservedAuth()
    let engine = Engine(auth)
    try await engine.refresh()
    await engine.stop()
    for await _ in auth.isLeft.stream { break }
    #expect(await engine.user == "ann")
  }

  /// Whether the second reading ends before the first one is cancelled. The user last read is kept then.
  private static func secondAnswers(beforeTheCancellationIn schedule: Schedule) -> Bool {
    schedule.comes("the session is read again", before: "the first reading is cancelled")
      && schedule.comes("the second answer arrives", before: "the first reading is cancelled")
  }
}
