import Foundation
import TenonAuthInterop
import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Each user has a separate queue of writes.
@Suite(.limited) struct SyncUserTests {
  @Test func writesOfOneUserAreNeitherSeenNorSentByAnother() async throws {
    let (remote, auth) = (FakeStoreRemote(), FakeAuth())
    auth.signIn(userID: "ann")
    let store = makeStore(remote: remote, auth: auth)
    try await store.disableNetwork()
    let write = try await store.document("c/d").setData(["of": "ann"])
    let snapshots = Snapshots(store.collection("c").snapshots(source: .cache))
    #expect(try await snapshots.next()?.ids == ["d"])

    auth.signIn(userID: "bob")
    #expect(try await snapshots.next()?.story == "removed d")
    #expect(try await store.queuedWrites.isEmpty)
    try await store.enableNetwork()
    try await store.document("c/e").setData(["of": "bob"]).confirmed()
    #expect(!write.isSettled)
    #expect(try await remote.fetch([ResourcePath(document: "c/d")], in: RemoteContext())[0].fields == nil)

    auth.signIn(userID: "ann")
    try await write.confirmed()
    #expect(
      try await remote.fetch([ResourcePath(document: "c/d")], in: RemoteContext())[0].fields == [
        "of": "ann"
      ])
    await store.terminate()
  }

  @Test func aUserWhoSignsInBeforeTheNextLaunchSeesNothingOfTheFormerUser() async throws {
    let (remote, directory, auth) = (FakeStoreRemote(), try TestDirectory(), FakeAuth())
    auth.signIn(userID: "ann")
    let first = makeStore(directory, remote: remote, auth: auth)
    try await first.disableNetwork()
    try await first.document("c/d").setData(["of": "ann"])
    await first.terminate()
    auth.signIn(userID: "bob")
    let second = makeStore(directory, remote: remote, auth: auth)
    #expect(try await second.collection("c").getDocuments(source: .cache).isEmpty)
    try await second.document("c/e").setData(["of": "bob"]).confirmed()
    await second.terminate()
  }

  @Test func waitingForPendingWritesThrowsWhenTheUserChanges() async throws {
    let (remote, auth) = (FakeStoreRemote(), FakeAuth())
    auth.signIn(userID: "ann")
    let store = makeStore(remote: remote, auth: auth)
    try await store.disableNetwork()
    try await store.document("c/d").setData(["n": 1])
    let waiting = Task { try await store.waitForPendingWrites() }
    try await eventually { await store.engine.hasWaiters }
    auth.signIn(userID: "bob")
    let thrown = await #expect(throws: StoreError.self) { try await waiting.value }
    #expect(thrown?.code == .cancelled)
    await store.terminate()
  }

  @Test
  func waitingForAFormerUsersConfirmationThrowsAndCanBeRepeated() async throws {
    let (remote, auth) = (FakeStoreRemote(), FakeAuth())
    auth.signIn(userID: "ann")
    let store = makeStore(remote: remote, auth: auth)
    try await store.disableNetwork()
    let write = try await store.document("c/d").setData(["of": "ann"])
    let waiting = Task { try await write.confirmed() }
    auth.signIn(userID: "bob")
    let thrown = await #expect(throws: StoreError.self) { try await waiting.value }
    #expect(thrown?.code == .cancelled)
    let again = await #expect(throws: StoreError.self) { try await write.confirmed() }
    #expect(again?.code == .cancelled && !write.isSettled)

    auth.signIn(userID: "ann")
    try await store.enableNetwork()
    // Every call looks up the signed-in user.
    #expect(try await store.currentUserID == "ann")
    _ = try await store.queuedWrites
    #expect(try await write.confirmed() != nil)
    await store.terminate()
  }

  @Test
  func aWaitingTransactionEndsWhenTheUserChanges() async throws {
    let (remote, auth) = (FakeStoreRemote(), FakeAuth())
    auth.signIn(userID: "ann")
    let store = makeStore(remote: remote, auth: auth)
    let document = store.document("c/d")
    try await document.setData(["n": 1]).confirmed()
    let transaction = Task {
      try await store.runTransaction { transaction in
        _ = try await transaction.getDocument(document)
        remote.delayResponses()
        try transaction.setData(["n": 2], forDocument: document)
      }
    }
    try await eventually { remote.batches.count >= 2 }
    auth.signIn(userID: "bob")
    let thrown = await #expect(throws: StoreError.self) { try await transaction.value }
    #expect(thrown?.code == .cancelled)
    remote.deliverDelayedResponses()
    await store.terminate()
  }

  /// The result of a write is reported even if its user is no longer signed in here.
  @Test
  func aRejectionReceivedByAnotherProcessForAFormerUserIsNotASuccess() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let (auth, otherAuth) = (FakeAuth(), FakeAuth())
    auth.signIn(userID: "ann")
    otherAuth.signIn(userID: "ann")
    let store = makeStore(directory, remote: remote, auth: auth)
    try await store.disableNetwork()
    let write = try await store.document("c/d").setData(["of": "ann"])
    auth.signIn(userID: "bob")
    #expect(try await store.queuedWrites.isEmpty)
    remote.decideNextBatches(.refused(StoreRemoteError(.permissionDenied, "No.")))
    let other = makeStore(directory, remote: remote, auth: otherAuth)
    try await other.waitForPendingWrites()
    try await eventually { write.isSettled }
    let thrown = await #expect(throws: StoreError.self) { try await write.confirmed() }
    #expect(thrown?.code == .permissionDenied)
    await store.terminate()
    await other.terminate()
  }

  /// A write after a sign-in must not depend on when the change of the user is delivered.
  @Test func aCallAfterSigningInActsAsTheNewUserBeforeTheChangeIsDelivered() async throws {
    let (remote, auth) = (FakeStoreRemote(), SilentAuth())
    auth.fake.signIn(userID: "ann")
    let store = makeStore(remote: remote, auth: auth)
    try await store.disableNetwork()
    let write = try await store.document("c/d").setData(["of": "ann"])
    auth.fake.signIn(userID: "bob")
    #expect(try await store.queuedWrites.isEmpty)
    #expect(try await store.collection("c").getDocuments(source: .cache).isEmpty)
    try await store.document("c/e").setData(["of": "bob"])
    auth.fake.signOut()
    #expect(try await store.queuedWrites.isEmpty)
    auth.fake.signIn(userID: "ann")
    #expect(try await store.collection("c").getDocuments(source: .cache).ids == ["d"])
    try await store.enableNetwork()
    try await write.confirmed()
    #expect(remote.batches.count == 1)
    await store.terminate()
  }

  @Test func writesAreNotSentOnAStreamThatWasOpenedWhileAnotherUserSignedIn() async throws {
    let auth = SilentAuth()
    let remote = RemoteWithCredentials {
      defer { auth.fake.signIn(userID: "bob") }
      return auth.fake.currentUserID
    }
    auth.fake.signIn(userID: "ann")
    let store = makeStore(remote: remote, auth: auth)
    try await store.disableNetwork()
    let write = try await store.document("c/d").setData(["of": "ann"])
    try await store.enableNetwork()
    try await eventually {
      try await store.engine.use { $0.local.user } != "ann" || !remote.fake.batches.isEmpty
    }
    #expect(remote.fake.batches.isEmpty)
    try await store.document("c/e").setData(["of": "bob"]).confirmed()
    #expect(remote.fake.batches.count == 1 && !write.isSettled)
    await store.terminate()
  }

  @Test func writesAreNotSentWithTheCredentialsOfABrieflySignedInUser() async throws {
    let auth = SilentAuth()
    let openings = Lock(0)
    let remote = RemoteWithCredentials {
      let isFirst = openings.withLock { count in
        count += 1
        return count == 1
      }
      return isFirst ? "bob" : auth.fake.currentUserID
    }
    auth.fake.signIn(userID: "ann")
    let store = makeStore(remote: remote, auth: auth)
    let write = try await store.document("c/d").setData(["of": "ann"])
    try await write.confirmed()
    #expect(remote.contexts.withLock { $0 } == [RemoteContext(user: "ann"), RemoteContext(user: "ann")])
    #expect(remote.fake.batches.count == 1)
    await store.terminate()
  }

  @Test func aReadDuringASignInIsAnsweredForTheNewUser() async throws {
    let auth = SilentAuth()
    let remote = RemoteWithCredentials {
      auth.fake.signIn(userID: "bob")
      return auth.fake.currentUserID
    }
    auth.fake.signIn(userID: "ann")
    let document = ResourcePath(segments: ["c", "d"])
    try remote.fake.apply([DocumentWrite(document, .set(["n": 1]))])
    let store = makeStore(remote: remote, auth: auth)
    #expect(try await store.document("c/d").getDocument(source: .server).fields == ["n": 1])
    #expect(remote.contexts.withLock { $0 } == [RemoteContext(user: "ann"), RemoteContext(user: "bob")])
    await store.terminate()
  }

  @Test func readsOfTheRemoteActAsTheCurrentUser() async throws {
    let auth = SilentAuth()
    let remote = RemoteWithCredentials { auth.fake.currentUserID }
    let store = makeStore(remote: remote, auth: auth)
    let document = store.document("c/d")
    for user in ["ann", "bob"] {
      auth.fake.signIn(userID: user)
      remote.contexts.withLock { $0 = [] }
      _ = try await document.getDocument(source: .server)
      _ = try await store.collection("c").count.getAggregation().count
      try await document.setData(["of": user]).confirmed()
      let listening = Snapshots(document.snapshots(includeMetadataChanges: true))
      _ = try await listening.next { !$0.metadata.isFromCache }
      let contexts = remote.contexts.withLock { Set($0) }
      #expect(contexts == [RemoteContext(user: user)])
    }
    await store.terminate()
  }

  @Test func callsFailWhileTheCurrentUserIsUnknown() async throws {
    let auth = SilentAuth()
    auth.fake.signIn(userID: "ann")
    auth.isBroken.withLock { $0 = true }
    let store = makeStore(remote: FakeStoreRemote(), auth: auth)
    let thrown = await #expect(throws: StoreError.self) {
      try await store.document("c/d").setData(["of": "ann"])
    }
    #expect(thrown?.code == .unauthenticated && thrown?.underlying is SilentAuth.Unreadable)
    auth.isBroken.withLock { $0 = false }
    #expect(try await store.queuedWrites.isEmpty)
    try await store.document("c/d").setData(["of": "ann"]).confirmed()
    await store.terminate()
  }

  @Test func anUnreadableSessionKeepsTheUser() async throws {
    let (remote, auth) = (FakeStoreRemote(), SilentAuth())
    auth.fake.signIn(userID: "ann")
    let store = makeStore(remote: remote, auth: auth)
    try await store.disableNetwork()
    try await store.document("c/d").setData(["of": "ann"])
    auth.isBroken.withLock { $0 = true }
    #expect(try await store.queuedWrites.count == 1)
    await store.terminate()
  }
}

