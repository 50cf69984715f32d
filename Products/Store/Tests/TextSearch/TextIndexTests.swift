import Foundation
import TenonFoundation
import TenonSQLite
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Text indexes are declared, built over existing documents, shared, and removed.
@Suite(.limited) struct TextIndexTests {
  private static let index = TextIndex("notes", "title")

  private func open(
    _ directory: TestDirectory, _ indexes: [TextIndex]? = [index], buildsIndexes: Bool = true
  ) -> Store {
    makeStore(directory, settings: StoreSettings(textIndexes: indexes), buildsIndexes: buildsIndexes)
  }

  private func fill(_ store: Store, _ count: Int = 60) async throws {
    try await TextSearchTests.write(
      Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", ["title": .string("tea \($0)")]) }),
      to: store)
  }

  private func count(_ store: Store, _ text: String = "tea") async throws -> Int {
    try await store.collection("notes").search(text).getDocuments().count
  }

  @Test func aSearchOfAnIndexThatIsBeingBuiltReturnsWhenItIsComplete() async throws {
    let directory = try TestDirectory()
    let before = open(directory, nil)
    try await fill(before)
    await before.terminate()
    let store = open(directory, buildsIndexes: false)
    #expect(
      try await store.textIndexes() == [
        IndexProgress(
          index: Self.index, isComplete: false,
          progress: OperationProgress(completedUnitCount: 0, totalUnitCount: 60))
      ])
    #expect(try await count(store) == 60)
    #expect(
      try await store.textIndexes() == [
        IndexProgress(
          index: Self.index, isComplete: true,
          progress: OperationProgress(completedUnitCount: 60, totalUnitCount: 60))
      ])
  }

  @Test func anIndexIsBuiltInTheBackground() async throws {
    let directory = try TestDirectory()
    let before = open(directory, nil)
    try await fill(before)
    await before.terminate()
    let store = open(directory)
    try await eventually { try await !store.textIndexes().contains(where: { !$0.isComplete }) }
    #expect(try await count(store) == 60)
  }

  /// Documents before and behind the position are changed, deleted and added while the index is being built
  /// in steps, by two connections that are closed in between.
  @Test func writesWhileAnIndexIsBeingBuiltAreFoundOnce() async throws {
    let directory = try TestDirectory()
    let before = open(directory, nil)
    try await fill(before)
    await before.terminate()
    for step in 0..<4 {
      let store = open(directory, buildsIndexes: false)
      #expect(try await store.engine.buildIndexes(limit: 15))
      for number in [step, 59 - step] {
        try await store.document("notes/\(number)").setData(["title": "coffee tea"])
      }
      try await store.document("notes/\(10 + step)").delete()
      try await store.document("notes/\(40 + step)").delete()
      try await store.document("notes/new\(step)").setData(["title": "tea"])
      await store.terminate()
    }
    let store = open(directory, buildsIndexes: false)
    #expect(try await store.textIndexes().first?.isComplete == false)
    #expect(try await count(store) == 60 - 8 + 4)
    #expect(try await count(store, "coffee") == 8)
    #expect(try await count(store, "\"tea 20\"") == 1)
    // Nothing is left of what was changed or deleted.
    for number in [0, 3, 10, 13, 40, 43, 56, 59] {
      #expect(try await count(store, "\(number)") == 0, "\(number)")
    }
    try await store.deleteCollection("notes")
    #expect(try await count(store, "tea OR coffee") == 0)
    await store.terminate()
    let connection = try openDatabase(directory.file)
    let sizes = try connection.first("SELECT name FROM sqlite_schema WHERE name LIKE 'text%docsize'") {
      $0.text(0)
    }
    #expect(try connection.first("SELECT count(*) FROM \(try #require(sizes))") { $0.integer(0) } == 0)
  }

  /// The rank of a rare word depends on the number of documents in the index, so it shows what was added
  /// twice.
  @Test func documentsThatWereWrittenWhileAnIndexIsBeingBuiltAreIndexedOnce() async throws {
    func ranks(_ store: Store) async throws -> [String: Double] {
      let found = try await store.collection("notes").search("5 OR 55").getDocuments()
      return Dictionary(uniqueKeysWithValues: found.map { ($0.document.documentID, $0.rank) })
    }
    let (directory, fresh) = (try TestDirectory(), try TestDirectory())
    let before = open(directory, nil)
    try await fill(before)
    await before.terminate()
    let store = open(directory, buildsIndexes: false)
    #expect(try await store.engine.buildIndexes(limit: 15))
    // Most of these documents haven't been visited.
    try await TextSearchTests.write(
      Dictionary(uniqueKeysWithValues: (0..<60).map { ("\($0)", ["title": .string("green tea \($0)")]) }),
      to: store)

    let other = open(fresh)
    try await TextSearchTests.write(
      Dictionary(uniqueKeysWithValues: (0..<60).map { ("\($0)", ["title": .string("green tea \($0)")]) }),
      to: other)
    let (built, written) = (try await ranks(store), try await ranks(other))
    #expect(built.count == 2 && built == written)
    await store.terminate()
    await other.terminate()
  }

  @Test func aDeclarationIsKeptUntilAnotherOneReplacesIt() async throws {
    let directory = try TestDirectory()
    let first = open(directory)
    try await fill(first)
    #expect(try await count(first) == 60)
    await first.terminate()

    // No declaration: writes maintain the index.
    let second = open(directory, nil)
    try await second.document("notes/0").setData(["title": "coffee", "body": "milk"])
    #expect(try await count(second) == 59)
    await second.terminate()

    // Another field: the index is rebuilt.
    let other = TextIndex("notes", "title", "body")
    let third = open(directory, [other])
    #expect(try await count(third, "coffee milk") == 1)
    #expect(try await third.textIndexes().map(\.index) == [other])
    await third.terminate()

    // Nothing is left of the tables.
    let fourth = open(directory, [])
    let error = await #expect(throws: StoreError.self) { try await count(fourth) }
    #expect(error?.code == .failedPrecondition)
    await fourth.terminate()
    let connection = try openDatabase(directory.file)
    #expect(
      try connection.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'text%'") { $0.text(0) } == [])
  }

  /// The IDs are equal according to Swift.
  @Test func anIndexIsThatOfTheBytesOfTheCollectionsID() async throws {
    let directory = try TestDirectory()
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    for (id, other) in [(composed, decomposed), (decomposed, composed)] {
      #expect(TextIndex(id, "title") != TextIndex(other, "title"))
      let store = open(directory, [TextIndex(id, "title")])
      try await store.document("\(id)/a").setData(["title": "tea"])
      #expect(try await store.collection(id).search("tea").getDocuments().count == 1)
      await #expect(throws: StoreError.self) {
        try await store.collection(other).search("tea").getDocuments()
      }
      await store.terminate()
    }
  }

  @Test func anIndexThatAnotherConnectionDeclaresIsMaintainedAndSearched() async throws {
    let directory = try TestDirectory()
    let first = open(directory, nil)
    try await fill(first)
    let second = open(directory)
    #expect(try await count(second) == 60)
    try await first.document("notes/0").setData(["title": "coffee"])
    #expect(try await count(first, "coffee") == 1)
    #expect(try await count(second, "coffee") == 1)
    #expect(try await count(second) == 59)
  }

  @Test(arguments: [
    (TextIndex("", "title"), "collection ID"), (TextIndex("a/b", "title"), "slash"),
    (TextIndex("notes", fields: []), "1 to 32 fields"),
    (TextIndex("notes", fields: (0..<33).map { FieldPath(["f\($0)"]) }), "1 to 32 fields"),
    (TextIndex("notes", "title", "title"), "twice"), (TextIndex("notes", .documentID()), "document ID"),
    (TextIndex("notes", ""), "notes"), (TextIndex("notes", "a..b"), "notes"),
  ])
  func anInvalidDeclarationIsRefusedAndChangesNothing(index: TextIndex, part: String) async throws {
    let directory = try TestDirectory()
    let store = open(directory)
    try await fill(store)
    await store.terminate()
    let error = await #expect(throws: StoreError.self) { try await open(directory, [index]).textIndexes() }
    #expect(
      error?.code == .invalidArgument && error?.message.contains(part) == true, "\(error?.message ?? "")")
    let again = open(directory, nil)
    #expect(try await again.textIndexes().map(\.index) == [Self.index])
    #expect(try await count(again) == 60)
  }

  @Test func twoIndexesOfACollectionAreRefused() async throws {
    let error = await #expect(throws: StoreError.self) {
      try await makeStore(settings: StoreSettings(textIndexes: [Self.index, TextIndex("notes", "body")]))
        .textIndexes()
    }
    #expect(error?.code == .invalidArgument && error?.message.contains("fields of both") == true)
  }

  /// The errors of SQLite for a module and a tokenizer that it lacks.
  @Test func anSQLiteLibraryThatCannotSearchTextIsReported() throws {
    let connection = try Connection.open(nil)
    for sql in [
      "CREATE VIRTUAL TABLE t USING fts99(a)", "CREATE VIRTUAL TABLE t USING fts5(a, tokenize='trigram99')",
    ] {
      let error = #expect(throws: SQLiteError.self) { try connection.execute(sql) }
      let reported = try #require(error.flatMap(StoredTextIndex.missingFeature))
      #expect(reported.code == .unimplemented && reported.message.contains("FTS5"), "\(reported.message)")
    }
    let other = #expect(throws: SQLiteError.self) { try connection.execute("CREATE TABLE t (") }
    #expect(other.flatMap(StoredTextIndex.missingFeature) == nil)
  }

  @Test func aLaterTokenizerIsNotSearchedAndNotRemoved() async throws {
    let directory = try TestDirectory()
    let store = open(directory)
    try await fill(store, 3)
    await store.terminate()
    let connection = try openDatabase(directory.file)
    try connection.run(
      "UPDATE indexes SET definition = CAST(replace(CAST(definition AS TEXT), 'words', 'stems') AS BLOB) WHERE kind = 5"
    )
    let later = open(directory, nil)
    let error = await #expect(throws: StoreError.self) { try await count(later) }
    #expect(error?.code == .failedPrecondition)
  }

  /// That version of the schema has other entries of zeros and emoji, and lists trigrams only.
  @Test func indexesOfVersion10AreBuiltAnew() async throws {
    let directory = try TestDirectory()
    let index = TextIndex("notes", "title", tokenizer: .trigrams)
    let store = open(directory, [index])
    try await fill(store, 3)
    await store.terminate()
    let connection = try openDatabase(directory.file)
    let number = try #require(try connection.first("SELECT id FROM indexes WHERE kind = 5") { $0.integer(0) })
    try connection.execute(
      """
      PRAGMA user_version = 10;
      DROP TABLE dropped_collections;
      ALTER TABLE entries DROP COLUMN number;
      DROP TABLE batch_reads;
      CREATE INDEX batch_documents_by_user ON batch_documents (user, batch);
      DROP TABLE text_\(number)_terms;
      DROP TABLE text_\(number);
      CREATE VIRTUAL TABLE text_\(number) USING fts5(f0, content='', tokenize='trigram');
      CREATE VIRTUAL TABLE text_\(number)_terms USING fts5vocab(text_\(number), row);
      INSERT INTO text_\(number) (rowid, f0) VALUES (1, 'old entry');
      """)
    for _ in 0..<2 {
      let later = open(directory, nil)
      #expect(try await later.textIndexes().map(\.index) == [index])
      #expect(try await count(later) == 3)
      #expect(try await count(later, "ea") == 3)
      #expect(try await count(later, "old") == 0)
      #expect(
        try await later.textIndexes() == [
          IndexProgress(
            index: index, isComplete: true,
            progress: OperationProgress(completedUnitCount: 3, totalUnitCount: 3))
        ])
      await later.terminate()
    }
  }

  @Test func aBackupContainsTheIndex() async throws {
    let (directory, target) = (try TestDirectory(), try TestDirectory())
    let store = open(directory)
    try await fill(store)
    let file = URL(filePath: "\(target.path)/backup")
    try await store.backup(to: .file(file))
    try await store.deleteCollection("notes")
    #expect(try await count(store) == 0)
    try await store.restore(from: .file(file))
    #expect(try await count(store) == 60)
  }
}
