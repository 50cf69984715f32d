import Foundation
import TenonDocuments
import TenonSQLite
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// A search is repeated after changes.
@Suite(.limited)
struct LiveSearchTests {
  private func ids(_ found: [FoundDocument]?) -> [String]? { found?.map(\.document.documentID) }

  @Test func aChangedResultIsDelivered() async throws {
    let store = try await TextSearchTests.makeNotes()
    var results = store.collection("notes").order(by: "title").search("tea").snapshots.makeAsyncIterator()
    #expect(ids(try await results.next()) == ["black", "green", "matcha"])
    try await store.document("notes/white").setData(["title": "White tea"])
    #expect(ids(try await results.next()) == ["black", "green", "matcha", "white"])
    try await store.document("notes/black").delete()
    #expect(ids(try await results.next()) == ["green", "matcha", "white"])
    try await store.document("notes/green").updateData(["body": ""])
    let third = try await results.next()
    #expect(ids(third) == ["green", "matcha", "white"] && third?.first?.document.fields["body"] == "")
    try await store.document("notes/green").updateData(["title": "Zen", "body": "tea"])
    #expect(ids(try await results.next()) == ["matcha", "white", "green"])
  }

  /// Changes that don't concern the result precede the one that does, and there is time to deliver them.
  @Test func aChangeThatLeavesTheResultIsNotDelivered() async throws {
    let store = try await TextSearchTests.makeNotes()
    let snapshots = Snapshots(store.collection("notes").order(by: "title").search("matcha").snapshots)
    #expect(ids(try await snapshots.next()) == ["matcha"])
    try await store.document("notes/coffee").updateData(["title": "Espresso"])
    try await store.document("others/matcha").setData(["title": "Matcha"])
    let next = Task { try await snapshots.next() }
    for _ in 0..<50 { _ = try await store.collection("notes").getDocuments() }
    try await store.document("notes/latte").setData(["title": "Matcha latte"])
    #expect(ids(try await next.value) == ["matcha", "latte"])
  }

  @Test func changesOfAnotherConnectionAreDelivered() async throws {
    let directory = try TestDirectory()
    let store = try await TextSearchTests.makeNotes(directory)
    let other = makeStore(directory, settings: TextSearchTests.settings)
    var results = store.collection("notes").search("matcha").snapshots.makeAsyncIterator()
    #expect(ids(try await results.next()) == ["matcha"])
    try await other.document("notes/matcha").delete()
    #expect(ids(try await results.next()) == [])
  }

  /// As after so many changes of other processes that they aren't known in detail.
  @Test func unknownChangesOfAnotherConnectionAreDelivered() async throws {
    let directory = try TestDirectory()
    let store = try await TextSearchTests.makeNotes(directory)
    var results = store.collection("notes").search("matcha").snapshots.makeAsyncIterator()
    #expect(ids(try await results.next()) == ["matcha"])
    let connection = try openDatabase(directory.file)
    try connection.transaction {
      try connection.run("UPDATE documents SET flags = 1 WHERE name = 'matcha'")
      try connection.run("UPDATE changes SET sequence = sequence + 1000, first = first + 1000")
    }
    #expect(try await results.next()?.first?.document.metadata.hasPendingWrites == true)
  }

  @Test func aDocumentThatCannotBeReadEndsTheSearchWithItsError() async throws {
    let directory = try TestDirectory()
    let store = try await TextSearchTests.makeNotes(directory)
    let snapshots = Snapshots(store.collection("notes").search("matcha").snapshots)
    #expect(ids(try await snapshots.next()) == ["matcha"])
    let connection = try openDatabase(directory.file)
    try connection.run("UPDATE documents SET fields = x'ff'")
    let next = Task { try await snapshots.next { _ in false } }
    try await store.document("notes/new").setData(["title": "new"])
    _ = connection
    let error = await #expect(throws: StoreError.self) { try await next.value }
    #expect(error?.code == .dataLoss, "\(String(describing: error))")
  }

