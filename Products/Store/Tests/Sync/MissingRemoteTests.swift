import Foundation
import TenonAuthInterop
import TenonCore
import TenonDocuments
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore

/// Databases for which no linked library provides a remote (P1).
@Suite(.limited) struct MissingRemoteTests {
  private static let backends: [AppBackend] = [.production, .emulator(.standard())]

  private func withApp<Result>(
    _ backend: AppBackend, libraries: [any Library.Type] = [], _ body: (App) async throws -> Result
  ) async throws -> Result {
    let app = try App.configure(
      name: "missing-remote-\(UUID())",
      options: AppOptions(projectID: "demo-store", backend: backend, data: .memory),
      libraries: [StoreLibrary.self] + libraries)
    do {
      let result = try await body(app)
      await app.delete()
      return result
    } catch {
      await app.delete()
      throw error
    }
  }

  private func expectUnavailable(
    _ location: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async {
    let thrown = await #expect(throws: StoreError.self, sourceLocation: location) { try await body() }
    #expect(thrown?.code == .unavailable, sourceLocation: location)
    let text = thrown?.message ?? ""
    #expect(
      text.contains("Link TenonStoreSync") && text.contains("StoreSettings(isLocalOnly: true)"),
      sourceLocation: location)
  }

  @Test(arguments: backends)
  func p1CallsThatPromiseTheServerThrowWithoutARemote(backend: AppBackend) async throws {
    try await withApp(backend) { app in
      let store = try Store.store(app: app)
      let document = store.document("c/d")
      let write = try await document.setData(["n": 1])
      await expectUnavailable { try await write.confirmed() }
      await expectUnavailable { try await store.waitForPendingWrites() }
      await expectUnavailable { _ = try await document.getDocument(source: .server) }
      await expectUnavailable { _ = try await store.collection("c").getDocuments(source: .server) }
      await expectUnavailable {
        _ = try await store.collection("c").count.getAggregation(source: .server).count
      }
      await expectUnavailable {
        _ = try await store.collection("c").aggregate([.sum("n")]).getAggregation(source: .server)
      }
      await expectUnavailable { _ = try await store.document("c/unknown").getDocument() }
      await expectUnavailable {
        try await store.batch().setData(["n": 1], forDocument: document).commit().confirmed()
      }
    }
  }

