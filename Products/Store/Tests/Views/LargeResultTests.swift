import TenonCore
import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The cost of a change for listeners to large results and for writers, measured by counting instead of
/// timing.
@Suite(.limited) struct LargeResultTests {
  private static let count = 3_000

  /// A collection whose documents have the values 0, 10, 20 and so on in the field `n`, by which they are
  /// ordered.
  private static func fill(_ store: Store) async throws -> CollectionReference {
    let documents = store.collection("c")
    for start in stride(from: 0, to: count, by: 500) {
      let batch = store.batch()
      for number in start..<start + 500 {
        try batch.setData(["n": number * 10], forDocument: documents.document("d\(number)"))
      }
      try await batch.commit()
    }
    return documents
  }

  private static func nodes(of documents: DocumentSet) -> Set<ObjectIdentifier> {
    var nodes: Set<ObjectIdentifier> = []
    documents.entries.forEachNode { nodes.insert($0) }
    return nodes
  }

  @Test func aChangedResultSharesStorageWithThePreviousOne() async throws {
    let store = makeStore()
    let documents = try await Self.fill(store)
    let query = ListenQuery(try documents.order(by: "n").runnable(isSent: false))
    let listening = store.engine.listen(to: query, QueryListener.Options())
    let first = try #require(try await listening.next())
    #expect(first.isFirst && first.steps.isEmpty, "what was added isn't noted document by document")
    #expect(first.documents.count == Self.count)
    let changes: [(id: String, n: Int)] = [("d5", 20_001), ("new", 15_001), ("d2999", 3), ("d1500", 15_002)]
    for (id, n) in changes {
      try await documents.document(id).setData(["n": n])
      let next = try #require(try await listening.next())
      #expect(next.steps.count == 1)
      let old = Self.nodes(of: next.oldDocuments)
      #expect(old.count > 60)
      // Removed at one position and inserted at another, with a split or a merge of nodes.
      #expect(Self.nodes(of: next.documents).subtracting(old).count <= 8)
    }
  }

  @Test func changesHaveTheIndicesOfTheirStepInALargeResult() async throws {
    let store = makeStore()
    let documents = try await Self.fill(store)
    let snapshots = Snapshots(documents.order(by: "n").snapshots)
    var list = try #require(try await snapshots.next()).documents.map(\.documentID)
    #expect(list.count == Self.count)
    for round in 0..<5 {
      let batch = store.batch()
      for number in 0..<40 {
        let id = "d\((number * 71 + round * 13) % Self.count)"
        switch number % 3 {
        case 0: try batch.deleteDocument(documents.document(id))
        case 1: try batch.setData(["n": (number * 997 + round) % 30_000], forDocument: documents.document(id))
        default:
          try batch.setData(["n": number * 700], forDocument: documents.document("new\(round)-\(number)"))
        }
      }
      try await batch.commit()
      let snapshot = try #require(try await snapshots.next())
      #expect(snapshot.count == snapshot.documents.count)
      for change in snapshot.documentChanges {
        let id = change.document.documentID
        if let index = change.oldIndex {
          #expect(list.indices.contains(index) && list[index] == id)
          if list.indices.contains(index) { list.remove(at: index) }
        }
        if let index = change.newIndex { list.insert(id, at: min(index, list.count)) }
      }
      #expect(list == snapshot.documents.map(\.documentID))
    }
  }

