import Foundation
import TenonCore
import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Declared indexes are built over existing documents, resume after a crash, and are removed when they are no
/// longer declared.
@Suite(.limited) struct IndexBuildingTests {
  private static let index = CompositeIndex("notes", .ascending("author"), .descending("created"))
  private static let other = CompositeIndex(
    "notes", .ascending("author"), .ascending("created"), .ascending("n"))

  /// Opens a database in which every field is indexed. The composite indexes are what is built.
  private func open(
    _ directory: TestDirectory? = nil, indexes: [CompositeIndex]? = nil, buildsIndexes: Bool = true
  ) -> Store {
    makeStore(
      directory, settings: StoreSettings(indexes: indexes, fieldIndexing: .everyField),
      buildsIndexes: buildsIndexes)
  }

  private func fill(_ store: Store, _ count: Int = 30) async throws {
    let batch = store.batch()
    for number in 0..<count {
      try batch.setData(
        ["author": "a\(number % 3)", "created": number],
        forDocument: store.document(String(format: "notes/%03d", number)))
      try batch.setData(["author": "a0", "created": number], forDocument: store.document("others/\(number)"))
    }
    try await batch.commit()
  }

  private func page(_ store: Store) throws -> Query {
    store.collection("notes").whereField("author", isEqualTo: "a0").order(by: "created", descending: true)
      .limit(to: 3)
  }

  private func entries(_ directory: TestDirectory) throws -> Int64? {
    try openDatabase(directory.file).first("SELECT count(*) FROM index_entries") { $0.integer(0) }
  }

  private static func progress(_ documents: Int64) -> OperationProgress {
    OperationProgress(completedUnitCount: documents, totalUnitCount: 30)
  }

