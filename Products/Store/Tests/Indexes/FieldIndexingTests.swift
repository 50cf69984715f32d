import Foundation
import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Indexes of fields are registered by queries that lack them, built in the background, shared by processes,
/// and dropped when nobody uses them.
@Suite(.limited) struct FieldIndexingTests {
  static let values = FieldIndexKey("notes", "author", .value)

  /// Note `n` has the author `n % 10`.
  static func fill(_ store: Store, _ count: Int) async throws {
    let batch = store.batch()
    for number in 0..<count {
      try batch.setData(
        ["author": "a\(number % 10)", "n": number, "tags": ["t\(number % 7)"]],
        forDocument: store.document(String(format: "notes/%04d", number)))
    }
    try await batch.commit()
  }

  static func byAuthor(_ store: Store) -> Query {
    store.collection("notes").whereField("author", isEqualTo: "a3")
  }

  /// Waits until a query has registered indexes and they are complete.
  private func waitForIndexes(_ store: Store, _ count: Int = 1) async throws {
    try await eventually { try await store.fieldIndexes().count(where: \.isComplete) >= count }
  }

  private func building(_ documents: Int64, of total: Int64) -> QueryExplanation.MissingIndex.State {
    .building(OperationProgress(completedUnitCount: documents, totalUnitCount: total))
  }

  // MARK: - Registration

