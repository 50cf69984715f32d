import TenonFoundation

#if !os(Windows)
  import Foundation
  import TenonAppCheckInterop
  import TenonCore
  import TenonDocuments
  import TenonStoreInterop
  import TenonTestSupport
  import TenonTesting
  import Testing

  @testable import TenonStoreSync

  @Suite("Listening over a scripted server", .limited) struct ListenTests {
    static let query = StructuredQuery(parent: ResourcePath(segments: []), collectionID: "items")
    static let context = RemoteContext()

    static let script: ScriptedFirestore.Script = ScriptedFirestore.twoDocuments

    @Test("passes on the events of targets, and terminates the session when the requests end") func targets()
      async throws
    {
      let server = try ScriptedFirestore(script: Self.script)
      var listening = ListenClient(FirestoreRemote(server.client()), Self.context)
      listening.add(1, .query(Self.query))
      try await listening.until { $0.isCurrent(1) }
      #expect(listening.held(1) == ["a", "b"] && listening.isAdded(1))
      #expect(listening.token(1) == Data("t0".utf8))
      listening.remove(1)
      try await listening.until { $0.isRemoved(1) }
      listening.end()
      try await listening.untilEnd()
      await server.until { $0[0].isTerminated }
      #expect(server.sessions.count == 1)
      server.stop()
    }

    @Test("returns the sticky session of the handshake with each further request") func sticky() async throws
    {
      let server = try ScriptedFirestore(script: Self.script)
      var listening = ListenClient(FirestoreRemote(server.client()), Self.context)
      listening.add(1, .query(Self.query))
      try await listening.until { $0.isCurrent(1) }
      #expect(server.sessions[0].backChannels.allSatisfy { $0["gsessionid"] == "sticky 0" })
      server.stop()
    }

    @Test("passes on resumption, existence filters and bloom filters") func resumption() async throws {
      let server = try ScriptedFirestore(script: { _, message in
        Payload.added(message) == nil
          ? []
          : [
            Payload.target("ADD", 1),
            "{\"filter\":{\"targetId\":1,\"count\":3,\"unchangedNames\":{\"bits\":{\"bitmap\":\"AQ==\",\"padding\":1},\"hashCount\":2}}}",
            Payload.target("CURRENT", 1), Payload.snapshot(1),
          ]
      })
      var listening = ListenClient(FirestoreRemote(server.client()), Self.context)
      listening.add(1, .query(Self.query), .token(Data("old".utf8)), expectedCount: 4)
      try await listening.until { $0.isCurrent(1) }
      let filter = listening.filter(1)
      #expect(filter?.count == 3)
      #expect(
        filter?.names?.hashCount == 2 && filter?.names?.padding == 1 && filter?.names?.bitmap == Data([1]))
      #expect(filter?.names?.prefix == "projects/p/databases/(default)/documents/")
      let message = try FirestoreJSON(Data(server.sessions[0].messages[0].utf8))
      #expect(message["addTarget"]?["resumeToken"]?.string == Data("old".utf8).base64EncodedString())
      #expect(message["addTarget"]?["expectedCount"]?.integer == 4)
      #expect(!listening.wasReset(1))
      server.stop()
    }

    @Test("a refused target ends with its error, and its removal is answered although the server is silent")
    func refusal() async throws {
      let server = try ScriptedFirestore(script: { session, message in
        if Payload.added(message) == 2 {
          return [Payload.target("ADD", 2), Payload.target("REMOVE", 2, cause: 7)]
        }
        if Payload.removed(message) == 2 { return [] }
        return Self.script(session, message)
      })
      var listening = ListenClient(FirestoreRemote(server.client()), Self.context)
      listening.add(1, .query(Self.query))
      listening.add(2, .query(Self.query))
      try await listening.until { $0.error(2) != nil && $0.isCurrent(1) }
      #expect((listening.error(2) as? StoreRemoteError)?.code == .permissionDenied)
      listening.remove(2)
      try await listening.until { $0.isRemoved(2) }
      server.send(Payload.document("c", 3, in: 1), Payload.snapshot(5))
      try await listening.until(Timestamp(seconds: 0))
      #expect(listening.held(1) == ["a", "b", "c"])
      listening.end()
      try await listening.untilEnd()
      server.stop()
    }

    @Test(
      "a target of an ID in use is replaced, and what the server sends of the earlier one isn't passed on")
    func replacement() async throws {
      let server = try ScriptedFirestore(script: { session, message in
        guard Payload.removed(message) != nil else { return Self.script(session, message) }
        return [Payload.document("old", 9, in: 1), Payload.target("REMOVE", 1)]
      })
      var listening = ListenClient(FirestoreRemote(server.client()), Self.context)
      listening.add(1, .query(Self.query))
      try await listening.until { $0.isCurrent(1) }
      listening.add(1, .documents([ResourcePath(segments: ["items", "a"])]))
      try await listening.until { _ in server.sessions[0].messages.count == 3 }
      let messages = server.sessions[0].messages
      #expect(Payload.removed(messages[1]) == 1 && Payload.added(messages[2]) == 1)
      server.send(Payload.document("new", 9, in: 1), Payload.snapshot(9))
      try await listening.until { $0.held(1).contains("new") }
      #expect(!listening.wasMentioned("old") && !listening.isRemoved(1))
      server.stop()
    }

    @Test("a target whose number the stream uses itself is refused", arguments: [0, -1, 1 << 30, .max])
    func invalidNumber(id: Int) async throws {
      let server = try ScriptedFirestore(script: Self.script)
      var listening = ListenClient(FirestoreRemote(server.client()), Self.context)
      listening.add(id, .query(Self.query))
      try await listening.until { $0.error(id) != nil }
      #expect((listening.error(id) as? StoreRemoteError)?.code == .invalidArgument)
      #expect(server.sessions.isEmpty)
      server.stop()
    }

    @Test("a token that is reported again doesn't end the session") func sameToken() async throws {
      let server = try ScriptedFirestore(script: Self.script)
      let auth = ReportingAuth(userID: "u")
      var listening = ListenClient(FirestoreRemote(server.client(auth: auth)), RemoteContext(user: "u"))
      listening.add(1, .query(Self.query))
      try await listening.until { $0.isCurrent(1) }
      try await auth.report(refreshing: false)
      server.send(Payload.document("c", 3, in: 1), Payload.snapshot(5))
      try await listening.until { $0.held(1).contains("c") }
      #expect(server.sessions.count == 1)
      server.stop()
    }

    @Test("a new token between two snapshots moves the stream to another session after the second one")
    func tokenBetweenSnapshots() async throws {
      let server = try ScriptedFirestore(script: { session, message in
        guard session == 0, let id = Payload.added(message) else { return Self.script(session, message) }
        return [Payload.target("ADD", id), Payload.document("a", 1, in: id)]
      })
      let auth = ReportingAuth(userID: "u")
      let (requests, continuation) = AsyncStream<ListenRequest>.makeStream()
      let listening = ListenStream(
        requests, in: RemoteContext(user: "u"), over: server.client(auth: auth), memory: ListenMemory())
      continuation.yield(.add(ListenTarget(id: 1, content: .query(Self.query))))
      var (snapshots, wasReset) = (0, false)
      while snapshots < 2, let event = try await listening.next() {
        switch event {
        case .document where server.sessions.count == 1:
          try await auth.report(refreshing: true)
          server.send(Payload.target("CURRENT", 1, token: "t0"), Payload.snapshot(1, token: "t0"))
        case .target(let change) where change.targets.isEmpty: snapshots += 1
        case .target(let change): if case .reset = change.kind { wasReset = true }
        default: break
        }
      }
      #expect(!wasReset)
      let message = try FirestoreJSON(Data(server.sessions[1].messages[0].utf8))
      #expect(message["addTarget"]?["resumeToken"]?.string == Data("t0".utf8).base64EncodedString())
      continuation.finish()
      server.stop()
    }

    @Test(
      "an error of the stream ends it with its code, and terminates the session",
      arguments: [
        ("RESOURCE_EXHAUSTED", StoreRemoteError.Code.resourceExhausted),
        ("PERMISSION_DENIED", .permissionDenied),
        ("UNKNOWN", .unknown), ("SOMETHING_NEW", .unknown),
      ])
    func streamError(status: String, code: StoreRemoteError.Code) async throws {
      let server = try ScriptedFirestore(script: { _, _ in
        ["{\"error\":{\"status\":\"\(status)\",\"message\":\"why\"}}"]
      })
      var listening = ListenClient(FirestoreRemote(server.client()), Self.context)
      listening.add(1, .query(Self.query))
      do {
        try await listening.untilEnd()
        Issue.record("no error")
      } catch let error as StoreRemoteError {
        #expect(error.code == code && error.message == "why")
      }
      await server.until { $0[0].isTerminated }
      server.stop()
    }

    @Test("a session that the server has forgotten ends the stream with a transient error")
    func unknownSession()
      async throws
    {
      let server = try ScriptedFirestore(script: Self.script)
      var listening = ListenClient(FirestoreRemote(server.client()), Self.context)
      listening.add(1, .query(Self.query))
      try await listening.until { $0.isCurrent(1) }
      server.forget(0)
      do {
        try await listening.untilEnd()
        Issue.record("no error")
      } catch let error as StoreRemoteError {
        #expect(error.code == .unavailable)
      }
      server.stop()
    }

    @Test("after UNAUTHENTICATED, the next stream has a new token") func unauthenticated() async throws {
      let server = try ScriptedFirestore(script: { session, message in
        session == 0
          ? ["{\"error\":{\"status\":\"UNAUTHENTICATED\",\"message\":\"old\"}}"]
          : Self.script(session, message)
      })
      let auth = FakeAuth()
      auth.signIn(userID: "u")
      let store = FirestoreRemote(server.client(auth: auth))
      var listening = ListenClient(store, RemoteContext(user: "u"))
      listening.add(1, .query(Self.query))
      do {
        try await listening.untilEnd()
        Issue.record("no error")
      } catch let error as StoreRemoteError {
        #expect(error.code == .unauthenticated)
      }
      // The stream after it has the same one, which the server has accepted.
      for _ in 0..<2 {
        var again = ListenClient(store, RemoteContext(user: "u"))
        again.add(1, .query(Self.query))
        try await again.until { $0.isCurrent(1) }
        again.end()
      }
      let tokens = server.sessions.map { $0.headers.firstMatch(of: /Bearer (\S+)/)?.1 }
      #expect(tokens == ["u-token-0", "u-token-1", "u-token-1"])
      server.stop()
    }

    /// The script whose second session has another document.
    private static let scriptWithLaterDocument: ScriptedFirestore.Script = { session, message in
      guard session == 1, let id = Payload.added(message) else { return script(session, message) }
      return [
        Payload.target("ADD", id), Payload.document("c", 3, in: id), Payload.target("CURRENT", id),
        Payload.snapshot(9),
      ]
    }

    @Test("a new token of the user moves the stream to another session, which resumes the targets")
    func newToken() async throws {
      let server = try ScriptedFirestore(script: Self.scriptWithLaterDocument)
      let auth = FakeAuth()
      auth.signIn(userID: "u")
      var listening = ListenClient(FirestoreRemote(server.client(auth: auth)), RemoteContext(user: "u"))
      listening.add(1, .query(Self.query))
      try await listening.until { $0.isCurrent(1) }
      _ = try await auth.token(forcingRefresh: true)
      try await listening.until { $0.held(1).contains("c") }
      #expect(listening.held(1) == ["a", "b", "c"] && !listening.wasReset(1))
      await server.until { $0.count == 2 && $0[0].isTerminated }
      let message = try FirestoreJSON(Data(server.sessions[1].messages[0].utf8))
      #expect(message["addTarget"]?["resumeToken"]?.string == Data("t0".utf8).base64EncodedString())
      server.stop()
    }

    @Test("another session resumes a target from the last snapshot, even if it has sent a later token")
    func laterToken() async throws {
      let server = try ScriptedFirestore(script: Self.script)
      let auth = FakeAuth()
      auth.signIn(userID: "u")
      let (requests, continuation) = AsyncStream<ListenRequest>.makeStream()
      let listening = ListenStream(
        requests, in: RemoteContext(user: "u"), over: server.client(auth: auth), memory: ListenMemory())
      continuation.yield(
        .add(
          ListenTarget(
            id: 1, content: .query(Self.query), resumption: .token(Data("old".utf8)), expectedCount: 4)))
      var snapshots = 0
      while snapshots < 2, let event = try await listening.next() {
        guard case .target(let change) = event else { continue }
        if change.token == Data("later".utf8) { _ = try await auth.token(forcingRefresh: true) }
        guard change.targets.isEmpty else { continue }
        snapshots += 1
        if snapshots == 1 { server.send(Payload.target("NO_CHANGE", 1, token: "later")) }
      }
      let message = try FirestoreJSON(Data(server.sessions[1].messages[0].utf8))
      #expect(message["addTarget"]?["resumeToken"]?.string == Data("t0".utf8).base64EncodedString())
      #expect(message["addTarget"]?["expectedCount"] == nil)
      continuation.finish()
      server.stop()
    }

    @Test("a target that was received in part is sent again from the beginning in another session")
    func partialTarget() async throws {
      let server = try ScriptedFirestore(
        rest: { call in (200, Payload.counted(2, for: Data(call.body.utf8))) },
        script: { session, message in
          guard session == 0, Payload.added(message) == 2 else { return Self.script(session, message) }
          return [Payload.document("c", 3, in: 1)]
        })
      let (requests, continuation) = AsyncStream<ListenRequest>.makeStream()
      let listening = ListenStream(
        requests, in: Self.context, over: server.client(), memory: ListenMemory())
      continuation.yield(.add(ListenTarget(id: 1, content: .query(Self.query))))
      var (wasPartial, resets, snapshots) = (false, [Int](), 0)
      // The second snapshot is that of the other session.
      while snapshots < 2, let event = try await listening.next() {
        switch event {
        case .document(let document, _, _) where document.path.id == "c":
          wasPartial = true
          server.forget(0)
        case .target(let change) where change.targets.isEmpty:
          snapshots += 1
          if snapshots == 1 { continuation.yield(.add(ListenTarget(id: 2, content: .query(Self.query)))) }
        case .target(let change): if case .reset = change.kind { resets += change.targets }
        default: break
        }
      }
      #expect(wasPartial && resets == [1])
      let message = try FirestoreJSON(Data(server.sessions[1].messages[0].utf8))
      #expect(message["addTarget"]?["targetId"]?.integer == 1)
      #expect(message["addTarget"]?["resumeToken"] == nil)
      continuation.finish()
      server.stop()
    }

    @Test("ends after the answers to removals that precede the end of the requests") func lastAnswers()
      async throws
    {
      let server = try ScriptedFirestore(script: Self.script)
      var listening = ListenClient(FirestoreRemote(server.client()), Self.context)
      listening.add(1, .query(Self.query))
      try await listening.until { $0.isCurrent(1) }
      listening.remove(1)
      listening.end()
      try await listening.untilEnd()
      #expect(listening.isRemoved(1))
      server.stop()
    }

    @Test("removals that a session hasn't answered are answered when another one replaces it")
    func owedRemovals() async throws {
      let auth = FakeAuth()
      auth.signIn(userID: "u")
      let removals = AsyncStream.makeStream(of: Void.self)
      let server = try ScriptedFirestore(script: { session, message in
        guard Payload.removed(message) != nil else { return Self.script(session, message) }
        removals.continuation.yield()
        return []
      })
      let renewal = Task {
        for await _ in removals.stream { break }
        return try await auth.token(forcingRefresh: true)
      }
      var listening = ListenClient(FirestoreRemote(server.client(auth: auth)), RemoteContext(user: "u"))
      for id in 1...2 {
        listening.add(id, .query(Self.query))
        try await listening.until { $0.isCurrent(id) }
      }
      listening.remove(1)
      try await listening.until { $0.isRemoved(1) }
      #expect(try await renewal.value == "u-token-1")
      await server.until { $0[0].isTerminated }
      server.stop()
    }

    @Test("a new token of App Check moves the stream to another session as well")
    func newAppCheckToken() async throws {
      let server = try ScriptedFirestore(script: Self.scriptWithLaterDocument)
      let appCheck = FakeAppCheck()
      var listening = ListenClient(FirestoreRemote(server.client(appCheck: appCheck)), Self.context)
      listening.add(1, .query(Self.query))
      try await listening.until { $0.isCurrent(1) }
      let new = await appCheck.token(forcingRefresh: true).token
      try await listening.until { $0.held(1).contains("c") }
      await server.until { $0.count == 2 && $0[0].isTerminated }
      #expect(server.sessions[1].headers.contains("X-Firebase-AppCheck:\(new)"))
      #expect(!server.sessions[0].headers.contains(new))
      server.stop()
    }

    @Test("another session doesn't repeat the confirmation of a target") func singleConfirmation()
      async throws
    {
      let server = try ScriptedFirestore(script: Self.script)
      let auth = FakeAuth()
      auth.signIn(userID: "u")
      let (requests, continuation) = AsyncStream<ListenRequest>.makeStream()
      let listening = ListenStream(
        requests, in: RemoteContext(user: "u"), over: server.client(auth: auth), memory: ListenMemory())
      continuation.yield(.add(ListenTarget(id: 1, content: .query(Self.query))))
      var (confirmations, snapshots) = (0, 0)
      while snapshots < 2, let event = try await listening.next() {
        guard case .target(let change) = event else { continue }
        if case .added = change.kind { confirmations += 1 }
        guard change.targets.isEmpty else { continue }
        snapshots += 1
        if snapshots == 1 { _ = try await auth.token(forcingRefresh: true) }
      }
      #expect(confirmations == 1 && server.sessions.count == 2)
      server.stop()
    }

    @Test("the session is terminated when the listening task is cancelled") func cancellation() async throws {
      let server = try ScriptedFirestore(script: Self.script)
      let store = FirestoreRemote(server.client())
      let task = Task {
        var listening = ListenClient(store, Self.context)
        listening.add(1, .query(Self.query))
        try await listening.until { _ in false }
      }
      await server.until { $0.first?.backChannels.count ?? 0 > 1 }
      #expect(!server.sessions[0].isTerminated)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      await server.until { $0[0].isTerminated }
      server.stop()
    }

    @Test("the session is terminated, and nothing remains, when the stream is released") func release()
      async throws
    {
      let server = try ScriptedFirestore(script: Self.script)
      weak var session: ListenStream?
      do {
        let (requests, continuation) = AsyncStream<ListenRequest>.makeStream()
        let listening = ListenStream(
          requests, in: Self.context, over: server.client(), memory: ListenMemory())
        session = listening
        continuation.yield(.add(ListenTarget(id: 1, content: .query(Self.query))))
        _ = try await listening.next()
      }
      await server.until { $0[0].isTerminated }
      #expect(session == nil)
      server.stop()
    }

    @Test("a handshake that hangs ends with deadlineExceeded") func hangingHandshake() async throws {
      let gate = ThreadGate()
      let server = try ScriptedFirestore(intercept: { _ in [.wait(gate), .hangUp] })
      let time = TestTime()
      var waits = time.waits.makeAsyncIterator()
      let store = FirestoreRemote(server.client(time: time.source))
      let listening = Task {
        var listening = ListenClient(store, Self.context)
        listening.add(1, .query(Self.query))
        try await listening.until { _ in false }
      }
      while let wait = await waits.next(), wait != 15 {}
      time.advance(by: 15)
      do {
        try await listening.value
        Issue.record("no error")
      } catch let error as StoreRemoteError {
        #expect(error.code == .deadlineExceeded)
      }
      gate.open()
      server.stop()
    }

    @Test(
      "responses that aren't the server's own are transient",
      arguments: [
        (403, "<html>a proxy</html>", StoreRemoteError.Code.unavailable), (502, "", .unavailable),
        (401, "", .unauthenticated), (429, "", .resourceExhausted),
        (
          403, "{\"error\":{\"code\":403,\"status\":\"PERMISSION_DENIED\",\"message\":\"rules\"}}",
          .permissionDenied
        ),
      ])
    func refusedHandshake(status: Int, body: String, code: StoreRemoteError.Code) async throws {
      let server = try ScriptedFirestore(intercept: { _ in [.answer(status, body)] })
      var listening = ListenClient(FirestoreRemote(server.client()), Self.context)
      listening.add(1, .query(Self.query))
      do {
        try await listening.untilEnd()
        Issue.record("no error")
      } catch let error as StoreRemoteError {
        #expect(error.code == code)
      }
      server.stop()
    }

    @Test("a back channel that breaks within a frame is continued where it broke") func brokenBackChannel()
      async throws
    {
      let breaks = Lock(1)
      let server = try ScriptedFirestore(
        intercept: { request in
          let isBroken = breaks.withLock { breaks in
            guard request.method == "GET", breaks > 0 else { return false }
            breaks -= 1
            return true
          }
          guard isBroken else { return nil }
          return [.chunkedHead(), .chunk("86\n[[1,[{\"targetChange\":"), .hangUp]
        }, script: Self.script)
      var listening = ListenClient(FirestoreRemote(server.client()), Self.context)
      listening.add(1, .query(Self.query))
      try await listening.until { $0.isCurrent(1) }
      #expect(listening.held(1) == ["a", "b"] && !listening.wasReset(1))
      #expect(breaks.withLock { $0 } == 0 && server.sessions.count == 1)
      server.stop()
    }

    @Test("behind a proxy that forwards responses only at their end, the stream continues by polling")
    func proxy()
      async throws
    {
      let gate = ThreadGate()
      let server = try ScriptedFirestore(
        intercept: { request in
          request.method == "GET" && request.target.contains("CI=0") ? [.wait(gate), .hangUp] : nil
        }, script: Self.script)
      let time = TestTime()
      var waits = time.waits.makeAsyncIterator()
      let store = FirestoreRemote(server.client(time: time.source))
      let listening = Task {
        var listening = ListenClient(store, Self.context)
        listening.add(1, .query(Self.query))
        try await listening.until { $0.isCurrent(1) }
        return listening.held(1)
      }
      while let wait = await waits.next(), wait != 2 {}
      time.advance(by: 2)
      #expect(try await listening.value == ["a", "b"])
      #expect(server.sessions[0].backChannels.allSatisfy { $0["CI"] == "1" })
      gate.open()
      server.stop()
    }

    @Test("read times never decrease") func readTimes() async throws {
      let server = try ScriptedFirestore(script: Self.script)
      var listening = ListenClient(FirestoreRemote(server.client()), Self.context)
      listening.add(1, .query(Self.query))
      try await listening.until { $0.isCurrent(1) }
      server.send(
        Payload.snapshot(9), Payload.snapshot(3), Payload.document("z", 1, in: 1), Payload.snapshot(10))
      // `ListenClient` records an issue for a snapshot before an earlier one.
      try await listening.until { $0.held(1).contains("z") }
      #expect(listening.readTime == Timestamp(rfc3339: Payload.time(10)))
      server.stop()
    }
  }
#endif