/// An Auth that returns the signed-in user on request, and reports no changes.
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

/// A remote that checks the credentials of each read and write, and rejects those of other users.
private final class RemoteWithCredentials: StoreRemote {
  let pipelineDepth = 10
  let fake = FakeStoreRemote()
  /// The contexts of the requests so far, which identify their users.
  let contexts = Lock<[RemoteContext]>([])
  private let credentials: @Sendable () -> String?

  init(_ credentials: @escaping @Sendable () -> String?) { self.credentials = credentials }

  private func note(_ context: RemoteContext) { contexts.withLock { $0.append(context) } }

  private func check(_ context: RemoteContext) throws {
    note(context)
    guard credentials() != context.user else { return }
    throw StoreRemoteError(.unauthenticated, "Somebody else is signed in.")
  }

  func write(
    _ batches: AsyncStream<RemoteBatch>, token: Data?, in context: RemoteContext
  ) -> AsyncThrowingStream<WriteEvent, any Error> {
    do { try check(context) } catch { return AsyncThrowingStream { $0.finish(throwing: error) } }
    return fake.write(batches, token: token, in: context)
  }

  func listen(
    _ requests: AsyncStream<ListenRequest>, in context: RemoteContext
  ) -> AsyncThrowingStream<ListenEvent, any Error> {
    note(context)
    return fake.listen(requests, in: context)
  }

  func commit(_ batch: RemoteBatch, in context: RemoteContext) async throws -> RemoteCommit {
    try check(context)
    return try await fake.commit(batch, in: context)
  }

  func fetch(_ documents: [ResourcePath], in context: RemoteContext) async throws -> [RemoteDocument] {
    try check(context)
    return try await fake.fetch(documents, in: context)
  }

  func run(_ query: StructuredQuery, in context: RemoteContext) async throws -> [RemoteDocument] {
    try check(context)
    return try await fake.run(query, in: context)
  }

  func aggregate(
    _ query: StructuredQuery, _ aggregations: [QueryAggregation], in context: RemoteContext
  ) async throws -> [Value] {
    try check(context)
    return try await fake.aggregate(query, aggregations, in: context)
  }
}
