import Foundation
import TenonAuth
import TenonCore
import TenonJSON
import TenonJSONReader
import TenonStore
import TenonStoreSync
import TenonTestSupport
import Testing

/// Auth, Store and StoreSync with a server that sends what production sends and Google's emulator doesn't: resume
/// tokens, existence filters, refusals of single targets, tokens that expire, and exhausted quotas.
@Suite(.limited(of: .processes)) struct ScriptedServerTests {
  /// Opens an app whose documents are on a scripted server, and whose accounts are at an address.
  private func withStore(
    _ server: ScriptedFirestore, accounts: String? = nil, _ body: (App, Store) async throws -> Void
  ) async throws {
    let hosts = EmulatorHosts(auth: accounts, firestore: "127.0.0.1:\(server.port)")
    let app = try App.configure(
      name: "scripted-\(UUID())",
      options: AppOptions(projectID: "p", apiKey: "any", backend: .emulator(hosts), data: .memory))
    defer { server.stop() }
    do { try await body(app, try Store.store(app: app)) } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  /// Returns the member of a message that adds a target.
  private static func addition(_ message: String) -> JSON? {
    try? JSON(parsing: Data(message.utf8))["addTarget"]
  }

  /// Waits for the snapshot of the server with certain documents.
  private nonisolated(nonsending) func next(
    _ ids: [String], _ snapshots: inout AsyncThrowingStream<QuerySnapshot, any Error>.AsyncIterator
  ) async throws {
    while let snapshot = try await snapshots.next(isolation: #isolation) {
      if !snapshot.metadata.isFromCache, snapshot.documents.map(\.documentID) == ids { return }
    }
    Issue.record("The listener ended before it had \(ids).")
  }

  @Test func aLostSessionIsResumedWithTheTokenAndKeepAlivesAreIgnored() async throws {
    let server = try ScriptedFirestore(script: { session, message in
      guard session == 1, let id = Payload.added(message) else {
        return ScriptedFirestore.twoDocuments(session, message)
      }
      return [
        Payload.target("ADD", id), "\"noop\"", Payload.document("c", 3, in: id), "\"noop\"",
        Payload.target("CURRENT", id, token: "t1"), Payload.snapshot(2, token: "t1"),
      ]
    })
    try await withStore(server) { _, store in
      var snapshots = store.collection("items").snapshots.makeAsyncIterator()
      try await next(["a", "b"], &snapshots)
      server.send("\"noop\"")
      server.forget(0)
      try await next(["a", "b", "c"], &snapshots)
      let addition = Self.addition(server.sessions[1].messages[0])
      #expect(addition?["resumeToken"]?.string == Data("t0".utf8).base64EncodedString())
      #expect(addition?["expectedCount"] == 2)
    }
  }

  @Test func anExistenceFilterWithoutNamesReadsTheQueryAgain() async throws {
    let server = try ScriptedFirestore(script: { session, message in
      guard session == 1, let id = Payload.added(message) else {
        return ScriptedFirestore.twoDocuments(session, message)
      }
      let isResumed = Self.addition(message)?["resumeToken"] != nil
      return [Payload.target("ADD", id)]
        + (isResumed
          ? ["{\"filter\":{\"targetId\":\(id),\"count\":1}}"] : [Payload.document("b", 2, in: id, at: 2)])
        + [Payload.target("CURRENT", id, token: "t1"), Payload.snapshot(2, token: "t1")]
    })
    try await withStore(server) { _, store in
      var snapshots = store.collection("items").snapshots.makeAsyncIterator()
      try await next(["a", "b"], &snapshots)
      server.forget(0)
      try await next(["b"], &snapshots)
      let additions = server.sessions[1].messages.compactMap(Self.addition)
      #expect(additions[0]["resumeToken"] != nil)
      #expect(additions[1]["query"] != nil && additions[1]["resumeToken"] == nil)
    }
  }

  @Test func anExistenceFilterWithNamesReadsOnlyTheDocumentThatIsGone() async throws {
    let server = try ScriptedFirestore(script: { session, message in
      guard session == 1, let id = Payload.added(message) else {
        return ScriptedFirestore.twoDocuments(session, message)
      }
      if Self.addition(message)?["documents"] != nil {
        return [
          Payload.target("ADD", id), Payload.target("CURRENT", id), Payload.snapshot(4),
        ]
      }
      // The bits of `projects/p/databases/(default)/documents/items/a` alone.
      let names = "{\"bits\":{\"bitmap\":\"AAAAAAAQIEA=\",\"padding\":0},\"hashCount\":3}"
      return [
        Payload.target("ADD", id),
        "{\"filter\":{\"targetId\":\(id),\"count\":1,\"unchangedNames\":\(names)}}",
        Payload.target("CURRENT", id, token: "t1"), Payload.snapshot(2, token: "t1"),
      ]
    })
    try await withStore(server) { _, store in
      var snapshots = store.collection("items").snapshots.makeAsyncIterator()
      try await next(["a", "b"], &snapshots)
      server.forget(0)
      try await next(["a"], &snapshots)
      let additions = server.sessions[1].messages.compactMap(Self.addition)
      #expect(
        additions.count == 2 && additions.allSatisfy { ($0["query"] == nil) == ($0["resumeToken"] == nil) })
      #expect(
        additions.last?["documents"]?["documents"] == ["projects/p/databases/(default)/documents/items/b"])
    }
  }

  @Test func aRefusedListenerEndsAndTheOthersOfTheStreamGoOn() async throws {
    let server = try ScriptedFirestore(script: { session, message in
      guard let id = Payload.added(message), message.contains("secrets") else {
        return ScriptedFirestore.twoDocuments(session, message)
      }
      return [Payload.target("ADD", id), Payload.target("REMOVE", id, cause: 7)]
    })
    try await withStore(server) { _, store in
      var snapshots = store.collection("items").snapshots.makeAsyncIterator()
      try await next(["a", "b"], &snapshots)
      let error = await #expect(throws: StoreError.self) {
        for try await _ in store.collection("secrets").snapshots {}
      }
      #expect(error?.code == .permissionDenied)
      let id = try #require(Payload.added(server.sessions[0].messages[0]))
      server.send(Payload.document("c", 3, in: id), Payload.snapshot(5))
      try await next(["a", "b", "c"], &snapshots)
      #expect(server.sessions.count == 1)
    }
  }

  @Test func anExhaustedQuotaEndsNoListenerAndEnablingTheNetworkTriesAgain() async throws {
    let server = try ScriptedFirestore(script: { session, message in
      guard session == 1, let id = Payload.added(message) else {
        return ScriptedFirestore.twoDocuments(session, message)
      }
      return [
        Payload.target("ADD", id), Payload.document("c", 3, in: id), Payload.target("CURRENT", id),
        Payload.snapshot(2),
      ]
    })
    try await withStore(server) { _, store in
      var snapshots = store.collection("items").snapshots.makeAsyncIterator()
      try await next(["a", "b"], &snapshots)
      server.send("{\"error\":{\"status\":\"RESOURCE_EXHAUSTED\",\"message\":\"quota\"}}")
      await server.until { $0[0].isTerminated }
      try await store.enableNetwork()
      try await next(["a", "b", "c"], &snapshots)
    }
  }

  @Test func aTokenThatExpiresWhileAChannelIsOpenIsReplaced() async throws {
    try await withServedBackend { accounts in
      let server = try ScriptedFirestore(script: { session, message in
        guard session == 1, let id = Payload.added(message) else {
          return ScriptedFirestore.twoDocuments(session, message)
        }
        return [
          Payload.target("ADD", id), Payload.document("c", 3, in: id), Payload.target("CURRENT", id),
          Payload.snapshot(2),
        ]
      })
      try await withStore(server, accounts: accounts.address) { app, store in
        let auth = try Auth.auth(app: app)
        _ = try await auth.signInAnonymously()
        let token = try await auth.currentUser?.getIDToken()
        var snapshots = store.collection("items").snapshots.makeAsyncIterator()
        try await next(["a", "b"], &snapshots)
        server.send("{\"error\":{\"status\":\"UNAUTHENTICATED\",\"message\":\"The token has expired.\"}}")
        try await next(["a", "b", "c"], &snapshots)
        let tokens = server.sessions.map { $0.headers.firstMatch(of: /Bearer (\S+)/).map { String($0.1) } }
        #expect(tokens.count == 2 && tokens[0] == token)
        #expect(try await tokens[1] == auth.currentUser?.getIDToken())
        #expect(Self.addition(server.sessions[1].messages[0])?["resumeToken"] != nil)
      }
    }
  }

  @Test func aWriteThatWaitsIsSentWithTheTokenOfTheUserWhoWroteIt() async throws {
    try await withServedBackend { accounts in
      let server = try ScriptedFirestore(
        rest: { call in
          guard call.method == "commit" else { return (404, "{}") }
          let writes = (try? JSON(parsing: Data(call.body.utf8))["writes"]?.array?.count) ?? 0
          let result = "{\"updateTime\":\"\(Payload.time(1))\"}"
          let results = Array(repeating: result, count: writes).joined(separator: ",")
          return (200, "{\"writeResults\":[\(results)],\"commitTime\":\"\(Payload.time(1))\"}")
        })
      try await withStore(server, accounts: accounts.address) { app, store in
        let auth = try Auth.auth(app: app)
        let ann = try await auth.createUser(withEmail: "ann@example.com", password: "secret-1").user.uid
        try await store.disableNetwork()
        try await store.document("items/ann").setData(["n": 1])
        try await auth.signOut()
        _ = try await auth.createUser(withEmail: "bob@example.com", password: "secret-2")
        let bobsToken = try #require(try await auth.currentUser?.getIDToken())
        try await store.enableNetwork()
        try await store.document("items/bob").setData(["n": 2]).confirmed()
        // The pending write of another user isn't part of this one's cache.
        let error = await #expect(throws: StoreError.self) {
          try await store.document("items/ann").getDocument(source: .cache)
        }
        #expect(error?.code == .unavailable)
        #expect(server.calls.count == 1 && server.calls[0].authorization == "Bearer \(bobsToken)")
        #expect(server.calls[0].body.contains("items/bob"))

        let again = try await auth.signIn(withEmail: "ann@example.com", password: "secret-1")
        #expect(again.user.uid == ann)
        try await store.waitForPendingWrites()
        let annsToken = try #require(try await auth.currentUser?.getIDToken())
        #expect(server.calls.count == 2 && server.calls[1].authorization == "Bearer \(annsToken)")
        #expect(server.calls[1].body.contains("items/ann"))
      }
    }
  }
}
