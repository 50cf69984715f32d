import Foundation
import SQLiteFaults
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Files that are deleted or moved under a running process, and those of other programs.
@Suite(.limited) struct FilePlaceTests {
  private func check(_ error: StoreError?, _ directory: TestDirectory) {
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("\(directory.file) was deleted or moved while it was open") == true)
    #expect(error?.message.contains("terminate()") == true)
  }

  @Test func operationsOnADeletedFileThrowAndListenersEnd() async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory)
    try await store.document("c/1").setData(["n": 1])
    let snapshots = Snapshots(store.collection("c").snapshots)
    #expect(try await snapshots.next()?.ids == ["1"])
    try FileManager.default.removeItem(atPath: directory.path)
    check(
      await #expect(throws: StoreError.self) { try await store.document("c/2").setData(["n": 2]) }, directory)
    check(await #expect(throws: StoreError.self) { try await snapshots.next { _ in false } }, directory)
    check(
      await #expect(throws: StoreError.self) { try await store.collection("c").getDocuments() }, directory)
    let transaction = await #expect(throws: StoreError.self) {
      try await store.runTransaction { try $0.setData(["n": 3], forDocument: store.document("c/3")) }
    }
    check(transaction, directory)
    check(await #expect(throws: StoreError.self) { try await store.setAsideDamagedFile() }, directory)
    #expect(!FileManager.default.fileExists(atPath: directory.path))
  }

  @Test func listenersEndWithoutAWrite() async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory)
    try await store.document("c/1").setData(["n": 1])
    let snapshots = Snapshots(store.collection("c").snapshots)
    #expect(try await snapshots.next()?.ids == ["1"])
    try FileManager.default.removeItem(atPath: directory.path)
    check(await #expect(throws: StoreError.self) { try await snapshots.next { _ in false } }, directory)
  }

  @Test func aDirectoryThatIsPutBackIsUsedAgain() async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory)
    try await store.document("c/1").setData(["n": 1])
    try FileManager.default.moveItem(atPath: directory.path, toPath: directory.path + "-away")
    check(
      await #expect(throws: StoreError.self) { try await store.document("c/2").setData(["n": 2]) }, directory)
    try FileManager.default.moveItem(atPath: directory.path + "-away", toPath: directory.path)
    try await store.document("c/3").setData(["n": 3])
    #expect(try await store.collection("c").getDocuments().ids == ["1", "3"])
    await store.engine.close()
    #expect(try await makeStore(directory).collection("c").getDocuments().ids == ["1", "3"])
  }

  /// The header of a database of this program can be damaged, but not the statements of all its tables.
  @Test(arguments: [0, LocalSchema.migrations.count, 99])
  func aDatabaseOfAnotherProgramIsNamedAndNeverSetAside(version: Int) async throws {
    let directory = try TestDirectory()
    let sql = "CREATE TABLE documents (id INTEGER PRIMARY KEY, text); PRAGMA user_version = \(version)"
    #expect(faulty_disk_execute_plainly(directory.file, sql) == 0)
    let bytes = try Data(contentsOf: URL(filePath: directory.file))
    let store = makeStore(directory)
    let refused = await #expect(throws: StoreError.self) { try await store.document("c/1").setData(["n": 1]) }
    #expect(refused?.code == .failedPrecondition)
    #expect(refused?.message.contains("\(directory.file) is an SQLite database of another program") == true)
    #expect(refused?.message.contains("setAside") == false)
    let kept = await #expect(throws: StoreError.self) { try await store.setAsideDamagedFile() }
    #expect(kept?.code == .failedPrecondition)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["default.sqlite"])
    #expect(try Data(contentsOf: URL(filePath: directory.file)) == bytes)
  }

  // MARK: - Openings

  @Test func aWriterGivesWayToAnOpening() throws {
    let directory = try TestDirectory()
    let (writer, opening) = (OpeningTurn(database: directory.file), OpeningTurn(database: directory.file))
    #expect(!writer.giveWay())
    let paused = opening.take(waitingAtMost: .zero) { OpeningTurn(database: directory.file).giveWay() }
    #expect(paused)
    #expect(!OpeningTurn(database: directory.file).giveWay())
  }

  @Test func anOpeningTakesItsTurnAmongBusyWriters() async throws {
    let directory = try TestDirectory()
    try await makeStore(directory).document("c/first").setData(["n": 1])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<3 {
        group.addTask {
          let store = makeStore(directory)
          do {
            while true {
              let batch = store.batch()
              for index in 0..<20 {
                try batch.setData(["n": index], forDocument: store.document("c/\(number)-\(index)"))
              }
              try await batch.commit()
            }
          } catch is CancellationError {}
        }
      }
      for _ in 0..<15 {
        let store = makeStore(directory, settings: StoreSettings(indexes: []))
        try await store.document("c/first").updateData(["n": FieldValue.increment(1)])
        await store.engine.close()
      }
      group.cancelAll()
      try await group.waitForAll()
    }
    #expect(try await makeStore(directory).document("c/first").getDocument().fields?["n"] == 16)
  }
}
