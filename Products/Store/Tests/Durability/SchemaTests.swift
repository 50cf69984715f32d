import Foundation
import SQLiteFaults
import TenonDocuments
import TenonSQLite
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Databases that other versions of the program created.
@Suite(.limited) struct SchemaTests {
  private static let values: [String: Value] = [
    "array": [1, "two", true], "boolean": true, "bytes": .bytes(Data([0, 1, 255])), "double": -2.5,
    "geoPoint": .geoPoint(GeoPoint(latitude: 48.4, longitude: 9.98)), "infinity": .double(.infinity),
    "integer": .integer(9_007_199_254_740_993), "map": ["inner": ["deep": 1], "other": "x"],
    "nan": .double(.nan), "null": .null, "reference": .reference(ResourcePath(segments: ["c", "d"])),
    "string": "grün\u{0}😀", "timestamp": .timestamp(Timestamp(seconds: -5, nanoseconds: 123_456_000)),
    "vector": .vector([1, -0.5]),
  ]

  /// Creates the file as that version left it, without checksums in its pages.
  private func makeVersion1(in directory: TestDirectory) throws {
    let sql = "PRAGMA journal_mode = WAL; BEGIN; \(SchemaVersion1.sql); COMMIT"
    #expect(faulty_disk_execute_plainly(directory.file, sql) == 0)
  }

  private func version(_ directory: TestDirectory) throws -> Int? {
    try openDatabase(directory.file).first("PRAGMA user_version") { Int($0.integer(0)) }
  }

  /// The schema version that this program creates.
  private func presentVersion() async throws -> Int? {
    let directory = try TestDirectory()
    let store = makeStore(directory)
    _ = try await store.document("c/d").getDocument()
    await store.engine.close()
    return try version(directory)
  }

