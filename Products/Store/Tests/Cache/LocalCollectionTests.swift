import Foundation
import TenonCore
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Collections that exist only on this device, in a database with a remote.
@Suite(.limited) struct LocalCollectionTests {
  private static let settings = StoreSettings(localCollections: ["drafts"])

  private static func expect(
    _ code: StoreError.Code, _ location: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async {
    let thrown = await #expect(throws: StoreError.self, sourceLocation: location) { try await body() }
    #expect(thrown?.code == code, sourceLocation: location)
  }

  private static func set(_ path: String, _ fields: Fields) throws -> DocumentWrite {
    DocumentWrite(try ResourcePath(document: path), .set(fields))
  }

  // MARK: - Writing

  @Test func writesAreFinalAndNeverSent() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote, settings: Self.settings)
    let draft = store.document("drafts/a")
    let write = try await draft.setData(["n": 1, "at": .serverTimestamp()])
    #expect(write.isSettled)
    #expect(try await write.confirmed() == nil)
    try await draft.updateData(["n": .increment(2)])
    let first = try await draft.getDocument()
    #expect(first.fields?["n"] == 3 && first.fields?["at"]?.timestampValue != nil)
    #expect(first.metadata == SnapshotMetadata())
    let version = try #require(first.updateTime)
    try await draft.updateData(["m": 1], if: .updated(version))
    await Self.expect(.failedPrecondition) { try await draft.updateData(["m": 2], if: .updated(version)) }
    await Self.expect(.alreadyExists) { try await draft.create(["n": 1]) }
    await Self.expect(.notFound) { try await store.document("drafts/b").updateData(["n": 1]) }
    let batch = store.batch()
    for id in ["c", "d"] { try batch.setData(["n": 1], forDocument: store.document("drafts/\(id)")) }
    #expect(try await batch.commit().isSettled)
    try await store.document("drafts/c").delete()
    #expect(try await store.queuedWrites.isEmpty)
    try await store.waitForPendingWrites()
    try await store.document("notes/a").setData(["n": 1]).confirmed()
    #expect(remote.batches.flatMap(\.writes).map(\.document.text) == ["notes/a"])
    #expect(try await store.collection("drafts").getDocuments().ids == ["a", "d"])
    await store.terminate()
  }

  @Test func writesNeedNoRemote() async throws {
    let store = makeStore(settings: Self.settings, isLocalOnly: false)
    let write = try await store.document("drafts/a").setData(["n": 1])
    #expect(try await write.confirmed() == nil)
    #expect(try await store.document("drafts/a").getDocument().metadata == SnapshotMetadata())
    #expect(try await !store.document("notes/a").setData(["n": 1]).isSettled)
    await store.terminate()
  }

  @Test func theImmediateCollectionDecides() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote, settings: Self.settings)
    try await store.document("drafts/a").setData(["n": 1])
    try await store.document("rooms/den/drafts/b").setData(["n": 2])
    try await store.document("drafts/a/notes/c").setData(["n": 3]).confirmed()
    #expect(remote.batches.flatMap(\.writes).map(\.document.text) == ["drafts/a/notes/c"])
    let all = try await store.collectionGroup("drafts").getDocuments()
    #expect(all.ids == ["a", "b"] && !all.metadata.isFromCache)
    await store.terminate()
  }

  /// Swift considers the IDs equal.
  @Test func aCollectionIsIdentifiedByTheBytesOfItsID() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote, settings: StoreSettings(localCollections: ["caf\u{E9}"]))
    try await store.document("caf\u{E9}/a").setData(["n": 1])
    try await store.document("cafe\u{301}/a").setData(["n": 2]).confirmed()
    #expect(remote.batches.flatMap(\.writes).count == 1)
    #expect(try await store.collection("caf\u{E9}").getDocuments().documents.map { $0.fields["n"] } == [1])
    #expect(
      try await store.collection("cafe\u{301}").getDocuments(source: .server).documents.map { $0.fields["n"] }
        == [2]
    )
    await store.terminate()
  }

  /// An ID that Swift considers equal to the one declared before is another one.
  @Test func aDeclarationIsReplacedByTheBytesOfItsIDs() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    let first = makeStore(directory, remote: remote, settings: StoreSettings(localCollections: [composed]))
    _ = try await first.collection(composed).getDocuments()
    await first.terminate()
    let second = makeStore(directory, remote: remote, settings: StoreSettings(localCollections: [decomposed]))
    for collection in [composed, decomposed] {
      let query = second.collection(collection).whereField("a", isEqualTo: 1).order(by: "b")
      _ = try await query.getDocuments(source: .cache)
    }
    #expect(second.requiredIndexes.map { Array($0.collectionID.utf8) } == [Array(composed.utf8)])
    try await second.document("\(composed)/a").setData(["n": 1]).confirmed()
    try await second.document("\(decomposed)/a").setData(["n": 2])
    #expect(try await second.queuedWrites.isEmpty)
    #expect(
      remote.batches.flatMap(\.writes).map { Array($0.document.text.utf8) } == [Array("\(composed)/a".utf8)])
    await second.terminate()
    await Self.expect(.failedPrecondition) {
      let third = makeStore(directory, remote: remote, settings: StoreSettings(localCollections: [composed]))
      _ = try await third.collection(composed).getDocuments()
    }
  }

  @Test func mixedWritesAreRefused() async throws {
    let store = makeStore(remote: FakeStoreRemote(), settings: Self.settings)
    let (draft, note) = (store.document("drafts/a"), store.document("notes/a"))
    await Self.expect(.invalidArgument) {
      try await store.batch().setData(["n": 1], forDocument: note).setData(["n": 1], forDocument: draft)
        .commit()
    }
    await Self.expect(.invalidArgument) {
      try await store.runTransaction { transaction in
        try transaction.setData(["n": 1], forDocument: draft)
        try transaction.setData(["n": 1], forDocument: note)
      }
    }
    #expect(try await store.queuedWrites.isEmpty)
    #expect(try await !draft.getDocument().exists)
    #expect(try await !note.getDocument().exists)
    await store.terminate()
  }

  @Test func aCollectionIsDeletedFinally() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote, settings: Self.settings)
    for id in ["a", "b"] { try await store.document("drafts/\(id)").setData(["n": 1]) }
    #expect(try await store.deleteCollection("drafts") == 2)
    #expect(try await store.queuedWrites.isEmpty && remote.batches.isEmpty)
    #expect(try await store.collectionSizes().isEmpty)
    await store.terminate()
  }

  // MARK: - Reading

  @Test func listenersAndReadsDoNotContactTheRemote() async throws {
    let remote = FakeStoreRemote()
    try remote.apply([try Self.set("drafts/server", ["n": 9])])
    remote.fail(with: StoreRemoteError(.permissionDenied, "Nobody may read this."))
    let store = makeStore(remote: remote, settings: Self.settings)
    let (drafts, draft) = (store.collection("drafts"), store.document("drafts/a"))
    let query = Snapshots(drafts.order(by: "n").limit(toLast: 2).snapshots(includeMetadataChanges: true))
    let document = Snapshots(draft.snapshots(includeMetadataChanges: true))
    let counts = Snapshots(drafts.count.snapshots)
    #expect(try await query.next()?.metadata == SnapshotMetadata())
    let missing = try await document.next()
    #expect(missing?.exists == false && missing?.metadata == SnapshotMetadata())
    #expect(try await counts.next()?.count == 0)

    for number in 1...3 {
      try await store.document("drafts/\("abc".prefix(number).suffix(1))").setData(["n": number])
    }
    let full = try await query.next { $0.count == 2 && $0.ids == ["b", "c"] }
    #expect(full?.metadata == SnapshotMetadata())
    #expect(try await document.next { $0.exists }?.metadata == SnapshotMetadata())
    #expect(try await counts.next { $0.count == 3 } != nil)
    try await store.document("drafts/c").delete()
    #expect(try await query.next { $0.ids == ["a", "b"] } != nil, "the result is filled from this device")

    for source in [FirestoreSource.default, .cache] {
      let result = try await drafts.whereField("n", isGreaterThan: 1).getDocuments(source: source)
      #expect(result.ids == ["b"] && result.metadata == SnapshotMetadata())
      #expect(try await draft.getDocument(source: source).metadata == SnapshotMetadata())
      #expect(try await !store.document("drafts/x").getDocument(source: source).exists)
      let sum = try await drafts.aggregate([.sum("n")]).getAggregation(source: source)
      #expect(sum[.sum("n")] == 3)
    }
    #expect(remote.listenRequests.isEmpty && remote.openStreams.listening == 0)
    _ = (query, document, counts)
    await store.terminate()
  }

  @Test func p1ReadsFromTheServerThrow() async throws {
    let store = makeStore(remote: FakeStoreRemote(), settings: Self.settings)
    try await store.document("drafts/a").setData(["n": 1])
    await Self.expect(.failedPrecondition) {
      _ = try await store.document("drafts/a").getDocument(source: .server)
    }
    await Self.expect(.failedPrecondition) {
      _ = try await store.collection("drafts").getDocuments(source: .server)
    }
    await Self.expect(.failedPrecondition) {
      _ = try await store.collectionGroup("drafts").count.getAggregation(source: .server)
    }
    await store.terminate()
  }

  @MainActor @Test func liveQueriesFollowThem() async throws {
    let store = makeStore(remote: FakeStoreRemote(), settings: Self.settings)
    try await store.document("drafts/a").setData(["n": 1])
    let live = LiveQuery(store.collection("drafts"), as: [String: Int].self)
    try await eventually { !live.documents.isEmpty }
    #expect(live.documents.first?.value == ["n": 1] && !live.isFromCache && !live.hasPendingWrites)
    await store.terminate()
  }

  @Test func queriesRequireNoIndexesOfTheServer() async throws {
    let store = makeStore(remote: FakeStoreRemote(), settings: Self.settings)
    for collection in ["drafts", "notes"] {
      let query = store.collection(collection).whereField("a", isEqualTo: 1).order(by: "b")
      _ = try await query.getDocuments(source: .cache)
    }
    #expect(store.requiredIndexes.map(\.collectionID) == ["notes"])
    await store.terminate()
  }

  // MARK: - Transactions

  @Test func transactionsAreIsolated() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote, settings: Self.settings)
    let counter = store.document("drafts/counter")
    try await counter.setData(["n": 0])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await store.runTransaction(maximumAttempts: 50) { transaction in
            let n = try await transaction.getDocument(counter).fields?["n"]?.intValue ?? 0
            try transaction.updateData(["n": n + 1], forDocument: counter)
          }
        }
      }
      try await group.waitForAll()
    }
    let result = try await counter.getDocument()
    #expect(result.fields?["n"] == 4 && result.metadata == SnapshotMetadata())
    #expect(remote.batches.isEmpty)
    await store.terminate()
  }

  @Test func aTransactionReadsBothKindsAndWritesOne() async throws {
    let remote = FakeStoreRemote()
    try remote.apply([try Self.set("notes/a", ["n": 5])])
    let store = makeStore(remote: remote, settings: Self.settings)
    let (draft, note) = (store.document("drafts/a"), store.document("notes/a"))
    try await store.runTransaction { transaction in
      #expect(try await !transaction.getDocument(draft).exists)
      let n = try await transaction.getDocument(note).fields?["n"] ?? .null
      try transaction.setData(["n": n], forDocument: draft)
    }
    #expect(try await draft.getDocument().fields?["n"] == 5)
    #expect(remote.batches.isEmpty)
    try await store.runTransaction { transaction in
      let snapshot = try await transaction.getDocument(draft)
      #expect(snapshot.metadata == SnapshotMetadata())
      #expect(try await transaction.getDocuments(store.collection("drafts")).metadata == SnapshotMetadata())
      try transaction.updateData(["m": snapshot.fields?["n"] ?? .null], forDocument: note)
    }
    #expect(remote.batches.flatMap(\.writes).map(\.document.text) == ["notes/a"])
    #expect(try await note.getDocument(source: .server).fields == ["n": 5, "m": 5])
    await store.terminate()
  }

  @Test func aTransactionRunsAgainIfWhatItReadOfTheRemoteHasChangedHere() async throws {
    let store = makeStore(remote: FakeStoreRemote(), settings: Self.settings)
    let (draft, note) = (store.document("drafts/a"), store.document("notes/a"))
    try await note.setData(["n": 1]).confirmed()
    var attempts = 0
    try await store.runTransaction { transaction in
      attempts += 1
      let n = try await transaction.getDocument(note).fields?["n"] ?? .null
      if attempts == 1 { try await note.setData(["n": 2]).confirmed() }
      try transaction.setData(["n": n], forDocument: draft)
    }
    #expect(attempts > 1)
    #expect(try await draft.getDocument().fields?["n"] == 2)
    await store.terminate()
  }

  // MARK: - What stays

  @Test(arguments: [StoreSettings.GarbageCollection.eager, .leastRecentlyUsed(threshold: nil)])
  func theyAreNeverCollected(collection: StoreSettings.GarbageCollection) async throws {
    let store = makeStore(
      remote: try PinTests.remote(2),
      settings: StoreSettings(garbageCollection: collection, localCollections: ["drafts"]))
    try await store.document("drafts/a").setData(["n": 1])
    do {
      let snapshots = Snapshots(store.collection("drafts").snapshots)
      #expect(try await snapshots.next()?.ids == ["a"])
    }
    _ = try await store.collection("c").getDocuments()
    try await PinTests.collect(store)
    #expect(try await PinTests.cached(store).isEmpty)
    #expect(try await store.collection("drafts").getDocuments().ids == ["a"])
    await Self.expect(.failedPrecondition) { try await store.collection("drafts").evict() }
    await Self.expect(.failedPrecondition) { try await store.document("drafts/a").evict() }
    #expect(try await store.document("drafts/a").getDocument().fields?["n"] == 1)
    await store.terminate()
  }

  @Test func allUsersOfTheDeviceShareThem() async throws {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let store = makeStore(remote: FakeStoreRemote(), auth: auth, settings: Self.settings)
    try await store.disableNetwork()
    try await store.document("drafts/a").setData(["n": 1])
    try await store.document("notes/a").setData(["n": 1])
    auth.signIn(userID: "bob")
    #expect(try await store.document("drafts/a").getDocument().fields?["n"] == 1)
    #expect(try await store.collection("notes").getDocuments(source: .cache).isEmpty)
    await store.terminate()
  }

  @Test func theRemoteOverwritesNothing() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    // This process began to listen before another one declared the collection.
    let listening = makeStore(directory, remote: remote)
    let snapshots = Snapshots(listening.collection("drafts").snapshots)
    _ = try await snapshots.next { !$0.metadata.isFromCache }
    let store = makeStore(directory, remote: remote, settings: Self.settings)
    try await store.document("drafts/a").setData(["n": 1])
    try remote.apply([try Self.set("drafts/a", ["n": 9]), try Self.set("drafts/b", ["n": 9])])
    try await store.engine.save([
      RemoteDocument(
        path: ResourcePath(document: "drafts/a"), fields: ["n": 8],
        createTime: Timestamp(seconds: 9_999_999_999),
        updateTime: Timestamp(seconds: 9_999_999_999))
    ])
    // The listener's stream has processed the change once it has received this one.
    try remote.apply([try Self.set("notes/a", ["n": 1])])
    let note = Snapshots(listening.document("notes/a").snapshots)
    _ = try await note.next { $0.exists && !$0.metadata.isFromCache }
    for each in [store, listening] {
      #expect(
        try await each.collection("drafts").getDocuments(source: .cache).documents.map { $0.fields } == [
          ["n": 1]
        ])
    }
    _ = (snapshots, note)
    await listening.terminate()
    try await store.document("drafts/a").delete()
    await store.terminate()
    // What was ignored is received once the collection is synchronized: the listener's target isn't resumed.
    let shared = makeStore(directory, remote: remote, settings: StoreSettings(localCollections: []))
    #expect(try await shared.collection("drafts").getDocuments().ids == ["a", "b"])
    let requests = remote.listenRequests.compactMap { if case .add(let target) = $0 { target } else { nil } }
    #expect(requests.last?.resumption == nil)
    await shared.terminate()
  }

  @Test func bundlesWithThemAreRefused() async throws {
    let store = makeStore(remote: FakeStoreRemote(), settings: StoreSettings(localCollections: ["c"]))
    try await store.document("c/a").setData(["n": 50])
    await Self.expect(.failedPrecondition) { try await store.loadBundle(BundleTests.bundle()) }
    #expect(try await store.collection("c").getDocuments().documents.map { $0.fields } == [["n": 50]])
    #expect(try await store.getQuery(named: "high") == nil)
    await store.terminate()
  }

  // MARK: - Declarations

  @Test func theDeclarationIsPartOfTheFile() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let first = makeStore(directory, remote: remote, settings: Self.settings)
    try await first.document("drafts/a").setData(["n": 1])
    let other = makeStore(directory, remote: remote)
    try await other.document("drafts/b").setData(["n": 2]).confirmed()
    await first.terminate()
    await other.terminate()
    let reopened = makeStore(directory, remote: remote)
    #expect(try await reopened.collection("drafts").getDocuments().ids == ["a", "b"])
    try await reopened.document("drafts/c").setData(["n": 3])
    #expect(try await reopened.queuedWrites.isEmpty && remote.batches.isEmpty)
    await reopened.terminate()
  }

  @Test func aProcessNoticesTheDeclarationOfAnother() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let open = makeStore(directory, remote: remote)
    try await open.document("notes/a").setData(["n": 1]).confirmed()
    let declaring = makeStore(directory, remote: remote, settings: Self.settings)
    try await declaring.document("drafts/a").setData(["n": 1])
    await Self.expect(.aborted) { try await open.document("drafts/b").setData(["n": 2]) }
    #expect(try await open.document("drafts/b").setData(["n": 2]).isSettled)
    #expect(try await open.collection("drafts").getDocuments().ids == ["a", "b"])
    #expect(remote.batches.count == 1)
    await open.terminate()
    await declaring.terminate()
  }

  @Test func aCollectionOfTheRemoteIsDeclaredOnceItIsEvicted() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    try remote.apply([try Self.set("drafts/a", ["n": 1]), try Self.set("rooms/den/drafts/b", ["n": 1])])
    let shared = makeStore(directory, remote: remote)
    _ = try await shared.collectionGroup("drafts").getDocuments()
    _ = try? await shared.document("drafts/missing").getDocument(source: .server)
    await shared.terminate()
    let refused = makeStore(directory, remote: remote, settings: Self.settings)
    await Self.expect(.failedPrecondition) { _ = try await refused.document("notes/a").getDocument() }
    await refused.terminate()
    let again = makeStore(directory, remote: remote)
    try await again.collectionGroup("drafts").evict()
    await again.terminate()
    let local = makeStore(directory, remote: remote, settings: Self.settings)
    #expect(try await local.collectionGroup("drafts").getDocuments().isEmpty)
    try await local.document("drafts/missing").setData(["n": 2])
    #expect(try await local.document("drafts/missing").getDocument().fields?["n"] == 2)
    try await PinTests.collect(local)
    #expect(try await local.document("drafts/missing").getDocument().fields?["n"] == 2)
    await local.terminate()
  }

  @Test func aCollectionWithPendingWritesIsNotDeclared() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    try remote.apply([try Self.set("drafts/a", ["n": 1])])
    let shared = makeStore(directory, remote: remote)
    _ = try await shared.document("drafts/a").getDocument()
    try await shared.disableNetwork()
    try await shared.document("drafts/a").delete()
    await shared.terminate()
    let refused = makeStore(directory, remote: remote, settings: Self.settings)
    await Self.expect(.failedPrecondition) { _ = try await refused.queuedWrites }
    await refused.terminate()
    let again = makeStore(directory, remote: remote)
    try await again.waitForPendingWrites()
    await again.terminate()
    let local = makeStore(directory, remote: remote, settings: Self.settings)
    try await local.document("drafts/a").create(["n": 2])
    await local.terminate()
  }

  @Test func aCollectionWithDocumentsRemainsDeclared() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let none = StoreSettings(localCollections: [])
    let local = makeStore(directory, remote: remote, settings: Self.settings)
    try await local.document("drafts/a").setData(["n": 1])
    await local.terminate()
    let refused = makeStore(directory, remote: remote, settings: none)
    await Self.expect(.failedPrecondition) { _ = try await refused.document("drafts/a").getDocument() }
    await refused.terminate()
    let again = makeStore(directory, remote: remote)
    try await again.document("drafts/a").delete()
    await again.terminate()
    let shared = makeStore(directory, remote: remote, settings: none)
    try await shared.document("drafts/a").setData(["n": 2]).confirmed()
    #expect(remote.batches.count == 1)
    await shared.terminate()
  }

  @Test func aLocalOnlyDatabaseRecordsTheDeclaration() async throws {
    let (directory, other) = (try TestDirectory(), try TestDirectory())
    let local = makeStore(directory)
    try await local.document("drafts/a").setData(["n": 1])
    await local.terminate()
    let declaring = makeStore(directory, settings: Self.settings)
    #expect(try await declaring.document("drafts/a").getDocument(source: .server).fields?["n"] == 1)
    await declaring.terminate()
    let refused = makeStore(directory, settings: StoreSettings(localCollections: []))
    await Self.expect(.failedPrecondition) { _ = try await refused.document("drafts/a").getDocument() }
    await refused.terminate()
    // Also what is recovered isn't sent later.
    let recovering = makeStore(other)
    #expect(try await recovering.recoverDocuments(from: directory.file).saved == 1)
    await recovering.terminate()
    let shared = makeStore(other, remote: FakeStoreRemote())
    #expect(try await shared.queuedWrites.isEmpty)
    #expect(try await shared.collection("drafts").getDocuments().ids == ["a"])
    await shared.terminate()
  }

  /// The collection is declared before or with the first opening with a remote.
  @Test(arguments: [true, false])
  func documentsOfALocalOnlyDatabaseAreNotSentLater(isDeclaredBefore: Bool) async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let local = makeStore(directory, settings: isDeclaredBefore ? Self.settings : StoreSettings())
    for path in ["drafts/a", "notes/a"] { try await local.document(path).setData(["n": 1]) }
    try await local.batch().setData(["n": 2], forDocument: local.document("drafts/b"))
      .setData(["n": 2], forDocument: local.document("notes/b")).commit()
    #expect(try await local.document("drafts/a").getDocument(source: .server).fields?["n"] == 1)
    await local.terminate()
    let shared = makeStore(
      directory, remote: remote, settings: isDeclaredBefore ? StoreSettings() : Self.settings)
    try await shared.waitForPendingWrites()
    #expect(remote.batches.flatMap(\.writes).map(\.document.text) == ["notes/a", "notes/b"])
    let drafts = try await shared.collection("drafts").getDocuments()
    #expect(drafts.ids == ["a", "b"] && drafts.metadata == SnapshotMetadata())
    await shared.terminate()
  }

  @Test(arguments: ["", "a/b", "__a__"])
  func anInvalidIDIsAnError(id: String) async throws {
    let app = try App.configure(
      name: "local-collections-\(UUID())",
      options: AppOptions(projectID: "demo-store", backend: .production, data: .memory),
      libraries: [StoreLibrary.self])
    await Self.expect(.invalidArgument) {
      _ = try Store.store(app: app, settings: StoreSettings(localCollections: [id]))
    }
    await app.delete()
  }

  // MARK: - Backups and damage

  @Test func backupsContainThem() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let backup = BackupLocation.file(URL(filePath: "\(directory.path)/backup"))
    let store = makeStore(directory, remote: remote, settings: Self.settings)
    try await store.document("drafts/a").setData(["n": 1])
    try await store.backup(to: backup)
    await store.terminate()
    let other = makeStore(remote: remote)
    try await other.restore(from: backup)
    #expect(try await other.collection("drafts").getDocuments().ids == ["a"])
    #expect(try await other.document("drafts/b").setData(["n": 2]).isSettled)
    await other.terminate()
    // A backup in which the collection must not lose its declaration.
    let refusing = makeStore(remote: remote, settings: StoreSettings(localCollections: []))
    try await refusing.document("notes/a").setData(["n": 1]).confirmed()
    await Self.expect(.failedPrecondition) { try await refusing.restore(from: backup) }
    #expect(try await refusing.document("notes/a").getDocument(source: .cache).fields?["n"] == 1)
    await refusing.terminate()
  }

  @Test func aBackupWithDocumentsOfTheRemoteIsRefused() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    let backup = BackupLocation.file(URL(filePath: "\(directory.path)/backup"))
    let shared = makeStore(remote: remote)
    try await shared.document("drafts/a").setData(["n": 1]).confirmed()
    try await shared.backup(to: backup)
    await shared.terminate()
    let store = makeStore(remote: remote, settings: Self.settings)
    try await store.document("drafts/a").setData(["n": 2])
    await Self.expect(.failedPrecondition) { try await store.restore(from: backup) }
    #expect(try await store.document("drafts/a").getDocument().fields?["n"] == 2)
    await store.terminate()
  }

  /// The remote has no copy of them.
  @Test func theyAreRecoveredFromADamagedFile() async throws {
    let (remote, directory, other) = (FakeStoreRemote(), try TestDirectory(), try TestDirectory())
    let store = makeStore(directory, remote: remote, settings: Self.settings)
    try await store.document("notes/a").setData(["n": 1]).confirmed()
    try await store.disableNetwork()
    try await store.document("notes/b").setData(["n": 2])
    for id in ["a", "b"] { try await store.document("drafts/\(id)").setData(["n": 3]) }
    await store.terminate()
    let recovering = makeStore(other, remote: remote)
    let recovered = try await recovering.recoverDocuments(from: directory.file)
    #expect(recovered.saved == 3 && recovered.isComplete)
    try await recovering.waitForPendingWrites()
    #expect(try await recovering.collection("drafts").getDocuments().ids == ["a", "b"])
    #expect(try await recovering.document("drafts/c").setData(["n": 4]).isSettled)
    #expect(remote.batches.flatMap(\.writes).map(\.document.text) == ["notes/a", "notes/b"])
    // The documents exist; the write is queued again, and recognized by its ID.
    #expect(try await recovering.recoverDocuments(from: directory.file).saved == 1)
    await recovering.terminate()
  }
}
