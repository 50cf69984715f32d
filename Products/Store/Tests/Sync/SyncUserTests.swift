import Foundation
import TenonAuthInterop
import TenonCore
import TenonDocuments
import TenonStoreInterop
import TenonTesting
import Testing

@testable import TenonStore

/// Each user has a queue of writes.
struct SyncUserTests {
  @Test func writesOfOneUserAreNeitherSeenNorSentByAnother() async throws {
    let (remote, auth) = (FakeStoreRemote(), FakeAuth())
    auth.signIn(userID: "ann")
    let store = makeStore(remote: remote, auth: auth)
    try await store.disableNetwork()
    let write = try await store.document("c/d").set(["of": "ann"])
    let snapshots = Snapshots(try store.collection("c").snapshots(source: .cache))
    #expect(try await snapshots.next()?.ids == ["d"])

    auth.signIn(userID: "bob")
    #expect(try await snapshots.next()?.story == "removed d")
    #expect(try await store.queuedWrites.isEmpty)
    try await store.enableNetwork()
    try await store.document("c/e").set(["of": "bob"]).confirmed()
    #expect(!write.isSettled)
    #expect(try await remote.fetch([ResourcePath(document: "c/d")], database: "(default)")[0].fields == nil)

    auth.signIn(userID: "ann")
    try await write.confirmed()
    #expect(
      try await remote.fetch([ResourcePath(document: "c/d")], database: "(default)")[0].fields == [
        "of": "ann"
      ])
    await store.terminate()
  }

  @Test func whoSignsInBeforeTheNextStartSeesNothingOfTheFormerUser() async throws {
    let (remote, directory, auth) = (FakeStoreRemote(), try TestDirectory(), FakeAuth())
    auth.signIn(userID: "ann")
    let first = makeStore(directory, remote: remote, auth: auth)
    try await first.disableNetwork()
    try await first.document("c/d").set(["of": "ann"])
    await first.terminate()
    auth.signIn(userID: "bob")
    let second = makeStore(directory, remote: remote, auth: auth)
    #expect(try await second.collection("c").get(source: .cache).isEmpty)
    try await second.document("c/e").set(["of": "bob"]).confirmed()
    await second.terminate()
    // Without a remote nobody has said who is signed in: it stays as it was.
    let without = makeStore(directory)
    #expect(try await without.collection("c").get().ids == ["e"])
    await without.terminate()
  }

  @Test func whoWaitsForTheWritesOfAUserIsToldWhenAnotherSignsIn() async throws {
    let (remote, auth) = (FakeStoreRemote(), FakeAuth())
    auth.signIn(userID: "ann")
    let store = makeStore(remote: remote, auth: auth)
    try await store.disableNetwork()
    try await store.document("c/d").set(["n": 1])
    let waiting = Task { try await store.waitForPendingWrites() }
    while await !store.engine.hasWaiters { await Task.yield() }
    auth.signIn(userID: "bob")
    let thrown = await #expect(throws: StoreError.self) { try await waiting.value }
    #expect(thrown?.code == .cancelled)
    await store.terminate()
  }

  /// Whoever signs in and then writes must not depend on how soon the change is told.
  @Test func aCallAfterSigningInIsOfThatUserThoughTheChangeWasNotToldYet() async throws {
    let (remote, auth) = (FakeStoreRemote(), SilentAuth())
    auth.fake.signIn(userID: "ann")
    let store = makeStore(remote: remote, auth: auth)
    try await store.disableNetwork()
    let write = try await store.document("c/d").set(["of": "ann"])
    auth.fake.signIn(userID: "bob")
    #expect(try await store.queuedWrites.isEmpty)
    #expect(try await store.collection("c").get(source: .cache).isEmpty)
    try await store.document("c/e").set(["of": "bob"])
    auth.fake.signOut()
    #expect(try await store.queuedWrites.isEmpty)
    auth.fake.signIn(userID: "ann")
    #expect(try await store.collection("c").get(source: .cache).ids == ["d"])
    try await store.enableNetwork()
    try await write.confirmed()
    #expect(remote.batches.count == 1)
    await store.terminate()
  }

  @Test func writesAreNotSentOnAStreamThatWasOpenedWhileAnotherUserSignedIn() async throws {
    let auth = SilentAuth()
    let remote = RemoteWhileSigningIn { auth.fake.signIn(userID: "bob") }
    auth.fake.signIn(userID: "ann")
    let store = makeStore(remote: remote, auth: auth)
    try await store.disableNetwork()
    let write = try await store.document("c/d").set(["of": "ann"])
    try await store.enableNetwork()
    while try await store.engine.use({ $0.local.user }) == "ann", remote.fake.batches.isEmpty {
      await Task.yield()
    }
    #expect(remote.fake.batches.isEmpty)
    try await store.document("c/e").set(["of": "bob"]).confirmed()
    #expect(remote.fake.batches.count == 1 && !write.isSettled)
    await store.terminate()
  }

  @Test func nothingIsDoneWhileNobodyCanTellWhoIsSignedIn() async throws {
    let auth = SilentAuth()
    auth.fake.signIn(userID: "ann")
    auth.isBroken.withLock { $0 = true }
    let store = makeStore(remote: FakeStoreRemote(), auth: auth)
    let thrown = await #expect(throws: StoreError.self) {
      try await store.document("c/d").set(["of": "ann"])
    }
    #expect(thrown?.code == .unauthenticated && thrown?.underlying is SilentAuth.Unreadable)
    auth.isBroken.withLock { $0 = false }
    #expect(try await store.queuedWrites.isEmpty)
    try await store.document("c/d").set(["of": "ann"]).confirmed()
    await store.terminate()
  }

  @Test func aSessionThatCannotBeReadLeavesTheUser() async throws {
    let (remote, auth) = (FakeStoreRemote(), SilentAuth())
    auth.fake.signIn(userID: "ann")
    let store = makeStore(remote: remote, auth: auth)
    try await store.disableNetwork()
    try await store.document("c/d").set(["of": "ann"])
    auth.isBroken.withLock { $0 = true }
    #expect(try await store.queuedWrites.count == 1)
    await store.terminate()
  }
}