  @Test func theFirstQueryScansAndLaterOnesUseTheIndexThatItRegisters() async throws {
    let store = makeStore()
    try await Self.fill(store, 300)
    let query = Self.byAuthor(store)
    let first = try await query.explain()
    #expect((first.index, first.entriesRead, first.results) == ("documents by their id", 300, 30))
    #expect(
      first.missingIndexes == [
        .init(index: CompositeIndex("notes", .ascending("author")), state: .unregistered)
      ])
    #expect(first.description == "scan, no index: values of author; 300 entries read for 30 results")
    // An explanation registers nothing.
    await store.engine.fulfillIndexRequests()
    #expect(try await store.fieldIndexes().isEmpty)
    let ids = try await query.getDocuments().ids
    try await waitForIndexes(store)
    let second = try await query.explain()
    #expect((second.index, second.entriesRead, second.results) == ("values of author", 30, 30))
    #expect(second.missingIndexes.isEmpty)
    #expect(second.description == "values of author; 30 entries read for 30 results")
    #expect(try await query.getDocuments().ids == ids)
    try await store.document("notes/new").setData(["author": "a3"])
    #expect(try await query.getDocuments().ids == ids + ["new"])
    // Other fields have no entries.
    let columns = try await store.engine.use {
      try FieldEntries.entries($0.connection).map { "\($0.field) \($0.kind)" }
    }
    #expect(Set(columns).count == 1)
  }

  /// Each way to run a query, and the indexes that it registers.
  enum Reading: CaseIterable {
    case documents, page, elements, both, count, sum, listener, group, nearest, transaction

    var names: [String] {
      switch self {
      case .documents, .count, .nearest, .transaction: ["values of author"]
      case .page, .sum, .listener: ["values of n"]
      case .elements, .group: ["elements of tags"]
      case .both: ["values of author", "values of n"]
      }
    }

    func run(on store: Store) async throws {
      let (notes, author) = (store.collection("notes"), byAuthor(store))
      switch self {
      case .documents: _ = try await author.getDocuments()
      case .page: _ = try await notes.order(by: "n", descending: true).limit(to: 3).getDocuments()
      case .elements: _ = try await notes.whereField("tags", arrayContains: "t3").getDocuments()
      case .both: _ = try await author.whereField("n", isEqualTo: 5).limit(to: 1).getDocuments()
      case .count: _ = try await author.count.getAggregation()
      case .sum: _ = try await notes.aggregate([.sum("n")]).getAggregation()
      case .listener:
        _ = try await Snapshots(notes.order(by: "n").limit(to: 2).snapshots).next()
      case .group:
        _ = try await store.collectionGroup("notes").whereField("tags", arrayContains: "t3").getDocuments()
      case .nearest:
        _ = try await author.findNearest(
          vectorField: "v", queryVector: [1], limit: 1, distanceMeasure: .euclidean)
      case .transaction:
        _ = try await store.runTransaction { _ = try await $0.getDocuments(author) }
      }
    }
  }

  @Test(arguments: Reading.allCases)
  func everyWayToReadRegistersWhatItLacks(reading: Reading) async throws {
    let store = makeStore(buildsIndexes: false)
    try await Self.fill(store, 150)
    try await reading.run(on: store)
    await store.engine.fulfillIndexRequests()
    let names = try await store.engine.use { $0.local.tables.indexes.fieldIndexes.all.map(\.key.name) }
    #expect(names.sorted() == reading.names)
  }

  @Test(arguments: [(100, 0), (101, 1)])
  func smallCollectionsAreScanned(count: Int, indexes: Int) async throws {
    let store = makeStore(buildsIndexes: false)
    try await Self.fill(store, count)
    _ = try await Self.byAuthor(store).getDocuments()
    await store.engine.fulfillIndexRequests()
    #expect(try await store.fieldIndexes().count == indexes)
  }

  /// As when an app listens to a query, and its remote then sends the documents.
  @Test(arguments: [(100, 0), (101, 1)])
  func anIndexThatASmallCollectionLackedIsRegisteredWhenManyDocumentsArrive(
    count: Int, indexes: Int
  ) async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory, buildsIndexes: false)
    try await store.document("others/a").setData(["author": "a3"])
    // By a pooled reader, and by the engine for a listener.
    #expect(try await Self.byAuthor(store).getDocuments().isEmpty)
    let tagged = Snapshots(store.collection("notes").whereField("tags", arrayContains: "t1").snapshots)
    #expect(try await tagged.next()?.isEmpty == true)
    await store.engine.fulfillIndexRequests()
    #expect(try await store.fieldIndexes().isEmpty)
    try await Self.fill(store, count)
    await store.engine.fulfillIndexRequests()
    #expect(try await store.fieldIndexes().count == indexes * 2)
    try await store.buildIndexes()
    #expect(try await Self.byAuthor(store).explain().entriesRead == (indexes == 0 ? 100 : 10))
    await store.terminate()
  }

  @Test func sumsReadTheIndexOfTheirField() async throws {
    let store = makeStore()
    try await Self.fill(store, 200)
    let sum = store.collection("notes").aggregate([.sum("n")])
    #expect(try await sum.getAggregation()[.sum("n")] == 19_900)
    try await waitForIndexes(store)
    try await store.engine.use { try $0.connection.execute("UPDATE documents SET fields = x'ff'") }
    #expect(try await sum.getAggregation()[.sum("n")] == 19_900)
  }

  @Test(.deep) func atMostTwoHundredFieldsOfACollectionAreIndexed() async throws {
    let store = makeStore(buildsIndexes: false)
    try await Self.fill(store, 110)
    for number in 0..<210 {
      _ = try await store.collection("notes").whereField(FieldPath(["f\(number)"]), isEqualTo: 1)
        .getDocuments()
    }
    await store.engine.fulfillIndexRequests()
    #expect(try await store.fieldIndexes().count == FieldIndexRegistration.limit)
    let states = try await store.collection("notes").whereField("f300", isEqualTo: 1).explain().missingIndexes
    #expect(states.map(\.state) == [.tooMany])
  }

  @Test func aRegistrationThatFailsFailsNoQuery() async throws {
    let directory = try TestDirectory()
    let (disk, log) = (FaultyDisk(), LogRecorder())
    let store = makeStore(directory, disk: disk, buildsIndexes: false, logger: log.logger)
    try await Self.fill(store, 150)
    disk.fail(.write, .isFull, after: 0, times: 1_000)
    #expect(try await Self.byAuthor(store).getDocuments().count == 15)
    await store.engine.fulfillIndexRequests()
    #expect(try await store.fieldIndexes().isEmpty)
    #expect(disk.failures > 0)
    disk.heal()
    #expect(try await Self.byAuthor(store).getDocuments().count == 15)
    await store.engine.fulfillIndexRequests()
    #expect(try await store.fieldIndexes().count == 1)
    await store.terminate()
  }

  // MARK: - Building

  @Test func explainReportsTheProgressOfBuilding() async throws {
    let store = makeStore(buildsIndexes: false)
    try await Self.fill(store, 300)
    let query = Self.byAuthor(store)
    _ = try await query.getDocuments()
    await store.engine.fulfillIndexRequests()
    // The first step finds no old entries, the second one finds the collection, which counts like a document.
    for _ in 0..<2 { #expect(try await store.engine.buildIndexes(limit: 101)) }
    let explanation = try await query.explain()
    #expect(explanation.missingIndexes.map(\.state) == [building(100, of: 300)])
    #expect(
      explanation.description
        == "scan, index being built: values of author (100 of 300 documents); 300 entries read for 30 results"
    )
    #expect(try await store.fieldIndexes().map(\.progress.completedUnitCount) == [100])
    try await store.buildIndexes()
    #expect(try await query.explain().entriesRead == 30)
  }

  @Test(arguments: 1..<8)
  func buildingContinuesAfterACrash(steps: Int) async throws {
    let directory = try TestDirectory()
    var store = makeStore(directory, buildsIndexes: false)
    try await Self.fill(store, 120)
    _ = try await Self.byAuthor(store).getDocuments()
    await store.engine.fulfillIndexRequests()
    for _ in 0..<steps { #expect(try await store.engine.buildIndexes(limit: 10)) }
    // Documents that are indexed, and others that aren't yet.
    try await store.document("notes/0003").delete()
    try await store.document("notes/0113").setData(["author": "other"])
    try await store.document("notes/0000").setData(["author": "a3"])
    try await store.document("notes/0110").setData(["author": "a3"])
    var expected: [String] = (1..<11).map { (number: Int) in String(format: "%04d", number * 10 + 3) }
    expected.insert("0000", at: 0)
    expected.append("0110")
    #expect(try await Self.byAuthor(store).getDocuments().ids == expected)
    await store.terminate()
    store = makeStore(directory, buildsIndexes: false)
    #expect(try await store.fieldIndexes().map(\.isComplete) == [false])
    try await store.buildIndexes()
    #expect(try await Self.byAuthor(store).explain().entriesRead == 12)
    #expect(try await Self.byAuthor(store).getDocuments().ids == expected)
  }

  @Test func aStoreElsewhereMaintainsAndUsesAnIndexOfAnother() async throws {
    let directory = try TestDirectory()
    let (store, elsewhere) = (
      makeStore(directory, buildsIndexes: false), makeStore(directory, buildsIndexes: false)
    )
    try await Self.fill(elsewhere, 150)
    _ = try await Self.byAuthor(store).getDocuments()
    await store.engine.fulfillIndexRequests()
    for number in 0..<4 {
      // Before building, while it clears, while it builds, and afterwards.
      try await elsewhere.document("notes/x\(number)").setData(["author": "a3"])
      try await elsewhere.document("notes/000\(number)").delete()
      _ = try await store.engine.buildIndexes(limit: 40)
    }
    try await store.buildIndexes()
    try await elsewhere.document("notes/x9").setData(["author": "a3"])
    for store in [store, elsewhere] {
      let explanation = try await Self.byAuthor(store).explain()
      #expect((explanation.index, explanation.entriesRead) == ("values of author", 19))
      #expect(try await Self.byAuthor(store).getDocuments().ids.suffix(5) == ["x0", "x1", "x2", "x3", "x9"])
    }
    for store in [store, elsewhere] { await store.terminate() }
  }

  @Test func listenersSwitchToTheIndexWithoutAnEvent() async throws {
    let store = makeStore()
    try await Self.fill(store, 150)
    let snapshots = Snapshots(Self.byAuthor(store).snapshots)
    #expect(try await snapshots.next()?.ids.count == 15)
    try await waitForIndexes(store)
    #expect(try await Self.byAuthor(store).limit(to: 2).explain().entriesRead == 2)
    // The next event is that of the next change.
    try await store.document("notes/0003").delete()
    #expect(try await snapshots.next()?.story == "removed 0003")
  }

  // MARK: - Settings

  @Test func declaredFieldsAreIndexedAndExemptOnesNever() async throws {
    let overrides = [
      FieldOverride("notes", "author"), FieldOverride("notes", "tags", .elements),
      FieldOverride("notes", "n", .exempt),
    ]
    for indexing in FieldIndexing.allCases {
      let store = makeStore(settings: StoreSettings(fieldIndexing: indexing, fieldOverrides: overrides))
      try await Self.fill(store, 150)
      try await store.buildIndexes()
      let notes = store.collection("notes")
      #expect(try await Self.byAuthor(store).explain().entriesRead == 15)
      #expect(try await notes.whereField("tags", arrayContains: "t1").explain().index == "elements of tags")
      let exempt = notes.whereField("n", isEqualTo: 7)
      #expect(try await exempt.getDocuments().count == 1)
      await store.engine.fulfillIndexRequests()
      let explanation = try await exempt.explain()
      #expect(explanation.missingIndexes.map(\.state) == [.disabled])
      #expect(explanation.entriesRead == 150)
      #expect(
        explanation.description.hasPrefix("scan, no index: values of n (disabled by the settings); 150"))
      // What an override doesn't contain is exempt.
      #expect(try await notes.order(by: "tags").explain().missingIndexes.map(\.state) == [.disabled])
    }
  }

  @Test func nothingIsIndexedIfTheSettingsSaySo() async throws {
    let store = makeStore(settings: StoreSettings(fieldIndexing: .none))
    try await Self.fill(store, 150)
    _ = try await Self.byAuthor(store).getDocuments()
    await store.engine.fulfillIndexRequests()
    #expect(try await store.fieldIndexes().isEmpty)
    #expect(try await Self.byAuthor(store).explain().missingIndexes.map(\.state) == [.disabled])
    #expect(try await store.engine.use { try !$0.local.tables.indexes.hasEntries() })
  }

  @Test func invalidOverridesAreRejected() async throws {
    for override in [
      FieldOverride("", "a"), FieldOverride("a/b", "c"), FieldOverride("c", .documentID()),
      FieldOverride("c", FieldPath([])),
    ] {
      let store = makeStore(settings: StoreSettings(fieldOverrides: [override]))
      let thrown = await #expect(throws: StoreError.self) { try await store.collection("c").getDocuments() }
      #expect(thrown?.code == .invalidArgument)
    }
  }

  // MARK: - Dropping

  private func open(_ directory: TestDirectory, day: Int64) -> Store {
    makeStore(directory, now: Timestamp(seconds: 1_700_000_000 + day * 86_400), buildsIndexes: false)
  }

  @Test func anIndexThatNobodyUsesForAMonthIsDroppedAndCanBeRegisteredAgain() async throws {
    let directory = try TestDirectory()
    var store = open(directory, day: 0)
    try await Self.fill(store, 150)
    _ = try await Self.byAuthor(store).getDocuments()
    _ = try await store.collection("notes").order(by: "n").getDocuments()
    await store.engine.fulfillIndexRequests()
    try await store.buildIndexes()
    // The use of one of them is recorded.
    for day in [20, 49] as [Int64] {
      await store.terminate()
      store = open(directory, day: day)
      #expect(try await Self.byAuthor(store).explain().index == "values of author")
      #expect(try await Self.byAuthor(store).getDocuments().count == 15)
      await store.engine.fulfillIndexRequests()
    }
    #expect(try await store.fieldIndexes().map(\.index) == [CompositeIndex("notes", .ascending("author"))])
    let ordered = store.collection("notes").order(by: "n").limit(to: 3)
    #expect(try await ordered.explain().entriesRead == 150)
    // Some entries were deleted when a query needs the index again; documents have changed since.
    #expect(try await store.engine.buildIndexes(limit: 10))
    try await store.document("notes/0149").setData(["n": -5])
    _ = try await ordered.getDocuments()
    await store.engine.fulfillIndexRequests()
    #expect(try await ordered.explain().missingIndexes.map(\.state) == [building(0, of: 150)])
    #expect(try await ordered.getDocuments().ids == ["0149", "0000", "0001"])
    try await store.buildIndexes()
    #expect(try await ordered.explain().entriesRead == 3)
    #expect(try await ordered.getDocuments().ids == ["0149", "0000", "0001"])
    #expect(try await store.collection("notes").order(by: "n").count.getAggregation().count == 150)
    await store.terminate()
  }

  /// A use is recorded at most once a day, so that queries don't write.
  @Test func aUseIsRecordedOnceADay() async throws {
    let directory = try TestDirectory()
    var store = open(directory, day: 0)
    try await Self.fill(store, 150)
    _ = try await Self.byAuthor(store).getDocuments()
    await store.engine.fulfillIndexRequests()
    try await store.buildIndexes()
    for (day, isRecorded) in [(0, false), (1, true)] as [(Int64, Bool)] {
      await store.terminate()
      store = open(directory, day: day)
      _ = try await store.fieldIndexes()
      let isRequested = try await store.engine.use { running in
        let run = try Self.byAuthor(store).runnable(isSent: false).run
        _ = try running.local.reader.documents(of: run)
        return !running.local.tables.indexRequests.isEmpty
      }
      #expect(isRequested == isRecorded)
      await store.engine.fulfillIndexRequests()
    }
    await store.terminate()
  }

  // MARK: - Older files

  /// In a file of an earlier version every field is indexed; nothing is built again.
  @Test func theIndexesOfAnOlderFileAreKept() async throws {
    let directory = try TestDirectory()
    let older = try openDatabase(directory.file)
    try older.transaction { try older.execute(SchemaVersion1.sql) }
    let store = makeStore(directory, buildsIndexes: false)
    let values = store.collection("values").order(by: "rank").limit(to: 3)
    #expect(try await values.explain().index == "values of rank")
    #expect(try await values.explain().entriesRead == 3)
    let group = store.collectionGroup("messages").whereField("tags", arrayContains: "t1")
    #expect(try await group.explain().index == "elements of tags")
    #expect(try await store.fieldIndexes().allSatisfy(\.isComplete))
    let entries = "SELECT count(*) FROM entries"
    let before = try await store.engine.use { try $0.connection.first(entries) { $0.integer(0) } }
    try await store.buildIndexes()
    #expect(try await values.explain().entriesRead == 3)
    #expect(try await store.engine.use { try $0.connection.first(entries) { $0.integer(0) } } == before)
  }

  @Test func fieldPathsAreReadBackFromTheirNumbers() {
    let paths: [FieldPath] = [
      "a", "a.b", FieldPath(["a\u{0}b", "", "é"]), FieldPath(["e\u{301}"]), FieldPath(["\u{0}"]),
      FieldPath(["`.\\"]),
    ]
    for path in paths {
      let bytes = OrderedEncoding.encode(.array(path.segments.map(Value.string)))
      #expect(FieldTable.decoded(bytes) == path)
      for end in 0..<bytes.count { #expect(FieldTable.decoded(bytes.prefix(end)) == nil) }
    }
    #expect(FieldTable.decoded(OrderedEncoding.encode(.array([]))) == nil)
    #expect(FieldTable.decoded(OrderedEncoding.encode(.array([1]))) == nil)
  }
}
