import Foundation
import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The snapshots of a remote's documents that listeners receive.
@Suite(.limited) struct SyncListenTests {
  private static func write(_ path: String, _ fields: Fields?) throws -> DocumentWrite {
    DocumentWrite(try ResourcePath(document: path), fields.map { .set($0) } ?? .delete)
  }

  @Test func aDeviceReceivesTheWritesOfAnother() async throws {
    let remote = FakeStoreRemote()
    let (one, other) = (makeStore(remote: remote), makeStore(remote: remote))
    let snapshots = Snapshots(other.collection("c").snapshots)
    #expect(try await snapshots.next()?.isEmpty == true)
    try await one.document("c/a").setData(["n": 1])
    #expect(try await snapshots.next { !$0.isEmpty }?.story == "added a")
    try await one.document("c/a").updateData(["n": 2])
    #expect(try await snapshots.next()?.story == "modified a")
    try await one.document("c/a").delete()
    #expect(try await snapshots.next()?.story == "removed a")
    await one.terminate()
    await other.terminate()
  }

  @Test func metadataReportsPendingWritesAndTheCache() async throws {
    let remote = FakeStoreRemote()
    try remote.apply([try Self.write("c/a", ["n": 1])])
    let store = makeStore(remote: remote)
    let snapshots = Snapshots(store.collection("c").snapshots(includeMetadataChanges: true))
    let first = try #require(try await snapshots.next { !$0.metadata.isFromCache })
    #expect(first.ids == ["a"] && !first.metadata.hasPendingWrites)

    remote.delayResponses()
    try await store.document("c/b").setData(["n": 2])
    let pending = try #require(try await snapshots.next())
    #expect(pending.story == "added b" && pending.metadata.hasPendingWrites)
    #expect(pending.documents.map(\.metadata.hasPendingWrites) == [false, true])
    remote.deliverDelayedResponses()
    let settled = try #require(try await snapshots.next { !$0.metadata.hasPendingWrites })
    #expect(settled.ids == ["a", "b"])
    #expect(settled.documents.allSatisfy { !$0.metadata.hasPendingWrites })
    await store.terminate()
  }

