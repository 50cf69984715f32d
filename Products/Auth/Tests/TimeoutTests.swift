import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAuth

@Suite(.limited) struct TimeoutTests {
  /// The operations that send requests.
  enum Operation: String, CaseIterable, Sendable {
    case createUser, signIn, signInWithLink, signInWithCredential, signInWithCustomToken, signInAnonymously
    case reload, updatePassword, updateEmail, profile, linkProvider, linkPassword, reauthenticate, delete
    case sendVerification, sendPasswordReset, sendSignInLink, checkCode, applyCode, confirmReset, fetchMethods
    case token

    func run(_ auth: Auth) async throws {
      let google = GoogleAuthProvider.credential(withIDToken: "g", accessToken: "a")
      let link = "https://x.example/?mode=signIn&oobCode=code"
      switch self {
      case .createUser: try await auth.createUser(withEmail: "c@example.com", password: "password")
      case .signIn: try await auth.signIn(withEmail: "ada@example.com", password: "lovelace")
      case .signInWithLink: try await auth.signIn(withEmail: "ada@example.com", link: link)
      case .signInWithCredential: try await auth.signIn(with: google)
      case .signInWithCustomToken: try await auth.signIn(withCustomToken: "custom")
      case .signInAnonymously: try await auth.signInAnonymously()
      case .reload: try await auth.user.reload()
      case .updatePassword: try await auth.user.updatePassword(to: "analytical")
      case .updateEmail: try await auth.user.updateEmail(to: "b@example.com")
      case .profile:
        let request = try auth.user.createProfileChangeRequest()
        request.displayName = "Ada"
        try await request.commitChanges()
      case .linkProvider: try await auth.user.link(with: google)
      case .linkPassword: try await auth.user.link(with: .email("b@example.com", "password"))
      case .reauthenticate: try await auth.user.reauthenticate(with: .email("ada@example.com", "lovelace"))
      case .delete: try await auth.user.delete()
      case .sendVerification: try await auth.user.sendEmailVerification()
      case .sendPasswordReset: try await auth.sendPasswordReset(withEmail: "ada@example.com")
      case .sendSignInLink:
        var settings = ActionCodeSettings()
        settings.handleCodeInApp = true
        try await auth.sendSignInLink(toEmail: "ada@example.com", actionCodeSettings: settings)
      case .checkCode: _ = try await auth.checkActionCode("code")
      case .applyCode: try await auth.applyActionCode("code")
      case .confirmReset: try await auth.confirmPasswordReset(withCode: "code", newPassword: "analytical")
      case .fetchMethods: _ = try await auth.fetchSignInMethods(forEmail: "ada@example.com")
      case .token: _ = try await auth.user.getIDToken(forcingRefresh: true)
      }
    }
  }

  @Test(arguments: Operation.allCases)
  func timeoutsReachEveryRequest(operation: Operation) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace")
    if operation == .linkPassword || operation == .signInAnonymously {
      try await auth.signOut()
      if operation == .linkPassword { _ = try await auth.signInAnonymously() }
    }
    let before = fixture.server.methods.count
    #expect(
      fixture.server.lastRequest?.timeouts
        == HTTPTimeouts(connecting: .seconds(10), firstByte: nil, inactivity: .seconds(60)))
    auth.timeouts = HTTPTimeouts(connecting: .seconds(1), firstByte: .seconds(2), inactivity: .seconds(3))
    auth.timeoutInterval = .seconds(7)
    // Some codes are unknown to this server, which doesn't matter here.
    _ = try? await operation.run(auth)
    let requests = fixture.server.state.withLock { $0.requests.dropFirst(before) }
    #expect(!requests.isEmpty)
    for request in requests {
      #expect(request.timeouts == auth.timeouts, "\(request)")
      #expect(request.deadline.map { $0 > .seconds(5) && $0 <= .seconds(7) } == true, "\(request)")
      #expect(request.limits.bodyBytes == 4 << 20)
    }
  }

  @Test func timeoutIs30SecondsByDefault() throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    #expect(auth.timeoutInterval == .seconds(30))
    auth.languageCode = "de"
    auth.timeoutInterval = .seconds(1)
    #expect(auth.languageCode == "de" && auth.timeouts.connecting == .seconds(10))
  }

  /// P4: a sign-in has two requests and one time limit.
  @Test(arguments: [("signUp", Operation.createUser), ("signInWithPassword", .reauthenticate)])
  func p4RequestsOfAnOperationShareItsTimeLimit(slow: String, operation: Operation) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace")
    let time = fixture.time
    fixture.server.beforeAnswering(slow) { time.advance(by: 20) }
    let before = fixture.server.methods.count
    try await operation.run(auth)
    let requests = fixture.server.state.withLock { $0.requests.dropFirst(before) }
    #expect(requests.count == 2)
    #expect(requests.last?.deadline.map { $0 > .seconds(5) && $0 <= .seconds(10) } == true)
    // The next operation has all of its time.
    try await auth.user.reload()
    #expect(fixture.server.lastRequest?.deadline.map { $0 > .seconds(25) } == true)
  }

  /// P4: a change of the account ends with its time limit for the caller, and its tokens are still stored.
  @Test(arguments: ["update", "lookup"])
  func p4ChangeThatTakesTooLongEndsForTheCallerOnly(slow: String) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace")
    var tokens = auth.idTokenChanges.makeAsyncIterator()
    _ = await tokens.next()
    var waits = fixture.time.waits.makeAsyncIterator()
    let gate = fixture.server.gate(slow)
    auth.timeoutInterval = .seconds(25)
    let caller = Task { try await auth.user.updatePassword(to: "analytical") }
    await gate.arrival()
    #expect(await waits.next() == 25)
    fixture.time.advance(by: 25)
    let error = await #expect(throws: AuthError.self) { try await caller.value }
    #expect(error?.code == .networkError)
    #expect(error?.message.hasSuffix("The limit is Auth.timeoutInterval.") == true)
    #expect((error?.underlying as? TransportError)?.timeout == .exchange)
    gate.open()
    #expect(await tokens.next()??.email == "ada@example.com")
    #expect(try await !auth.user.getIDToken(forcingRefresh: true).isEmpty)
  }

  #if os(Linux)
    @Test(arguments: StalledTransport.phases)
    func silentServerIsAnErrorThatNamesTheLimit(phase: TransportError.Timeout) async throws {
      let transport = try await StalledTransport(silentIn: phase)
      defer { transport.stop() }
      let context = AppContext(
        name: "tests", options: AppOptions(projectID: "demo", apiKey: "key", data: .memory), userAgent: "")
      let auth = try Auth(app: context, appCheck: nil, transport: transport, store: MemorySessionStore())
      let short = Duration.milliseconds(80)
      let setting: String
      switch phase {
      case .connecting: (auth.timeouts.connecting, setting) = (short, "timeouts.connecting")
      case .firstByte: (auth.timeouts.firstByte, setting) = (short, "timeouts.firstByte")
      case .inactivity: (auth.timeouts.inactivity, setting) = (short, "timeouts.inactivity")
      default: (auth.timeoutInterval, setting) = (short, "timeoutInterval")
      }
      // It isn't repeated, because each request may create a user.
      let error = await #expect(throws: AuthError.self) { try await auth.signInAnonymously() }
      #expect(error?.code == .networkError)
      #expect(error?.message.hasSuffix("The limit is Auth.\(setting).") == true, "\(error?.message ?? "")")
      #expect((error?.underlying as? TransportError)?.timeout == phase)
      #expect(auth.currentUser == nil)
    }
  #endif
}
