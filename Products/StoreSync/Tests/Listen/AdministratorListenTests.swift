import TenonFoundation

#if !os(Windows)
  import Foundation
  import TenonCore
  import TenonStoreInterop
  import TenonTestSupport
  import TenonTesting
  import Testing

  @testable import TenonStoreSync

  /// Listen streams of administrators over a scripted server.
  @Suite(.limited) struct AdministratorListenTests {
    private static let context = RemoteContext(isAdministrator: true)

    private func tokens(_ server: ScriptedFirestore) -> [String?] {
      server.sessions.map { $0.headers.firstMatch(of: /Bearer (\S+)/).map { String($0.1) } }
    }

    @Test func aStreamMovesToAnotherSessionWhenTheTimeOfItsTokenIsOver() async throws {
      let server = try ScriptedFirestore(script: ListenTests.script)
      let admin = FakeAdmin()
      admin.validity = .seconds(1)
      var listening = ListenClient(FirestoreRemote(server.productionClient(admin: admin)), Self.context)
      listening.add(1, .query(ListenTests.query))
      try await listening.until { $0.isCurrent(1) }
      admin.validity = .seconds(3_600)
      admin.renewAccessToken()
      try await listening.until { $0.token(1) == Data("t1".utf8) }
      #expect(tokens(server) == ["admin-token-1", "admin-token-2"])
      #expect(listening.held(1) == ["a", "b"] && !listening.wasReset(1))
      server.stop()
    }

    @Test func afterARefusalTheNextStreamHasAnotherToken() async throws {
      let server = try ScriptedFirestore(script: { session, message in
        session == 0
          ? ["{\"error\":{\"status\":\"UNAUTHENTICATED\",\"message\":\"old\"}}"]
          : ListenTests.script(session, message)
      })
      let remote = FirestoreRemote(server.productionClient(admin: FakeAdmin()))
      var listening = ListenClient(remote, Self.context)
      listening.add(1, .query(ListenTests.query))
      let error = await #expect(throws: StoreRemoteError.self) { try await listening.untilEnd() }
      #expect(error?.code == .unauthenticated)
      for _ in 0..<2 {
        var again = ListenClient(remote, Self.context)
        again.add(1, .query(ListenTests.query))
        try await again.until { $0.isCurrent(1) }
        again.end()
      }
      #expect(tokens(server) == ["admin-token-1", "admin-token-2", "admin-token-2"])
      server.stop()
    }
  }
#endif