  @Test func withoutMetadataChangesAConfirmationIsNoSnapshot() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    let snapshots = Snapshots(store.collection("c").snapshots)
    _ = try await snapshots.next()
    try await store.document("c/a").setData(["n": 1]).confirmed()
    #expect(try await snapshots.next()?.story == "added a")
    try await store.document("c/b").setData(["n": 2]).confirmed()
    #expect(try await snapshots.next()?.story == "added b")
    await store.terminate()
  }

  @Test func offlineSnapshotsAreFromTheCache() async throws {
    let remote = FakeStoreRemote()
    try remote.apply([try Self.write("c/a", ["n": 1])])
    let directory = try TestDirectory()
    let store = makeStore(directory, remote: remote)
    #expect(try await store.collection("c").getDocuments().ids == ["a"])
    try await store.disableNetwork()
    try remote.apply([try Self.write("c/b", ["n": 2])])
    let offline = try await store.collection("c").getDocuments()
    #expect(offline.ids == ["a"] && offline.metadata.isFromCache)
    let server = await #expect(throws: StoreError.self) {
      try await store.collection("c").getDocuments(source: .server)
    }
    #expect(server?.code == .unavailable)
    let unknown = await #expect(throws: StoreError.self) {
      try await store.document("c/z").getDocument(source: .cache)
    }
    #expect(unknown?.code == .unavailable)
    try await store.enableNetwork()
    let online = try await store.collection("c").getDocuments(source: .server)
    #expect(online.ids == ["a", "b"] && !online.metadata.isFromCache)
    #expect(try await !store.document("c/z").getDocument().exists, "the remote says that there is none")
    #expect(try await !store.document("c/z").getDocument(source: .cache).exists, "and that is remembered")
    await store.terminate()
  }

  @Test func countsComeFromTheRemoteOrOfflineFromTheCache() async throws {
    let remote = FakeStoreRemote()
    try remote.apply((1...4).map { try Self.write("c/d\($0)", ["n": .init($0)]) })
    let store = makeStore(remote: remote)
    let query = store.collection("c").whereField("n", isGreaterThan: 1)
    #expect(try await query.count.getAggregation().count == 3, "nothing of it is here")
    #expect(try await query.count.getAggregation(source: .cache).count == 0)
    #expect(try await query.aggregate([.sum("n")]).getAggregation(source: .server)[.sum("n")] == 9)
    _ = try await store.document("c/d4").getDocument()
    try await store.disableNetwork()
    #expect(try await query.count.getAggregation().count == 1)
    let thrown = await #expect(throws: StoreError.self) {
      try await query.count.getAggregation(source: .server).count
    }
    #expect(thrown?.code == .unavailable)
    await store.terminate()
  }

  @Test func aListenerContinuesFromItsTokenAfterARestart() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    try remote.apply([try Self.write("c/a", ["n": 1]), try Self.write("c/b", ["n": 1])])
    let first = makeStore(directory, remote: remote)
    #expect(try await first.collection("c").getDocuments().count == 2)
    await first.terminate()
    try remote.apply([try Self.write("c/a", nil), try Self.write("c/d", ["n": 1])])
    let second = makeStore(directory, remote: remote)
    #expect(try await second.collection("c").getDocuments().ids == ["b", "d"])
    await second.terminate()
  }

  @Test func aMissedRemovalIsDetectedByTheExistenceFilter() async throws {
    let remote = FakeStoreRemote()
    try remote.apply((0..<20).map { try Self.write("c/d\($0)", ["n": 1]) })
    let store = makeStore(remote: remote)
    let snapshots = Snapshots(store.collection("c").snapshots)
    #expect(try await snapshots.next { $0.count == 20 } != nil)
    // The tokens are invalid when the stream is reopened, so the remote doesn't report that the documents
    // were deleted.
    remote.dropStreams(with: StoreRemoteError(.unavailable, "The connection was lost."))
    try remote.apply([try Self.write("c/d3", nil), try Self.write("c/d7", nil)])
    remote.forgetTokens()
    #expect(try await snapshots.next { $0.count == 18 }?.ids.contains("d3") == false)
    await store.terminate()
  }

  @Test func aRefusedTargetEndsItsListenersWithTheReasonAndNoOthers() async throws {
    let remote = FakeStoreRemote()
    remote.refuseTargets { target in
      guard case .query(let query) = target.content, query.collectionID == "secret" else { return nil }
      return StoreRemoteError(.permissionDenied, "You may not read secret.")
    }
    let store = makeStore(remote: remote)
    let open = Snapshots(store.collection("c").snapshots)
    let secret = Snapshots(store.collection("secret").snapshots)
    let thrown = await #expect(throws: StoreError.self) { try await secret.next { _ in false } }
    #expect(thrown?.code == .permissionDenied)
    _ = try await open.next()
    try remote.apply([try Self.write("c/a", ["n": 1])])
    #expect(try await open.next { !$0.isEmpty }?.ids == ["a"])
    await store.terminate()
  }

  @Test func aCacheListenerDoesNotContactTheRemote() async throws {
    let remote = FakeStoreRemote()
    try remote.apply([try Self.write("c/a", ["n": 1])])
    let store = makeStore(remote: remote)
    let cached = Snapshots(store.collection("c").snapshots(source: .cache))
    #expect(try await cached.next()?.isEmpty == true)
    try await store.document("c/b").setData(["n": 2]).confirmed()
    #expect(try await cached.next()?.story == "added b")
    // Another listener receives the remote's documents.
    #expect(try await store.collection("c").getDocuments().count == 2)
    #expect(try await cached.next { $0.count == 2 }?.ids == ["a", "b"])
    await store.terminate()
  }

  @Test func listenersAreInSyncAtOnceAndAfterEachRound() async throws {
    let store = makeStore()
    var rounds = store.snapshotsInSync.makeAsyncIterator()
    await rounds.next()
    let first = Snapshots(store.collection("c").snapshots)
    let second = Snapshots(store.document("c/a").snapshots)
    _ = try await first.next()
    _ = try await second.next()
    try await store.document("c/a").setData(["n": 1])
    #expect(try await first.next()?.ids == ["a"])
    #expect(try await second.next()?.fields?["n"] == 1)
    await rounds.next()
  }

  @Test func streamsOfRoundsThatAreReleasedAtOnceLeaveNothing() async throws {
    let store = makeStore()
    for _ in 0..<20_000 { _ = store.snapshotsInSync }
    // The tasks that add and remove the observers have run after these rounds.
    for _ in 0..<5 {
      var rounds = store.snapshotsInSync.makeAsyncIterator()
      await rounds.next()
    }
    try await eventually({ await store.engine.syncObserverCount }, satisfies: { $0 == 0 })
    await store.terminate()
  }

  @Test func aCallbackIsNotCalledAfterItsRegistrationIsRemoved() async throws {
    let store = makeStore()
    let (calls, called) = AsyncStream<Int>.makeStream()
    let registration = store.collection("c").addSnapshotListener { result in
      if case .success(let snapshot) = result { called.yield(snapshot.count) }
    }
    var counts = calls.makeAsyncIterator()
    #expect(await counts.next() == 0)
    try await store.document("c/a").setData(["n": 1])
    #expect(await counts.next() == 1)
    registration.remove()
    registration.remove()
    try await store.document("c/b").setData(["n": 1])
    try await eventually { await !store.engine.isListened }
    called.finish()
    #expect(await counts.next() == nil)
  }

  @Test func aCallbackThatRemovesItsRegistrationIsNotCalledAgain() async throws {
    let store = makeStore()
    let registration = Lock<ListenerRegistration?>(nil)
    let (calls, called) = AsyncStream<Int>.makeStream()
    let adding = store.collection("c").addSnapshotListener { result in
      guard case .success(let snapshot) = result else { return }
      called.yield(snapshot.count)
      if !snapshot.isEmpty { registration.withLock { $0 }?.remove() }
    }
    registration.withLock { $0 = adding }
    var counts = calls.makeAsyncIterator()
    #expect(await counts.next() == 0)
    try await store.document("c/a").setData(["n": 1])
    #expect(await counts.next() == 1)
    try await store.document("c/b").setData(["n": 1])
    try await eventually { await !store.engine.isListened }
    called.finish()
    #expect(await counts.next() == nil)
  }

  /// A view model as a Firebase developer writes it: closures with a snapshot and an error, without a hop.
  @MainActor private final class ViewModel {
    var counts: [Int] = []
    var titles: [String] = []
    var exists = false
    var error: (any Error)?
    var registrations: [ListenerRegistration] = []

    func listen(to query: Query, and document: DocumentReference) {
      registrations = [
        query.addSnapshotListener { [weak self] snapshot, error in
          if let error { self?.error = error }
          if let snapshot { self?.counts.append(snapshot.count) }
        },
        query.addSnapshotListener(includeMetadataChanges: true) { (snapshot, _) in
          self.titles = snapshot?.documents.map(\.documentID) ?? []
        },
        document.addSnapshotListener { snapshot, _ in self.exists = snapshot?.exists ?? false },
        query.documents(of: [String: Int].self).addSnapshotListener { snapshot, error in
          self.error = self.error ?? error
        },
      ]
    }
  }

  @Test @MainActor func listenersRunOnTheMainActorInOrder() async throws {
    let store = makeStore()
    let model = ViewModel()
    model.listen(to: store.collection("c").query, and: store.document("c/a"))
    try await eventually { model.counts == [0] }
    for id in ["a", "b", "c"] { try await store.document("c/\(id)").setData(["n": 1]) }
    try await eventually { model.counts.last == 3 && model.titles == ["a", "b", "c"] && model.exists }
    #expect(model.counts == model.counts.sorted() && model.error == nil)
    // The next state is on its way when the listeners are removed.
    try await store.document("c/d").setData(["n": 1])
    for registration in model.registrations { registration.remove() }
    let counts = model.counts
    try await eventually { await !store.engine.isListened }
    #expect(model.counts == counts)
    await store.terminate()
  }

  @Test @MainActor func aListenerThatIsDroppedStaysRegisteredAndReceivesTheError() async throws {
    let store = makeStore()
    var errors: [StoreError.Code?] = []
    store.collection("c").whereField("n", in: []).addSnapshotListener { snapshot, error in
      #expect(snapshot == nil)
      errors.append((error as? StoreError)?.code)
    }
    try await eventually { errors == [.invalidArgument] }
  }

  @Test func aCallbackReceivesTheError() async throws {
    let store = makeStore()
    let (errors, failed) = AsyncStream<StoreError?>.makeStream()
    let registration = store.collection("c").whereField("n", in: []).addSnapshotListener { result in
      if case .failure(let error) = result { failed.yield(error as? StoreError) }
    }
    var iterator = errors.makeAsyncIterator()
    #expect(await iterator.next()??.code == .invalidArgument)
    registration.remove()
  }

  @Test func aQueryForTheLastDocumentsFollowsTheRemote() async throws {
    let remote = FakeStoreRemote()
    try remote.apply((1...5).map { try Self.write("c/d\($0)", ["n": .init($0)]) })
    let store = makeStore(remote: remote)
    let snapshots = Snapshots(store.collection("c").order(by: "n").limit(toLast: 2).snapshots)
    #expect(try await snapshots.next { !$0.metadata.isFromCache }?.ids == ["d4", "d5"])
    try remote.apply([try Self.write("c/d6", ["n": 6])])
    #expect(try await snapshots.next { $0.ids.contains("d6") }?.ids == ["d5", "d6"])
    try remote.apply([try Self.write("c/d6", nil)])
    #expect(try await snapshots.next { !$0.ids.contains("d6") && $0.count == 2 }?.ids == ["d4", "d5"])
    await store.terminate()
  }
}

extension StoreEngine {
  /// The number of streams of ``Store/snapshotsInSync``.
  fileprivate var syncObserverCount: Int { listeners.syncObservers.count }
}
