import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAuth

/// What Auth does when the network or the server fails.
@Suite(.limited) struct NetworkTests {
  private func fixture(_ body: (AuthFixture, Auth) async throws -> Void) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    try await body(fixture, try fixture.launch())
  }

  @Test func aWrongPasswordIsNotRetried() async throws {
    try await fixture { fixture, auth in
      _ = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace")
      let count = fixture.server.methods.count
      let error = await #expect(throws: AuthError.self) {
        try await auth.signIn(withEmail: "ada@example.com", password: "analytical")
      }
      #expect(error?.code == .wrongPassword)
      #expect(fixture.server.methods.dropFirst(count) == ["signInWithPassword"])
    }
  }

  @Test(arguments: ["token", "lookup"])
  func aBusyServerIsAskedAgainAfterTheTimeItRequests(method: String) async throws {
    try await fixture { fixture, auth in
      _ = try await auth.signInAnonymously()
      fixture.server.busy(method, retryAfter: 7)
      var waits = fixture.network.waits.makeAsyncIterator()
      if method == "token" {
        _ = try await auth.user.getIDToken(forcingRefresh: true)
      } else {
        try await auth.user.reload()
      }
      #expect(await waits.next() == 7)
      #expect(fixture.server.methods.suffix(2) == [method, method])
    }
  }

  @Test(arguments: [TransportError.Code.unreachable, .connectionLost])
  func aSignInIsRetriedOverAFailingConnection(code: TransportError.Code) async throws {
    try await fixture { fixture, auth in
      _ = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace")
      for _ in 0..<2 { fixture.server.fail("signInWithPassword", TransportError(code, "Bad line.")) }
      var waits = fixture.network.waits.makeAsyncIterator()
      _ = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace")
      #expect(await waits.next() == 0.25)
      #expect(await waits.next() == 0.5)
    }
  }

  @Test func requestsThatMustNotArriveTwiceAreSentOnce() async throws {
    try await fixture { fixture, auth in
      fixture.server.fail("signUp", TransportError(.connectionLost, "Bad line."))
      let error = await #expect(throws: AuthError.self) { try await auth.signInAnonymously() }
      #expect(error?.code == .networkError)
      #expect(fixture.server.methods == ["signUp"])
    }
  }

  @Test func withoutANetworkTheErrorSaysSoAndTheUserStaysSignedIn() async throws {
    try await fixture { fixture, auth in
      let user = try await auth.signInAnonymously().user
      for _ in 0..<5 { fixture.server.fail("token", TransportError(.unreachable, "There is no network.")) }
      let error = await #expect(throws: AuthError.self) {
        try await auth.user.getIDToken(forcingRefresh: true)
      }
      #expect(error?.code == .networkError)
      #expect((error?.underlying as? TransportError)?.code == .unreachable)
      #expect(auth.currentUser === user)
      #expect(try await auth.user.getIDTokenResult().userID == user.uid)
    }
  }

  @Test func aFailingServerSaysToTryAgainAndTheUserStaysSignedIn() async throws {
    try await fixture { fixture, auth in
      _ = try await auth.signInAnonymously()
      for _ in 0..<5 { fixture.server.busy("token", retryAfter: 0) }
      let error = await #expect(throws: AuthError.self) {
        try await auth.user.getIDToken(forcingRefresh: true)
      }
      #expect(error?.code == .networkError && error?.message.contains("503") == true)
      #expect(error?.message.contains("Try again") == true)
      #expect(auth.currentUser != nil)
    }
  }

  @Test(arguments: [
    (429, "too-many-requests"), (500, "network-error"), (502, "network-error"), (504, "network-error"),
    (403, "internal-error"), (404, "internal-error"),
  ])
  func aPageOfAGatewayHasTheCodeOfItsStatus(status: Int, code: String) async throws {
    try await fixture { fixture, auth in
      let page = Data("<html>Too busy eyJhbGciOi</html>".utf8)
      fixture.server.state.withLock {
        $0.failures["signUp"] = [.success(TransportResponse(status: status, body: page))]
      }
      let error = try #require(await #expect(throws: AuthError.self) { try await auth.signInAnonymously() })
      #expect(error.code.rawValue == code && error.message.contains("\(status)"))
      #expect(!error.message.contains("busy"))
    }
  }

  @Test func everyRequestHasADeadline() async throws {
    try await fixture { fixture, auth in
      _ = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace")
      _ = try await auth.user.getIDToken(forcingRefresh: true)
      try await auth.user.delete()
      let requests = fixture.server.state.withLock { $0.requests }
      #expect(requests.allSatisfy { $0.deadline.map { $0 <= .seconds(30) } ?? false })
    }
  }

  @Test func nothingIsSentUnencryptedToAnotherHost() async throws {
    let options = AppOptions(
      projectID: "demo", apiKey: "key", backend: .emulator(EmulatorHosts(auth: "192.0.2.1:9099")),
      data: .memory)
    let auth = try Auth(
      app: AppContext(name: "tests", options: options, userAgent: "tenon-tests/1"),
      appCheck: nil, transport: nil, store: MemorySessionStore())
    let error = await #expect(throws: AuthError.self) { try await auth.signInAnonymously() }
    #expect((error?.underlying as? TransportError)?.code == .invalidRequest)
    #expect(error?.code == .internalError && error?.message.contains("https") == true)
  }
}