  @Test(arguments: [false, true])
  func aDocumentLeavingALimitedResultReadsOneSuccessor(fromEnd: Bool) async throws {
    let store = makeStore(settings: StoreSettings(fieldIndexing: .everyField))
    let documents = try await Self.fill(store)
    let ordered = documents.order(by: "n", descending: fromEnd)
    let query = fromEnd ? ordered.limit(toLast: 100) : ordered.limit(to: 100)
    let snapshots = Snapshots(query.snapshots)
    #expect(try await snapshots.next()?.documents.count == 100)
    // Reading one of these documents throws.
    let names = (0..<3_000).filter { $0 < 100 || $0 > 102 }.map { "'d\($0)'" }.joined(separator: ",")
    try await store.engine.use { running in
      try running.connection.execute("CREATE TEMP TABLE sound AS SELECT id, fields FROM documents")
      try running.connection.execute("UPDATE documents SET fields = x'ff' WHERE name IN (\(names))")
      // Writes read the documents that they replace.
      try running.connection.execute(
        "UPDATE documents SET fields = (SELECT s.fields FROM sound s WHERE s.id = documents.id) "
          + "WHERE name IN ('d7', 'd20')")
    }
    try await documents.document("d7").delete()
    #expect(try await snapshots.next()?.documentChanges.map(\.document.documentID) == ["d7", "d100"])
    // A document that moves beyond the limit also leaves, unless it is the next one.
    try await documents.document("d20").setData(["n": 1_015])
    let moved = try #require(try await snapshots.next())
    #expect(moved.count == 100)
    #expect(moved.documentChanges.map(\.document.documentID) == ["d20", "d101"])
    try await documents.document("d101").setData(["n": 1_012])
    #expect(try await snapshots.next()?.documentChanges.map(\.type) == [.modified])
  }

  @Test func aWriteReturnsBeforeListenersProcessIt() throws {
    let connection = try Connection.open(nil)
    try connection.migrate(LocalSchema.migrations)
    let local = try LocalDatabase(connection, sharing: .localOnly, now: Timestamp(seconds: 1))
    var deferred = 0
    let sync = SyncEngine(
      local: local,
      environment: SyncEngine.Environment(
        streams: nil, timers: NoTimers(), time: TestTime().source,
        logger: AppLogger(source: "tests"),
        report: { report in
          if case .viewsOutdated = report { deferred += 1 }
        }))
    var seen: [[String]] = []
    let query = ListenQuery(
      try RunnableQuery(StructuredQuery(parent: ResourcePath(segments: []), collectionID: "c")))
    sync.listen(
      QueryListener(
        query, QueryListener.Options(), onSnapshot: { seen.append($0.documents.documents.map(\.path.id)) },
        onError: { Issue.record($0) }))
    #expect(seen == [[]])
    func write(_ id: String) throws {
      let path = ResourcePath(segments: ["c", id])
      _ = try sync.commit([DocumentWrite(path, .set(["n": 1]))]) { true }
    }
    try write("a")
    try write("b")
    #expect(seen == [[]], "views are updated once the write has returned")
    #expect(deferred == 1, "and once for both writes")
    sync.updateViews()
    #expect(seen == [[], ["a", "b"]])
    sync.updateViews()
    #expect(seen.count == 2)
    // A listener that is added in the meantime receives all writes, and the other listeners receive them
    // first.
    try write("c")
    sync.listen(
      QueryListener(
        ListenQuery(ResourcePath(segments: ["c", "c"])), QueryListener.Options(),
        onSnapshot: { seen.append($0.documents.documents.map(\.path.id)) }, onError: { Issue.record($0) }))
    #expect(seen == [[], ["a", "b"], ["a", "b", "c"], ["c"]])
    #expect(deferred == 2)
  }

  @Test func aListenerReceivesWritesMadeBeforeItWasAdded() async throws {
    let store = makeStore()
    let documents = store.collection("c")
    let snapshots = Snapshots(documents.snapshots)
    #expect(try await snapshots.next()?.isEmpty == true)
    for number in 0..<200 {
      try await documents.document("d").setData(["n": number])
      #expect(try await snapshots.next()?.documents.first?.fields["n"] == .integer(Int64(number)))
    }
  }

  @Test func theDocumentsOfASnapshotAreComputedOnce() async throws {
    let made = Lock(0)
    let value = Lazily {
      made.withLock { $0 += 1 }
      return [1, 2, 3]
    }
    let copy = value
    #expect(made.withLock { $0 } == 0)
    #expect(value.value == [1, 2, 3] && copy.value == [1, 2, 3])
    #expect(made.withLock { $0 } == 1)
  }
}

/// Timers that never fire.
private final class NoTimers: SyncTimers {
  func schedule(_ timer: SyncTimer, after delay: Duration, _ action: @escaping () -> Void) {}
  func cancel(_ timer: SyncTimer) {}
}