  @Test func anErrorEndsTheStream() async throws {
    let store = try await TextSearchTests.makeNotes()
    do {
      var results = store.collection("others").search("tea").snapshots.makeAsyncIterator()
      do {
        _ = try await results.next()
        Issue.record("The collection has no index.")
      } catch { #expect((error as? StoreError)?.code == .failedPrecondition) }
      #expect(try await results.next()?.count == nil)
    }
    try await eventually { await !store.engine.isListened }
  }

  @Test func changesOfTheRemoteAreDelivered() async throws {
    let remote = FakeStoreRemote()
    let store = try await TextSearchTests.makeNotes(remote: remote)
    let notes = store.collection("notes")
    let listener = Snapshots(notes.snapshots(includeMetadataChanges: true))
    #expect(try await listener.next { !$0.metadata.isFromCache } != nil)
    var results = notes.search("rooibos").snapshots.makeAsyncIterator()
    #expect(ids(try await results.next()) == [])
    try remote.apply([DocumentWrite(ResourcePath(document: "notes/red"), .set(["title": "Rooibos"]))])
    #expect(ids(try await results.next()) == ["red"])
    await store.terminate()
  }

  @Test func aSearchFollowsTheUserWhoSignsIn() async throws {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    for directory in [nil, try TestDirectory()] {
      let store = makeStore(
        directory, remote: FakeStoreRemote(), auth: auth, settings: TextSearchTests.settings)
      try await store.disableNetwork()
      try await store.document("notes/ann").setData(["title": "Tea of Ann"])
      let results = Snapshots(store.collection("notes").search("tea").snapshots)
      #expect(ids(try await results.next()) == ["ann"])
      auth.signIn(userID: "bob")
      #expect(ids(try await results.next()) == [])
      #expect(try await store.collection("notes").search("tea").getDocuments().isEmpty)
      try await store.document("notes/bob").setData(["title": "Tea of Bob"])
      #expect(ids(try await results.next()) == ["bob"])
      auth.signIn(userID: "ann")
      #expect(ids(try await results.next { $0.map(\.document.documentID) == ["ann"] }) == ["ann"])
      await store.terminate()
    }
  }

  @Test func evictedDocumentsAreNoLongerFound() async throws {
    let remote = FakeStoreRemote()
    for id in ["green", "black"] {
      try remote.apply([DocumentWrite(ResourcePath(document: "notes/\(id)"), .set(["title": "Tea"]))])
    }
    let store = makeStore(remote: remote, settings: TextSearchTests.settings)
    let notes = store.collection("notes")
    _ = try await notes.getDocuments()
    try await eventually { await !store.engine.isListened }
    try await notes.document("green").pin()
    let results = Snapshots(notes.search("tea").snapshots)
    #expect(ids(try await results.next())?.sorted() == ["black", "green"])
    try await notes.evict()
    #expect(ids(try await results.next()) == ["green"])
    _ = try await notes.getDocuments()
    #expect(ids(try await results.next { $0.count == 2 })?.sorted() == ["black", "green"])
    await store.terminate()
  }

  @Test func aSearchEndsWithTheDatabaseAndWithItsReader() async throws {
    let store = try await TextSearchTests.makeNotes()
    do {
      var results = store.collection("notes").search("tea").snapshots.makeAsyncIterator()
      _ = try await results.next()
      #expect(await store.engine.isListened)
    }
    try await eventually { await !store.engine.isListened }
    #expect(try await store.engine.use { $0.sync.onChange == nil && !$0.local.tracksChanges })

    let snapshots = Snapshots(store.collection("notes").search("tea").snapshots)
    #expect(try await snapshots.next()?.isEmpty == false)
    let task = Task { try await snapshots.next() }
    await store.terminate()
    #expect(try await task.value == nil)
  }

  @Test func cancellingTheReaderEndsTheSearch() async throws {
    let store = try await TextSearchTests.makeNotes()
    let (started, signal) = AsyncStream<Void>.makeStream()
    let task = Task {
      for try await _ in store.collection("notes").search("tea").snapshots { signal.yield() }
    }
    for await _ in started { break }
    task.cancel()
    _ = try? await task.value
    try await eventually { await !store.engine.isListened }
  }

  @Test func aSearchContinuesAfterARestoration() async throws {
    let (directory, target) = (try TestDirectory(), try TestDirectory())
    let store = try await TextSearchTests.makeNotes(directory)
    let file = BackupLocation.file(URL(filePath: "\(target.path)/backup"))
    try await store.backup(to: file)
    try await store.document("notes/matcha").delete()
    var results = store.collection("notes").search("matcha").snapshots.makeAsyncIterator()
    #expect(ids(try await results.next()) == [])
    try await store.restore(from: file)
    #expect(ids(try await results.next()) == ["matcha"])
    try await store.document("notes/matcha").delete()
    #expect(ids(try await results.next()) == [])
  }
}