  @Test func p1WritesWithoutARemoteAreDurableAndPending() async throws {
    try await withApp(.production) { app in
      let store = try Store.store(app: app)
      let write = try await store.document("c/d").setData(["n": 1])
      #expect(!write.isSettled)
      #expect(try await store.queuedWrites.map(\.isSent) == [false])
      let document = try await store.document("c/d").getDocument()
      #expect(
        document.fields?["n"] == 1 && document.metadata.isFromCache && document.metadata.hasPendingWrites)
      let result = try await store.collection("c").getDocuments()
      #expect(result.ids == ["d"] && result.metadata.isFromCache)
      let listening = Snapshots(store.collection("c").snapshots)
      #expect(try await listening.next()?.metadata.isFromCache == true)
      #expect(try await store.collection("c").count.getAggregation().count == 1)
      try await store.runTransaction { try $0.setData(["n": 2], forDocument: store.document("c/e")) }
      #expect(try await store.cancelQueuedWrite(store.queuedWrites[0].id))
      await #expect(throws: CancellationError.self) { try await write.confirmed() }
    }
  }

  @Test func p1AMissingRemoteIsLoggedOncePerDatabase() async throws {
    let (log, directory) = (LogRecorder(), try TestDirectory())
    let store = makeStore(directory, isLocalOnly: false, logger: log.logger)
    for number in 0..<3 { try await store.document("c/d").setData(["n": number]) }
    _ = try await store.collection("c").getDocuments()
    #expect(log.messages(.warning).count == 1)
    #expect(log.messages(.warning).first?.contains("isLocalOnly: true") == true)
    await store.terminate()
    let local = LogRecorder()
    let other = makeStore(logger: local.logger)
    try await other.document("c/d").setData(["n": 1])
    let linked = makeStore(remote: FakeStoreRemote(), logger: local.logger)
    try await linked.document("c/d").setData(["n": 1]).confirmed()
    #expect(local.messages(.warning).isEmpty)
    await other.terminate()
    await linked.terminate()
  }

  /// An increment of a document that other clients share is sent as an increment.
  @Test func p1WritesMadeWithoutARemoteAreSentUnchangedLater() async throws {
    let (remote, directory) = (FakeStoreRemote(), try TestDirectory())
    try remote.apply([DocumentWrite(ResourcePath(document: "c/d"), .set(["n": 40, "kept": true]))])
    let without = makeStore(directory, isLocalOnly: false)
    try await without.document("c/d").setData(["n": .increment(2)], merge: true)
    await without.terminate()
    let linked = makeStore(directory, remote: remote)
    try await linked.waitForPendingWrites()
    #expect(try await linked.document("c/d").getDocument(source: .server).fields == ["n": 42, "kept": true])
    await linked.terminate()
  }

  @Test(arguments: [.production, .embedded(directory: nil)] as [AppBackend])
  func p1LocalOnlyOperationIsExplicit(backend: AppBackend) async throws {
    try await withApp(backend, libraries: [EmptyBackend.self]) { app in
      let store = try Store.store(app: app, settings: StoreSettings(isLocalOnly: true))
      let write = try await store.document("c/d").setData(["n": 1])
      #expect(write.isSettled)
      #expect(try await write.confirmed() == nil)
      try await store.waitForPendingWrites()
      #expect(try await store.document("c/d").getDocument(source: .server).fields?["n"] == 1)
      #expect(try await !store.collection("c").getDocuments(source: .server).metadata.isFromCache)
      #expect(try await store.collection("c").count.getAggregation(source: .server).count == 1)
      #expect(try await !store.document("c/unknown").getDocument().exists)
    }
  }

  /// TenonEmbedded offers no remote if the backend is in memory and the app's data isn't.
  @Test func p1AnEmbeddedBackendWithoutARemoteConfirmsNothing() async throws {
    try await withApp(.embedded(directory: nil), libraries: [EmptyBackend.self]) { app in
      let store = try Store.store(app: app)
      let write = try await store.document("c/d").setData(["n": 1])
      let thrown = await #expect(throws: StoreError.self) { try await write.confirmed() }
      #expect(thrown?.code == .unavailable)
      #expect(
        thrown?.message
          == "The write can't be confirmed: the database (default) has no remote. TenonEmbedded offers none if its backend "
          + "is in memory and the app's data isn't: give the backend a directory, keep the data in memory with AppData.memory, "
          + "or request local-only operation with StoreSettings(isLocalOnly: true)."
      )
      await #expect(throws: StoreError.self) { try await store.waitForPendingWrites() }
      #expect(try await store.queuedWrites.count == 1)
    }
  }

  @Test func p1ASynchronizedDatabaseCannotBeOpenedAsLocalOnly() async throws {
    let directory = try TestDirectory()
    let shared = makeStore(directory, remote: FakeStoreRemote())
    try await shared.document("c/d").setData(["n": 1]).confirmed()
    await shared.terminate()
    let local = makeStore(directory)
    let thrown = await #expect(throws: StoreError.self) { try await local.document("c/d").getDocument() }
    #expect(thrown?.code == .failedPrecondition)
    try await local.clearPersistence()
    try await local.document("c/d").setData(["n": 2])
    await local.terminate()
  }

  /// Following the warning's advice keeps earlier writes.
  @Test func p1ADatabaseThatNeverHadARemoteCanBecomeLocalOnly() async throws {
    let directory = try TestDirectory()
    let waiting = makeStore(directory, isLocalOnly: false)
    try await waiting.document("c/a").setData(["n": 1, "seen": .serverTimestamp()])
    try await waiting.document("c/b").setData(["n": 2])
    try await waiting.document("c/b").delete()
    await waiting.terminate()
    for _ in 0..<2 {
      let local = makeStore(directory)
      let document = try await local.document("c/a").getDocument()
      #expect(
        document.fields?["n"] == 1 && !document.metadata.hasPendingWrites && !document.metadata.isFromCache)
      #expect(try await local.collection("c").getDocuments().ids == ["a"])
      #expect(try await local.queuedWrites.isEmpty)
      let version = try #require(document.updateTime)
      try await local.document("c/a").updateData(["m": 1], if: .updated(version))
      await local.terminate()
    }
    // A remote that is linked later receives the documents.
    let remote = FakeStoreRemote()
    let linked = makeStore(directory, remote: remote)
    try await linked.waitForPendingWrites()
    #expect(try await linked.document("c/a").getDocument(source: .server).fields?["n"] == 1)
    await linked.terminate()
  }

  @Test func aLocalOnlyDatabaseNeedsNoAPIKey() async throws {
    try await withApp(.production, libraries: [BrokenAuthLibrary.self]) { app in
      let local = try Store.store(app: app, settings: StoreSettings(isLocalOnly: true))
      try await local.document("c/d").setData(["n": 1]).confirmed()
      #expect(try await local.document("c/d").getDocument().fields?["n"] == 1)
      // A database that waits for a remote doesn't need one either.
      let waiting = try Store.store(app: app, database: "waiting")
      try await waiting.document("c/d").setData(["n": 1])
      #expect(try await waiting.document("c/d").getDocument().fields?["n"] == 1)
      await #expect(throws: (any Error).self) { try await local.currentUserID }
    }
  }

  @Test func anUnusableAuthIsReportedByCallsThatNeedAUser() async throws {
    let store = makeStore(remote: FakeStoreRemote(), isLocalOnly: false, authError: BrokenAuthLibrary.NoKey())
    let thrown = await #expect(throws: StoreError.self) { try await store.document("c/d").setData(["n": 1]) }
    #expect(thrown?.code == .unauthenticated && thrown?.underlying is BrokenAuthLibrary.NoKey)
  }

  /// A library that serves the embedded backend, but no documents.
  enum EmptyBackend: Library {
    static let name = "empty-backend"
    static let version = SemanticVersion(1, 0, 0)
    static let backends: [AppBackend.Kind] = [.embedded]
    static var components: [AnyComponent] { [] }
  }

  /// An Auth that can't be created, such as one without an API key.
  enum BrokenAuthLibrary: Library {
    struct NoKey: Error {}
    static let name = "broken-auth"
    static let version = SemanticVersion(1, 0, 0)
    static var components: [AnyComponent] { Component((any AuthInterop).self) { _ in throw NoKey() } }
  }
}