/// Says who is signed in when it is asked, and nothing by itself.
private final class SilentAuth: AuthInterop {
  struct Unreadable: Error {}

  let fake = FakeAuth()
  let isBroken = Lock(false)

  var currentUserID: String? {
    get async throws {
      if isBroken.withLock({ $0 }) { throw Unreadable() }
      return fake.currentUserID
    }
  }

  func token(forcingRefresh: Bool) async throws -> String? {
    try await fake.token(forcingRefresh: forcingRefresh)
  }

  var stateChanges: AsyncStream<AuthState> { AsyncStream { _ in } }
}

/// A remote during whose opening of a stream of writes somebody signs in.
private final class RemoteWhileSigningIn: StoreRemote {
  let fake = FakeStoreRemote()
  private let signIn: @Sendable () -> Void

  init(_ signIn: @escaping @Sendable () -> Void) { self.signIn = signIn }

  func write(
    _ batches: AsyncStream<RemoteBatch>, token: Data?, database: String
  ) -> AsyncThrowingStream<WriteEvent, any Error> {
    signIn()
    return fake.write(batches, token: token, database: database)
  }

  func listen(
    _ requests: AsyncStream<ListenRequest>, database: String
  ) -> AsyncThrowingStream<ListenEvent, any Error> {
    fake.listen(requests, database: database)
  }

  func commit(_ batch: RemoteBatch, database: String) async throws -> RemoteCommit {
    try await fake.commit(batch, database: database)
  }

  func fetch(_ documents: [ResourcePath], database: String) async throws -> [RemoteDocument] {
    try await fake.fetch(documents, database: database)
  }

  func run(_ query: StructuredQuery, database: String) async throws -> [RemoteDocument] {
    try await fake.run(query, database: database)
  }

  func aggregate(
    _ query: StructuredQuery, _ aggregations: [QueryAggregation], database: String
  ) async throws -> [Value] {
    try await fake.aggregate(query, aggregations, database: database)
  }
}
