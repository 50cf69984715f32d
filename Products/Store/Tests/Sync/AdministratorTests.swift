import Foundation
import TenonAdminInterop
import TenonAuthInterop
import TenonCore
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore

/// Databases that are used as an administrator.
@Suite(.limited) struct AdministratorTests {
  /// A remote that records on whose behalf it is asked.
  private struct RecordingRemote: StoreRemote {
    let remote = FakeStoreRemote()
    let contexts = SharedContexts()

    final class SharedContexts: Sendable {
      private let contexts = Lock<[(operation: String, context: RemoteContext)]>([])
      var all: [RemoteContext] { contexts.withLock { $0.map(\.context) } }
      var operations: Set<String> { contexts.withLock { Set($0.map(\.operation)) } }

      func add(_ context: RemoteContext, _ operation: String = #function) {
        let name = String(operation.prefix { $0 != "(" })
        contexts.withLock { $0.append((name, context)) }
      }
    }

    var pipelineDepth: Int { remote.pipelineDepth }

    func listen(
      _ requests: AsyncStream<ListenRequest>, in context: RemoteContext
    ) -> AsyncThrowingStream<ListenEvent, any Error> {
      contexts.add(context)
      return remote.listen(requests, in: context)
    }

    func write(
      _ batches: AsyncStream<RemoteBatch>, token: Data?, in context: RemoteContext
    ) -> AsyncThrowingStream<WriteEvent, any Error> {
      contexts.add(context)
      return remote.write(batches, token: token, in: context)
    }

    func commit(_ batch: RemoteBatch, in context: RemoteContext) async throws -> RemoteCommit {
      contexts.add(context)
      return try await remote.commit(batch, in: context)
    }

    func fetch(_ documents: [ResourcePath], in context: RemoteContext) async throws -> [RemoteDocument] {
      contexts.add(context)
      return try await remote.fetch(documents, in: context)
    }

    func run(_ query: StructuredQuery, in context: RemoteContext) async throws -> [RemoteDocument] {
      contexts.add(context)
      return try await remote.run(query, in: context)
    }

    func aggregate(
      _ query: StructuredQuery, _ aggregations: [QueryAggregation], in context: RemoteContext
    ) async throws -> [Value] {
      contexts.add(context)
      return try await remote.aggregate(query, aggregations, in: context)
    }
  }

  /// Calls a closure with an app of which Ann is a user, and which has an administrator's credential.
  private func withApp(
    data: AppData = .memory, hasAdmin: Bool = true, _ remote: RecordingRemote,
    _ body: (App, FakeAuth) async throws -> Void
  ) async throws {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let app = try App.configure(
      name: "administrator-\(UUID())", options: AppOptions(projectID: "demo-store", data: data),
      libraries: [StoreLibrary.self]
    ) {
      Component((any AuthInterop).self) { _ in auth }
      Component((any StoreRemote).self) { _ in remote }
      if hasAdmin { Component((any AdminInterop).self) { _ in FakeAdmin() } }
    }
    do { try await body(app, auth) } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  @Test func everyRequestIsThatOfAnAdministratorWhoeverIsSignedIn() async throws {
    let remote = RecordingRemote()
    try await withApp(remote) { app, auth in
      let store = try Store.store(app: app, as: .admin)
      let notes = store.collection("notes")
      try await notes.document("a").setData(["n": 1]).confirmed()
      auth.signIn(userID: "bob")
      try await notes.document("b").setData(["n": 2]).confirmed()
      #expect(try await notes.getDocuments(source: .server).count == 2)
      #expect(try await notes.count.getAggregation(source: .server).count == 2)
      #expect(try await notes.document("a").getDocument(source: .server).exists)
      var snapshots = notes.snapshots(includeMetadataChanges: true).makeAsyncIterator()
      while let snapshot = try await snapshots.next(), snapshot.metadata.isFromCache {}
      #expect(try await store.currentUserID == nil)
      #expect(store.authority == .admin)
      #expect(try Store.store(app: app, as: .admin) === store)
    }
    let contexts = remote.contexts.all
    #expect(remote.contexts.operations == ["listen", "write", "fetch", "aggregate"])
    #expect(contexts.allSatisfy { $0.isAdministrator && $0.user == nil }, "\(contexts)")
  }

  @Test func theDocumentsAndTheQueueAreNotThoseOfUsers() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-admin-\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    try await withApp(data: .directory(directory.path), RecordingRemote()) { app, _ in
      let (store, users) = (try Store.store(app: app, as: .admin), try Store.store(app: app))
      #expect(store !== users && users.authority == .user)
      try await store.disableNetwork()
      try await users.disableNetwork()
      try await store.document("notes/a").setData(["n": 1])
      try await users.document("notes/b").setData(["n": 2])
      #expect(try await store.queuedWrites.count == 1)
      #expect(try await users.queuedWrites.count == 1)
      #expect((try? await users.document("notes/a").getDocument(source: .cache).exists) != true)
      #expect((try? await store.document("notes/b").getDocument(source: .cache).exists) != true)
      #expect(try Store.databases(app: app) == ["(default)"])
    }
  }

  @Test func withoutAdminTheErrorSaysWhatToLink() async throws {
    try await withApp(hasAdmin: false, RecordingRemote()) { app, _ in
      let error = #expect(throws: StoreError.self) { try Store.store(app: app, as: .admin) }
      #expect(error?.code == .failedPrecondition && error?.message.contains("TenonAdmin") == true)
    }
  }

  @Test func aDatabaseOfThisDeviceAloneHasNoAdministrator() async throws {
    try await withApp(RecordingRemote()) { app, _ in
      let error = #expect(throws: StoreError.self) {
        try Store.store(app: app, settings: StoreSettings(isLocalOnly: true), as: .admin)
      }
      #expect(error?.code == .invalidArgument)
    }
  }
}