  @Test func anIndexIsBuiltOverExistingDocuments() async throws {
    let directory = try TestDirectory()
    let before = open(directory)
    try await fill(before)
    await before.terminate()
    let store = open(directory, indexes: [Self.index], buildsIndexes: false)
    #expect(try await page(store).explain().index == "values of author")
    #expect(
      try await store.indexes() == [
        IndexProgress(index: Self.index, isComplete: false, progress: Self.progress(0))
      ])
    var reports: [[IndexProgress<CompositeIndex>]] = []
    try await store.buildIndexes { reports.append($0) }
    #expect(
      reports.last == [IndexProgress(index: Self.index, isComplete: true, progress: Self.progress(30))])
    #expect(try await page(store).explain().index == Self.index.name)
    #expect(try await page(store).explain().entriesRead == 3)
    #expect(try await page(store).getDocuments().ids == ["027", "024", "021"])
    #expect(try entries(directory) == 30)
  }

  @Test func anIndexIsBuiltOverAnOlderDatabase() async throws {
    let directory = try TestDirectory()
    let older = try openDatabase(directory.file)
    try older.transaction { try older.execute(SchemaVersion1.sql) }
    let index = CompositeIndex("values", .ascending("rank"), .descending("value"))
    let store = open(directory, indexes: [index])
    let page = store.collection("values").order(by: "rank").order(by: "value", descending: true).limit(
      to: 5)
    let before = try await page.getDocuments().ids
    try await store.buildIndexes()
    #expect(try await page.explain().index == index.name)
    #expect(try await page.getDocuments().ids == before)
    #expect(before.count == 5)
  }

  @Test func anIndexIsBuiltInTheBackground() async throws {
    let directory = try TestDirectory()
    let before = open(directory)
    try await fill(before)
    await before.terminate()
    let store = open(directory, indexes: [Self.index])
    try await eventually { try await store.indexes().allSatisfy(\.isComplete) }
    #expect(try await page(store).explain().index == Self.index.name)
  }

  /// The process exits at any step. Documents written in the meantime are in the index, and deleted ones
  /// aren't.
  @Test(arguments: 1..<6)
  func buildingContinuesAfterACrash(steps: Int) async throws {
    let directory = try TestDirectory()
    let before = open(directory)
    try await fill(before)
    await before.terminate()
    var store = open(directory, indexes: [Self.index], buildsIndexes: false)
    for _ in 0..<steps { #expect(try await store.engine.buildIndexes(limit: 4)) }
    // An indexed document, one that isn't indexed yet, and new ones.
    try await store.document("notes/000").delete()
    try await store.document("notes/027").setData(["author": "a0", "created": 1])
    try await store.document("notes/001").setData(["author": "a0", "created": 200])
    try await store.document("notes/zzz").setData(["author": "a0", "created": 100])
    let unfinished = try await page(store).explain()
    #expect(unfinished.index == "values of author")
    #expect(try await page(store).getDocuments().ids == ["001", "zzz", "024"])
    await store.terminate()
    // A later store on the same file doesn't need to declare the index.
    store = open(directory, buildsIndexes: false)
    #expect(try await store.indexes().map(\.isComplete) == [false])
    #expect(try await (store.indexes().first?.progress.completedUnitCount ?? 0) >= Int64(steps) * 3)
    try await store.buildIndexes()
    #expect(try await page(store).explain().index == Self.index.name)
    #expect(try await page(store).getDocuments().ids == ["001", "zzz", "024"])
    #expect(try entries(directory) == 30)
  }

  @Test func aFailingStepLosesNothing() async throws {
    let directory = try TestDirectory()
    let before = open(directory)
    try await fill(before)
    await before.terminate()
    let disk = FaultyDisk()
    let connection = try StoreFile(path: directory.file, disk: disk.name, key: TestEncryption.key).open()
    let local = try LocalDatabase(connection, sharing: .localOnly, now: Timestamp(seconds: 1))
    try local.indexBuilding.declare([Self.index])
    disk.fail(.write, .isFull, after: 0)
    #expect(throws: SQLiteError.self) { try local.indexBuilding.step(.documents(500)) }
    #expect(disk.failures == 1)
    while try local.indexBuilding.step(.documents(7)) {}
    #expect(try local.indexBuilding.progress().map(\.isComplete) == [true])
    #expect(try entries(directory) == 30)
  }

  /// Other work of the database waits for a step, however large the documents are.
  @Test func buildingInTheBackgroundBeginsAgainAfterAFailingStep() async throws {
    let (directory, disk, log) = (try TestDirectory(), FaultyDisk(), LogRecorder())
    let settings = StoreSettings(indexes: [Self.index], fieldIndexing: .onFirstQuery)
    let before = makeStore(directory, settings: settings, buildsIndexes: false)
    try await fill(before, 150)
    await before.terminate()
    // Opening an unchanged database writes nothing.
    disk.fail([.write, .sync], .breaks, after: 0, times: 1_000_000)
    let store = makeStore(directory, disk: disk, settings: settings, logger: log.logger)
    #expect(try await store.document("notes/000").getDocument().exists)
    try await eventually(
      { log.messages(.warning) }, satisfies: { $0.contains { $0.contains("Indexes can't be built now") } })
    #expect(try await store.indexes().map(\.isComplete) == [false])
    disk.heal()
    // A query that lacks an index begins to build what is missing.
    _ = try await store.collection("others").whereField("created", isEqualTo: 7).getDocuments()
    try await eventually { try await store.indexes().allSatisfy(\.isComplete) }
    await store.terminate()
  }

  @Test(arguments: [FieldIndexing.everyField, .onFirstQuery])
  func aStepEndsWhenItsTimeHasPassed(_ indexing: FieldIndexing) async throws {
    let store = makeStore(settings: StoreSettings(indexes: [], fieldIndexing: indexing), buildsIndexes: false)
    try await fill(store, 100)
    try await store.engine.use { running in
      try running.local.indexBuilding.declare(indexing == .everyField ? [Self.index] : [])
      try running.local.fieldIndexing.apply(indexing, [FieldOverride("notes", "created")], at: 1)
      let building = running.local.indexBuilding
      var steps = 0
      while try building.step(.init(documents: 5_000, entries: 5_000) { true }) { steps += 1 }
      #expect(steps >= 100 / 16)
      #expect(try building.progress().allSatisfy(\.isComplete))
      #expect(try building.fieldProgress().allSatisfy(\.isComplete))
    }
    #expect(try await page(store).getDocuments().ids == ["099", "096", "093"])
    let created = store.collection("notes").order(by: "created", descending: true).limit(to: 1)
    #expect(try await created.explain().index == "values of created")
    #expect(try await created.getDocuments().ids == ["099"])
    await store.terminate()
  }

  @Test func anIndexThatIsNoLongerDeclaredIsRemoved() async throws {
    let directory = try TestDirectory()
    var store = open(directory, indexes: [Self.index])
    try await fill(store)
    try await store.buildIndexes()
    #expect(try await page(store).explain().index == Self.index.name)
    await store.terminate()
    // Settings without indexes don't remove the existing ones.
    store = open(directory)
    #expect(try await page(store).explain().index == Self.index.name)
    await store.terminate()
    store = open(directory, indexes: [Self.other], buildsIndexes: false)
    #expect(try await page(store).explain().index == "values of author")
    #expect(try await store.indexes().map(\.index) == [Self.other])
    try await store.buildIndexes()
    // No note has all fields of the other index.
    #expect(try entries(directory) == 0)
    await store.terminate()
    store = open(directory, indexes: [Self.index])
    try await store.buildIndexes()
    #expect(try await page(store).explain().index == Self.index.name)
    #expect(try entries(directory) == 30)
  }

  @Test func anotherProcessMaintainsAndUsesADeclaredIndex() async throws {
    let directory = try TestDirectory()
    let elsewhere = open(directory)
    try await fill(elsewhere)
    let store = open(directory, indexes: [Self.index])
    try await store.buildIndexes()
    try await elsewhere.document("notes/new").setData(["author": "a0", "created": 500])
    #expect(try await page(store).getDocuments().ids == ["new", "027", "024"])
    #expect(try await page(elsewhere).explain().index == Self.index.name)
  }

  @Test func aListenerFollowsThroughADeclaredIndex() async throws {
    let store = open(indexes: [Self.index])
    try await fill(store)
    try await store.buildIndexes()
    let snapshots = Snapshots(try page(store).snapshots)
    #expect(try await snapshots.next()?.ids == ["027", "024", "021"])
    try await store.document("notes/027").delete()
    #expect(try await snapshots.next { $0.ids == ["024", "021", "018"] } != nil)
  }

  @Test func anInvalidIndexIsRejected() async throws {
    for fields: [CompositeIndex.Field] in [
      [], [.ascending("a"), .descending("a")], [.contains("a"), .contains("b")],
      [.ascending(.documentID()), .ascending("a")],
    ] {
      let store = makeStore(settings: StoreSettings(indexes: [CompositeIndex("c", fields: fields)]))
      let thrown = await #expect(throws: StoreError.self) { try await store.collection("c").getDocuments() }
      #expect(thrown?.code == .invalidArgument)
    }
  }

  @Test(arguments: ["", "a/b", "a/\u{301}b"])
  func anIndexOfSomethingElseThanACollectionIsRefused(collection: String) {
    // Swift treats "/" and the combining mark after it as one character.
    let index = CompositeIndex(collection, .ascending("n"))
    #expect(throws: StoreError.self) { try index.check() }
  }

  @Test func indexesAreReadFromFirestoresFile() throws {
    let json = """
      {"indexes": [
        {"collectionGroup": "notes", "queryScope": "COLLECTION", "density": "SPARSE_ALL", "fields": [
          {"fieldPath": "author", "order": "ASCENDING"}, {"fieldPath": "meta.`a.b`", "order": "DESCENDING"},
          {"fieldPath": "__name__", "order": "DESCENDING"}]},
        {"collectionGroup": "notes", "queryScope": "COLLECTION_GROUP", "fields": [
          {"fieldPath": "tags", "arrayConfig": "CONTAINS"}, {"fieldPath": "n", "order": "ASCENDING"}]},
        {"collectionGroup": "notes", "queryScope": "COLLECTION", "fields": [
          {"fieldPath": "v", "vectorConfig": {"dimension": 3, "flat": {}}}]}
      ], "fieldOverrides": []}
      """
    let indexes = try CompositeIndex.indexes(inFile: Data(json.utf8))
    #expect(
      indexes == [
        CompositeIndex(
          "notes", .ascending("author"), .descending(FieldPath(["meta", "a.b"])),
          .descending(.documentID())),
        CompositeIndex("notes", scope: .collectionGroup, .contains("tags"), .ascending("n")),
      ])
    let copy = try JSONDecoder().decode([CompositeIndex].self, from: JSONEncoder().encode(indexes))
    #expect(copy == indexes)
    let thrown = #expect(throws: StoreError.self) { try CompositeIndex.indexes(inFile: Data("{}".utf8)) }
    #expect(thrown?.code == .invalidArgument)
  }
}