  /// Without them, every file would pass the check of its tables.
  @Test func statementsThatCannotBeDeterminedAreAnError() throws {
    #expect(throws: SQLiteError.self) {
      try LocalSchema.statements(after: LocalSchema.migrations + [Migration("DROP TABLE missing")])
    }
    #expect(try LocalSchema.statements().count > 20)
  }

  @Test func aDatabaseOfTheFirstVersionKeepsItsDocuments() async throws {
    let directory = try TestDirectory()
    try makeVersion1(in: directory)
    let store = makeStore(directory)
    let documents = try await store.collection("values").getDocuments().documents
    let found = documents.reduce(into: [:]) { $0[$1.documentID] = $1.fields["value"] }
    #expect(found == Self.values)
    let moment = Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_000)
    #expect(documents.allSatisfy { $0.createTime == moment && $0.updateTime == moment })
    #expect(try await store.document("rooms/den").getDocument().fields == [:])
    #expect(try await !store.document("values/gone").getDocument().exists)
    let present = try await presentVersion()
    await store.engine.close()
    #expect(try version(directory) == present)
    #expect(try openDatabase(directory.file).hasChecksums)
  }

  @Test func aDatabaseOfTheFirstVersionAnswersQueries() async throws {
    let directory = try TestDirectory()
    try makeVersion1(in: directory)
    let store = makeStore(directory)
    let values = store.collection("values")
    for (id, value) in Self.values where id != "nan" {
      #expect(try await values.whereField("value", isEqualTo: value).getDocuments().ids == [id])
    }
    #expect(
      try await values.order(by: "value").getDocuments().ids == [
        "null", "boolean", "nan", "double", "integer", "infinity", "timestamp", "string", "bytes",
        "reference",
        "geoPoint", "array", "vector", "map",
      ])
    #expect(try await values.order(by: "rank").getDocuments().ids == Self.values.keys.sorted())
    #expect(try await values.whereField("value", arrayContains: "two").getDocuments().ids == ["array"])
    #expect(try await values.whereField("value.inner.deep", isEqualTo: 1).getDocuments().ids == ["map"])
    let messages = store.collectionGroup("messages")
    #expect(try await messages.getDocuments().ids == ["__id0__", "__id1__", "__id2__"])
    #expect(try await messages.whereField("tags", arrayContains: "t1").getDocuments().ids == ["__id1__"])
    #expect(try await messages.whereField("tags", arrayContains: "a").count.getAggregation().count == 3)
  }

  /// Version 10 joins the columns of the collection and the field with the value.
  @Test func entriesOfVersion9KeepTheirOrderAndTypes() throws {
    let connection = try Connection.open(nil)
    try connection.migrate(Array(LocalSchema.migrations.prefix(9)))
    var expected: [String] = []
    for collection in [1, 239, 240, 70_000] as [Int64] {
      for column in [2, 3, 256, 1_000_000] as [Int64] {
        // Values and keys without their trailing zeros, one of which is the beginning of the next.
        for (value, key) in [([32], [48, 1]), ([32, 0, 5], [48]), ([32, 0, 5], [48, 0, 1]), ([33], [48])]
          as [([UInt8], [UInt8])]
        {
          let number = Int64(expected.count)
          let isDouble: SQLValue = [.null, .integer(0 as Int64), .integer(1 as Int64)][expected.count % 3]
          try connection.run(
            "INSERT INTO entries (collection, field, value, key, document, is_double) VALUES (?, ?, ?, ?, ?, ?)",
            [
              .integer(collection), .integer(column), .blob(Data(value)), .blob(Data(key)), .integer(number),
              isDouble,
            ])
          expected.append("\(collection) \(column) \(value) \(key) \(number) \(isDouble)")
        }
      }
    }
    try connection.migrate(LocalSchema.migrations)
    let found = try connection.rows(
      "SELECT value, key, document, is_double FROM entries ORDER BY value, key"
    ) { row in
      let group = try #require(EntryGroup(of: row.blob(0)))
      let value = Array(row.blob(0).dropFirst(group.prefix.count))
      return
        "\(group.collection) \(group.column) \(value) \(Array(row.blob(1))) \(row.integer(2)) \(row.value(3))"
    }
    #expect(found == expected)
  }

  @Test func aDatabaseOfTheFirstVersionAcceptsWrites() async throws {
    let directory = try TestDirectory()
    try makeVersion1(in: directory)
    let store = makeStore(directory)
    let values = store.collection("values")
    var snapshots = values.whereField("rank", isLessThan: 2).order(by: "rank").snapshots.makeAsyncIterator()
    #expect(try await snapshots.next()?.ids == ["array", "boolean"])
    try await values.document("array").updateData(["value": .arrayUnion([4]), "rank": 1.5])
    #expect(try await snapshots.next()?.ids == ["boolean", "array"])
    #expect(try await values.whereField("value", arrayContains: 4).getDocuments().ids == ["array"])
    #expect(try await values.whereField("rank", isEqualTo: 0).getDocuments().ids == [])
    try await values.document("boolean").delete()
    #expect(try await snapshots.next()?.ids == ["array"])
    #expect(try await values.whereField("value", isEqualTo: true).getDocuments().ids == [])
  }

  @Test func aDatabaseOfANewerVersionIsRejectedAndLeftUnchanged() async throws {
    let directory = try TestDirectory()
    try makeVersion1(in: directory)
    try openDatabase(directory.file).execute("PRAGMA user_version = 1000")
    let before = try Data(contentsOf: URL(filePath: directory.file))
    let store = makeStore(directory)
    for _ in 0..<2 {
      let thrown = await #expect(throws: StoreError.self) {
        try await store.document("values/array").getDocument()
      }
      #expect(thrown?.code == .failedPrecondition)
      #expect(thrown?.message.contains(directory.file) == true)
      #expect(thrown?.message.contains("update the program") == true)
    }
    // The file doesn't count as damaged.
    let thrown = await #expect(throws: StoreError.self) { try await store.setAsideDamagedFile() }
    #expect(thrown?.code == .failedPrecondition)
    await store.engine.close()
    #expect(try Data(contentsOf: URL(filePath: directory.file)) == before)
  }

  /// After a failure at any point of a migration, the database has the old or the new schema, and all
  /// documents.
  @Test(
    arguments: DeepTests.few(
      1, of: [FaultyDisk.Operations.sync, .write, .read, .lock, .size, .open, .sharedMemory]))
  func migrationSucceedsOrChangesNothing(operation: FaultyDisk.Operations) async throws {
    let present = try await presentVersion()
    var point = 0
    while true {
      let directory = try TestDirectory()
      try makeVersion1(in: directory)
      let disk = FaultyDisk()
      let store = makeStore(directory, disk: disk)
      disk.fail(operation, .breaks, after: point, times: 1_000)
      do {
        let title = try await store.document("values/boolean").getDocument().fields?["value"]
        #expect(title == true)
      } catch let error as StoreError {
        #expect(error.code == .unavailable, "\(error)")
      }
      let hasFailed = disk.failures > 0
      await store.engine.close()
      disk.heal()
      let version = try version(directory)
      #expect(version == 1 || version == present, "point \(point)")
      let reopened = makeStore(directory)
      #expect(
        try await reopened.collection("values").order(by: "rank").getDocuments().ids
          == Self.values.keys.sorted())
      await reopened.engine.close()
      guard hasFailed else { break }
      point += 1
    }
  }
}
