import Foundation
import TenonSQLite
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore

/// The size of the write-ahead log.
@Suite(.limited) struct LogSizeTests {
  private static func logSize(of directory: TestDirectory) -> Int? {
    (try? Data(contentsOf: URL(filePath: directory.file + "-wal")))?.count
  }

  @Test func aSmallDatabaseHasASmallLogWhileItIsOpen() async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory)
    for round in 0..<150 {
      let batch = store.batch()
      for number in 0..<7 {
        try batch.setData(["round": round, "text": "t\(round)"], forDocument: store.document("c/d\(number)"))
      }
      try await batch.commit()
    }
    let size = try #require(Self.logSize(of: directory))
    #expect(size < 1_200_000, "1 MiB and a transaction, not the 16 MiB that a large database may have")
    await store.terminate()
  }

  @Test func theLogIsEmptiedOnceNothingIsWritten() async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory, logIdleTime: .milliseconds(20))
    for number in 0..<20 { try await store.document("c/d\(number)").setData(["n": 1]) }
    try await eventually({ Self.logSize(of: directory) }, satisfies: { $0 == 0 })
    #expect(try await store.collection("c").count.getAggregation().count == 20)
    // The log is also truncated after later writes.
    try await store.document("c/e").setData(["n": 1])
    try await eventually({ Self.logSize(of: directory) }, satisfies: { $0 == 0 })
    await store.terminate()
  }

  @Test func theLogIsEmptiedOnceNoConnectionReadsFromIt() async throws {
    let directory = try TestDirectory()
    let time = TestTime()
    let store = makeStore(directory, buildsIndexes: false, logIdleTime: .seconds(7), time: time)
    try await store.document("c/d").setData(["n": 1])
    let reader = try openDatabase(directory.file)
    try reader.execute("BEGIN; SELECT count(*) FROM documents")
    try await store.document("c/e").setData(["n": 1])
    var idleTimes = time.waits.filter { $0 == 7 }.makeAsyncIterator()
    _ = await idleTimes.next()
    for _ in 0..<2 {
      time.advance(by: 7)
      // Another period begins.
      _ = await idleTimes.next()
      #expect(Self.logSize(of: directory) ?? 0 > 0)
    }
    try reader.execute("COMMIT")
    time.advance(by: 7)
    try await eventually({ Self.logSize(of: directory) }, satisfies: { $0 == 0 })
    await store.terminate()
  }

  @Test func closingLeavesNoLog() async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory)
    var snapshots = store.collection("c").snapshots.makeAsyncIterator()
    for number in 0..<20 { try await store.document("c/d\(number)").setData(["n": 1]) }
    #expect(try await snapshots.next()?.count == 20)
    #expect(Self.logSize(of: directory) ?? 0 > 0)
    await store.terminate()
    #expect(Self.logSize(of: directory) == nil)
    let again = makeStore(directory)
    #expect(try await again.collection("c").count.getAggregation().count == 20)
    await again.terminate()
  }

  @Test func closingEmptiesTheLogThatAnotherConnectionKeepsOpen() async throws {
    let directory = try TestDirectory()
    // Many entries make the log long.
    let settings = StoreSettings(fieldIndexing: .everyField)
    let other = makeStore(directory, settings: settings)
    #expect(try await other.collection("c").count.getAggregation().count == 0)
    let store = makeStore(directory, settings: settings)
    // A large transaction, of which seven documents remain.
    let batch = store.batch()
    let text = String(repeating: "a", count: 1_000)
    for number in 0..<5_000 { try batch.setData(["text": text], forDocument: store.document("c/d\(number)")) }
    try await batch.commit()
    for number in 0..<7 { try await store.document("few/d\(number)").setData(["n": number]) }
    try await store.deleteCollection("c")
    #expect(Self.logSize(of: directory) ?? 0 > 4 << 20)
    await store.terminate()
    #expect(Self.logSize(of: directory) == 0)
    #expect(try await other.collection("few").count.getAggregation().count == 7)
    try await other.document("few/e").setData(["n": 7])
    await other.terminate()
    #expect(Self.logSize(of: directory) == nil)
  }
}
