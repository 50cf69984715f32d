import Foundation
import TenonAuthInterop
import TenonCore
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct DocumentTests {
  private let backend = Backend()
  private var remote: EmbeddedStoreRemote { EmbeddedStoreRemote(backend.embedded, auth: nil) }

  @Test func documentsInMemoryFulfilTheContract() async throws {
    try await StoreRemoteContract.check(remote, database: "(default)", other: "other")
  }

  @Test func documentsInADirectoryFulfilTheContract() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let backend = Backend(directory: directory.path)
    let remote = EmbeddedStoreRemote(backend.embedded, auth: nil)
    try await StoreRemoteContract.check(remote, database: "(default)", other: "other")
    await backend.embedded.close()
  }

  /// `é` in one and in two scalars are equal as texts, but not as names.
  @Test(arguments: ["\u{E9}", "e\u{301}", "", "a b", "a\n", String(repeating: "a", count: 64)])
  func aNameThatIsNoDatabaseIsRefused(name: String) async throws {
    let documents = backend.embedded.documents(database: name)
    let error = await #expect(throws: StoreRemoteError.self) {
      try await documents.set("rooms/den", ["n": 1])
    }
    #expect(error?.code == .invalidArgument)
  }

  /// The version that a batch returns is the one that the backend keeps, so that the next write with it as a
  /// condition is accepted.
  @Test func aBatchWithoutNetEffectReturnsTheVersionThatIsKept() async throws {
    let context = RemoteContext()
    let den = try ResourcePath(document: "rooms/den")
    let created = try await remote.commit(
      RemoteBatch(writes: [DocumentWrite(den, .set(["n": 1]))]), in: context)
    let writes = [2, 1].map { DocumentWrite(den, .set(["n": $0])) }
    let answer = try await remote.commit(RemoteBatch(writes: writes), in: context)
    let versions = answer.results.map { $0.updateTime ?? answer.time }
    #expect(versions == [created.time, created.time])
    #expect(try await remote.fetch([den], in: context).first?.updateTime == created.time)
    let next = DocumentWrite(den, .set(["n": 3]), precondition: .updated(try #require(versions.last)))
    _ = try await remote.commit(RemoteBatch(writes: [next]), in: context)
  }

  @Test func anAppOnTheEmbeddedBackendHasARemote() async throws {
    let options = AppOptions(projectID: "demo", backend: .embedded(directory: nil))
    let app = try App.configure(
      name: "embedded-\(UUID())", options: options, libraries: [EmbeddedLibrary.self])
    let remote = try #require(try app.resolveAll((any StoreRemote).self).first)
    let documents = try Embedded.embedded(app: app).documents()
    try await documents.set("rooms/den", ["n": 1])
    let den = try ResourcePath(document: "rooms/den")
    #expect(try await remote.fetch([den], in: RemoteContext()).first?.fields == ["n": 1])
    var listening = ListenClient(remote, RemoteContext())
    listening.add(1, .documents([den]))
    try await listening.until { $0.isCurrent(1) }
    await app.delete()
    let error = await #expect(throws: StoreRemoteError.self) { try await listening.until { _ in false } }
    #expect(error?.code == .unavailable)
    await #expect(throws: StoreRemoteError.self) { try await remote.fetch([den], in: RemoteContext()) }
  }

  @Test func anAppOnAnotherBackendHasNone() async throws {
    let app = try App.configure(
      name: "embedded-\(UUID())", options: AppOptions(projectID: "demo", data: .memory),
      libraries: [EmbeddedLibrary.self])
    #expect(try app.resolveAll((any StoreRemote).self).isEmpty)
    await app.delete()
  }

  @Test func anAppWithDurableDataHasNoRemoteInMemory() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    for (backend, hasRemote) in [(nil, false), (directory.path, true)] {
      let options = AppOptions(
        projectID: "demo", backend: .embedded(directory: backend), data: .directory(directory.path))
      let app = try App.configure(
        name: "embedded-\(UUID())", options: options, libraries: [EmbeddedLibrary.self])
      #expect(try app.resolveAll((any StoreRemote).self).isEmpty != hasRemote)
      await app.delete()
    }
  }

  @Test func everyListenerReceivesACommit() async throws {
    var listeners = (0..<2).map { _ in ListenClient(remote, RemoteContext()) }
    for index in listeners.indices {
      listeners[index].add(1, .documents([ResourcePath(segments: ["rooms", "den"])]))
      try await listeners[index].until { $0.isCurrent(1) }
    }
    try await backend.embedded.documents().set("rooms/den", ["n": 1])
    for index in listeners.indices {
      try await listeners[index].until { !$0.held(1).isEmpty }
      #expect(listeners[index].held(1) == ["den"])
    }
  }

  @Test func aListenStreamEndsWithItsRequestsOrItsReader() async throws {
    var listening = ListenClient(remote, RemoteContext())
    listening.add(1, .documents([ResourcePath(segments: ["rooms", "den"])]))
    try await listening.until { $0.isCurrent(1) }
    #expect(await backend.embedded.documentDatabase.listeners.count == 1)
    listening.end()
    try await eventually { await backend.embedded.documentDatabase.listeners.isEmpty }

    let (requests, wishes) = AsyncStream<ListenRequest>.makeStream()
    let remote = remote
    let reading = Task { for try await _ in remote.listen(requests, in: RemoteContext()) {} }
    try await eventually { await !backend.embedded.documentDatabase.listeners.isEmpty }
    reading.cancel()
    try await eventually { await backend.embedded.documentDatabase.listeners.isEmpty }
    wishes.finish()
  }

  @Test func administratorsReadAndWriteDirectly() async throws {
    let documents = backend.embedded.documents()
    try await documents.set("rooms/den", ["n": 1])
    try await documents.set("rooms/attic", ["n": 2])
    try await documents.set("rooms/den/chairs/a", ["n": 3])
    #expect(try await documents.get("rooms/den") == ["n": 1])
    #expect(try await documents.list("rooms").map(\.id) == ["attic", "den"])
    try await documents.delete("rooms/den")
    #expect(try await documents.get("rooms/den") == nil)
    #expect(try await documents.get("rooms/den/chairs/a") == ["n": 3])
    let error = await #expect(throws: StoreRemoteError.self) { try await documents.set("rooms", [:]) }
    #expect(error?.code == .invalidArgument)
    #expect(try await backend.embedded.documents(database: "other").list("rooms").isEmpty)
  }

  @Test func aCommitOfAdministratorsIsAppliedAsAWhole() async throws {
    let documents = backend.embedded.documents()
    let created = try await documents.commit([
      .set("rooms/den", ["n": 1, "m": ["a": 1]]), .set("rooms/hall", [:]),
    ])
    backend.clock.advance(bySeconds: 1)
    let updated = try await documents.commit([
      .update("rooms/den", ["n": 2, "m": ["b": 1]]), .set("rooms/attic", [:]), .delete("rooms/hall"),
    ])
    #expect(created.compare(updated) < 0)
    let rooms = try await documents.list("rooms")
    #expect(rooms.map(\.path) == ["rooms/attic", "rooms/den"])
    #expect(rooms.map(\.id) == ["attic", "den"])
    #expect(rooms.map(\.fields) == [[:], ["n": 2, "m": ["b": 1]]])
    #expect(rooms.map(\.createTime) == [updated, created])
    #expect(rooms.map(\.updateTime) == [updated, updated])
    let missing = await #expect(throws: StoreRemoteError.self) {
      try await documents.commit([.delete("rooms/den"), .update("rooms/hall", ["n": 1])])
    }
    #expect(missing?.code == .notFound)
    let collection = await #expect(throws: StoreRemoteError.self) {
      try await documents.commit([.delete("rooms/den"), .delete("rooms")])
    }
    #expect(collection?.code == .invalidArgument)
    #expect(try await documents.list("rooms") == rooms)
  }

  @Test func listenersReceiveTheChangesOfAdministrators() async throws {
    var listening = ListenClient(remote, RemoteContext())
    listening.add(
      1, .query(StructuredQuery(parent: ResourcePath(segments: []), collectionID: "rooms")))
    try await listening.until { $0.isCurrent(1) }
    #expect(listening.held(1).isEmpty)
    try await backend.embedded.documents().set("rooms/den", ["n": 1])
    try await listening.until { !$0.held(1).isEmpty }
    #expect(listening.held(1) == ["den"])
    listening.end()
  }

  @Test func ofConflictingTransactionsOneCommits() async throws {
    let path = try ResourcePath(document: "counters/one")
    try await backend.embedded.documents().set("counters/one", ["n": 0])
    let remote = remote
    let read = try #require(try await remote.fetch([path], in: RemoteContext()).first)
    let outcomes = await withTaskGroup(of: StoreRemoteError.Code?.self) { group in
      for number in 1...8 {
        group.addTask {
          let write = DocumentWrite(
            path, .set(["n": Value(number)]), precondition: .updated(read.updateTime))
          do {
            _ = try await remote.commit(RemoteBatch(writes: [write]), in: RemoteContext())
            return nil
          } catch {
            return (error as? StoreRemoteError)?.code ?? .unknown
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == nil } == 1)
    #expect(outcomes.count { $0 == .failedPrecondition } == 7)
  }

  @Test func noConcurrentChangeIsLost() async throws {
    let path = try ResourcePath(document: "counters/one")
    try await backend.embedded.documents().set("counters/one", ["n": 0])
    let remote = remote
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          while true {
            let read = try await remote.fetch([path], in: RemoteContext()).first
            let next = (read?.fields?["n"]?.int64Value ?? 0) + 1
            let write = DocumentWrite(
              path, .set(["n": .integer(next)]), precondition: (read?.updateTime).map { .updated($0) })
            do {
              _ = try await remote.commit(RemoteBatch(writes: [write]), in: RemoteContext())
              return
            } catch let error as StoreRemoteError where error.code == .failedPrecondition {
              continue
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await backend.embedded.documents().get("counters/one") == ["n": 8])
  }

  @Test func errorsBelowTheRemoteAreConverted() {
    #expect(StoreRemoteError.wrapping(DocumentError(.damaged, "Damaged.")).code == .dataLoss)
    #expect(StoreRemoteError.wrapping(DocumentError(.tooLarge, "Large.")).code == .invalidArgument)
    #expect(StoreRemoteError.wrapping(CocoaError(.fileNoSuchFile)).code == .internal)
  }
}
