import TenonFoundation

#if !os(Windows)
  import Foundation
  import TenonCore
  import TenonDocuments
  import TenonStoreInterop
  import TenonTestSupport
  import TenonTesting
  import Testing

  @testable import TenonStoreSync

  /// Servers that abort channels of which too much is asked, as Google's emulator does.
  @Suite("Large targets", .limited) struct LargeTargetTests {
    /// The documents of the server, with their versions in seconds.
    private final class Documents: Sendable {
      let versions = Lock<[String: Int]>(["a": 1, "b": 1, "c": 1])
    }

    /// Starts a server with more documents than a channel carries: it forgets the session as soon as the
    /// whole target is added, unless the target is resumed from a read time and the server resumes.
    private func server(_ documents: Documents, resumes: Bool) throws -> ScriptedFirestore {
      let forgotten = AsyncStream<Int>.makeStream()
      let server = try ScriptedFirestore(
        rest: { call in
          if call.method == "runAggregationQuery" {
            return (200, Payload.counted(9_001, for: Data(call.body.utf8)))
          }
          let versions = documents.versions.withLock { $0 }
          let elements = versions.sorted { $0.key < $1.key }.map {
            "{\"document\":\(Payload.content($0.key, $0.value, at: $0.value)),\"readTime\":\"\(Payload.time(2))\"}"
          }
          return (200, "[\(elements.joined(separator: ","))]")
        },
        script: { session, message in
          guard let id = Payload.added(message), let json = try? FirestoreJSON(Data(message.utf8)) else {
            return Payload.removed(message).map { [Payload.target("REMOVE", $0)] } ?? []
          }
          let isResumed = json["addTarget"]?["readTime"] != nil
          let isNotifier = json["addTarget"]?["query"]?["structuredQuery"]?["limit"] != nil
          if isNotifier {
            return [Payload.target("ADD", id)] + (isResumed && !resumes ? [Payload.target("RESET", id)] : [])
              + [Payload.document("a", 1, in: id), Payload.target("CURRENT", id), Payload.snapshot(2)]
          }
          if isResumed, resumes {
            return [
              Payload.target("ADD", id), Payload.document("z", 1, in: id), Payload.target("CURRENT", id),
              Payload.snapshot(3),
            ]
          }
          forgotten.continuation.yield(session)
          return []
        })
      Task { for await session in forgotten.stream { server.forget(session) } }
      return server
    }

    @Test("are filled by a query and resumed from its read time, if the server resumes") func resumed()
      async throws
    {
      let server = try server(Documents(), resumes: true)
      var listening = ListenClient(FirestoreRemote(server.client()), ListenTests.context)
      listening.add(1, .query(ListenTests.query))
      try await listening.until { $0.isCurrent(1) }
      #expect(listening.held(1) == ["a", "b", "c", "z"])
      let last = try #require(server.sessions.last?.messages.last)
      let message = try FirestoreJSON(Data(last.utf8))
      #expect(message["addTarget"]?["readTime"]?.string == Payload.time(2))
      #expect(server.calls.map(\.method) == ["runAggregationQuery", "runQuery"])
      listening.end()
      try await listening.untilEnd()
      server.stop()
    }

    @Test("are read again after each change of a notifier, if the server doesn't resume") func polled()
      async throws
    {
      let documents = Documents()
      let server = try server(documents, resumes: false)
      let store = FirestoreRemote(server.client())
      var listening = ListenClient(store, ListenTests.context)
      listening.add(1, .query(ListenTests.query))
      try await listening.until { $0.isCurrent(1) }
      #expect(listening.held(1) == ["a", "b", "c"] && listening.isAdded(1))
      let notifier = try #require(server.sessions.last?.messages.compactMap(Payload.added).last)

      documents.versions.withLock { $0 = ["a": 1, "b": 5, "d": 5] }
      server.send(
        Payload.target("RESET", notifier), Payload.document("a", 1, in: notifier),
        Payload.target("CURRENT", notifier), Payload.snapshot(6), session: server.sessions.count - 1)
      try await listening.until { $0.held(1).contains("d") }
      #expect(listening.held(1) == ["a", "b", "d"] && !listening.wasReset(1))
      #expect(listening.document("b")?.fields == ["n": 5])
      #expect(store.memory.facts.withLock { $0.resumes } == false)

      listening.remove(1)
      try await listening.until { $0.isRemoved(1) }
      listening.end()
      try await listening.untilEnd()
      await server.until { $0.last?.isTerminated == true }
      server.stop()
    }

    @Test("give the changes between two readings as of the notifier's snapshot, before that snapshot")
    func polledChanges() async throws {
      let documents = Documents()
      let server = try server(documents, resumes: false)
      let (requests, continuation) = AsyncStream<ListenRequest>.makeStream()
      let listening = ListenStream(
        requests, in: ListenTests.context, over: server.client(), memory: ListenMemory())
      continuation.yield(.add(ListenTarget(id: 1, content: .query(ListenTests.query))))
      _ = try await Self.documents(of: listening)
      let notifier = try #require(server.sessions.last?.messages.compactMap(Payload.added).last)
      let calls = server.calls.count

      documents.versions.withLock { $0 = ["a": 1, "b": 5, "d": 5] }
      server.send(
        Payload.target("RESET", notifier), Payload.document("a", 1, in: notifier),
        Payload.target("CURRENT", notifier), Payload.snapshot(6), session: server.sessions.count - 1)
      let (added, removed) = try await Self.documents(of: listening)
      #expect(added == ["b", "d"] && removed == ["c"])
      let reading = try FirestoreJSON(Data(server.calls[calls].body.utf8))
      #expect(reading["readTime"]?.string == Payload.time(6))
      continuation.finish()
      server.stop()
    }

    /// Returns the IDs of the documents of all events up to the next snapshot.
    private static func documents(
      of listening: ListenStream
    ) async throws -> (added: [String], removed: [String]) {
      var (added, removed): ([String], [String]) = ([], [])
      while let event = try await listening.next() {
        switch event {
        case .document(let document, _, _): added.append(document.path.id)
        case .removed(let path, _): removed.append(path.id)
        case .target(let change) where change.targets.isEmpty: return (added, removed)
        default: break
        }
      }
      return (added, removed)
    }

    @Test("end the stream, if the channels of a target that isn't large end all the time") func exhausted()
      async throws
    {
      let forgotten = AsyncStream<Int>.makeStream()
      let server = try ScriptedFirestore(
        rest: { call in (200, Payload.counted(3, for: Data(call.body.utf8))) },
        script: { session, message in
          if Payload.added(message) != nil { forgotten.continuation.yield(session) }
          return []
        })
      let forgetting = Task { for await session in forgotten.stream { server.forget(session) } }
      var listening = ListenClient(FirestoreRemote(server.client()), ListenTests.context)
      listening.add(1, .query(ListenTests.query))
      let error = await #expect(throws: StoreRemoteError.self) { try await listening.untilEnd() }
      #expect(error?.isTransient == true)
      #expect(server.sessions.count == 6)
      forgetting.cancel()
      server.stop()
    }
  }
#endif
