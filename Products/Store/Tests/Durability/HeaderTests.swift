import Foundation
import SQLiteFaults
import TenonSQLite
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Databases whose headers have values that no version of the program writes.
@Suite(.limited) struct HeaderTests {
  private func makeDatabase() async throws -> TestDirectory {
    let directory = try TestDirectory()
    let store = makeStore(directory)
    try await store.document("c/d").setData(["n": 1])
    await store.engine.close()
    return directory
  }

  private func error(_ directory: TestDirectory) async throws -> StoreError? {
    let store = makeStore(directory)
    do {
      #expect(try await store.document("c/d").getDocument().fields?["n"] == 1)
      await store.engine.close()
      return nil
    } catch let error as StoreError {
      await store.engine.close()
      #expect(error.message.contains(directory.file), "\(error)")
      return error
    }
  }

  @Test(arguments: [-1, -1000, Int(Int32.min), 0])
  func anImpossibleSchemaVersionIsReportedAsDamage(version: Int) async throws {
    let directory = try await makeDatabase()
    try openDatabase(directory.file).execute("PRAGMA user_version = \(version)")
    for _ in 0..<2 { #expect(try await error(directory)?.code == .dataLoss) }
    let store = makeStore(directory)
    try await store.setAsideDamagedFile()
    try await store.document("c/e").setData(["n": 2])
    #expect(try await store.collection("c").getDocuments().ids == ["e"])
  }

  @Test(arguments: [1_000, Int(Int32.max)])
  func aNewerSchemaVersionIsAnErrorThatSuggestsAnUpdate(version: Int) async throws {
    let directory = try await makeDatabase()
    try openDatabase(directory.file).execute("PRAGMA user_version = \(version)")
    let error = try await error(directory)
    #expect(error?.code == .failedPrecondition)
    #expect(error?.message.contains("update the program") == true)
  }

  /// Every significant byte of the header, with several values, in a database without checksums, which would
  /// otherwise detect the change.
  @Test func anyHeaderIsReadOrReported() async throws {
    let directory = try TestDirectory()
    #expect(
      faulty_disk_execute_plainly(directory.file, "PRAGMA journal_mode = WAL;" + SchemaVersion1.sql) == 0)
    let file = try Data(contentsOf: URL(filePath: directory.file))
    for offset in [0, 15] + Array(16..<64) + Array(92..<100) {
      for value in [0, 0x7F, 0x80] as [UInt8] where file[offset] != value {
        var changed = file
        changed[offset] = value
        let other = try TestDirectory()
        try changed.write(to: URL(filePath: other.file))
        let store = makeStore(other)
        do {
          let found = try await store.document("values/boolean").getDocument().fields?["value"]
          #expect(found == true, "byte \(offset) is \(value)")
        } catch let error as StoreError {
          #expect(
            [.dataLoss, .failedPrecondition, .unavailable].contains(error.code),
            "byte \(offset) is \(value): \(error)")
          #expect(error.message.contains(other.file), "byte \(offset) is \(value): \(error)")
        }
        await store.engine.close()
      }
    }
  }

  /// Numbers in tables whose checksums are right, so that only their values are impossible.
  @Test(
    arguments: [
      "INSERT OR REPLACE INTO globals VALUES ('sequence', NUMBER)",
      "INSERT OR REPLACE INTO globals VALUES ('target', NUMBER)",
      "INSERT OR REPLACE INTO globals VALUES ('indexes', NUMBER)",
      "INSERT OR REPLACE INTO globals VALUES ('version', NUMBER)",
      "INSERT OR REPLACE INTO changes (sequence, first, documents) VALUES (NUMBER, 1, x'')",
      "UPDATE documents SET created = NUMBER, updated = NUMBER",
    ], [Int64.min, -5, -1, 1 << 62, .max])
  func anyNumberInATableIsReadOrReported(statement: String, number: Int64) async throws {
    let directory = try await makeDatabase()
    try openDatabase(directory.file).execute(statement.replacing("NUMBER", with: "\(number)"))
    let store = makeStore(
      directory, remote: FakeStoreRemote(),
      settings: StoreSettings(indexes: [CompositeIndex("c", .ascending("n"), .ascending("m"))]),
      buildsIndexes: false)
    do {
      _ = try await store.collection("c").getDocuments(source: .cache)
      try await store.document("c/d").setData(["n": 2])
      try await store.buildIndexes()
      let snapshots = Snapshots(store.collection("c").snapshots())
      #expect(try await snapshots.next()?.ids == ["d"])
    } catch let error as StoreError {
      #expect(error.code == .dataLoss, "\(error)")
    }
    await store.engine.close()
  }
}
