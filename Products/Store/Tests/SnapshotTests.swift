import Foundation
import TenonCore
import TenonSQLite
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

@Suite(.limited) struct SnapshotTests {
  @Test func querySnapshotsReportChanges() async throws {
    let store = makeStore()
    let notes = store.collection("notes")
    try await notes.document("a").setData(["n": 1])
    var snapshots = notes.whereField("n", isGreaterThan: 0).order(by: "n").snapshots.makeAsyncIterator()
    #expect(try await snapshots.next()?.story == "added a")

    try await notes.document("b").setData(["n": 0.5])
    let second = try await snapshots.next()
    #expect(second?.story == "added b")
    #expect(second?.ids == ["b", "a"])

    try await notes.document("a").updateData(["n": 0.1])
    let third = try await snapshots.next()
    #expect(third?.story == "modified a")
    #expect(third?.documentChanges.first?.oldIndex == 1 && third?.documentChanges.first?.newIndex == 0)

    try await notes.document("b").updateData(["n": -1])
    #expect(try await snapshots.next()?.story == "removed b")
    // Changes outside of the query aren't delivered; the next matching one is.
    try await notes.document("c").setData(["n": -5])
    try await store.document("other/x").setData(["n": 5])
    try await notes.document("a").delete()
    let last = try await snapshots.next()
    #expect(last?.story == "removed a")
    #expect(last?.isEmpty == true)
  }

  @Test func aDocumentListenerReportsEachState() async throws {
    let store = makeStore()
    let document = store.document("c/d")
    var snapshots = document.snapshots.makeAsyncIterator()
    #expect(try await snapshots.next()?.exists == false)
    try await document.setData(["n": 1])
    #expect(try await snapshots.next()?.fields?["n"] == 1)
    try await store.document("c/other").setData(["n": 5])
    try await document.setData(["n": 1])
    try await document.delete()
    #expect(try await snapshots.next()?.exists == false)
  }

  @Test func aLimitedResultIsRefilled() async throws {
    let store = makeStore()
    let notes = store.collection("notes")
    for number in 1...4 { try await notes.document("d\(number)").setData(["n": number]) }
    var snapshots = notes.order(by: "n").limit(to: 2).snapshots.makeAsyncIterator()
    #expect(try await snapshots.next()?.ids == ["d1", "d2"])
    try await notes.document("d1").delete()
    #expect(try await snapshots.next()?.ids == ["d2", "d3"])
    try await notes.document("d2").updateData(["n": 9])
    #expect(try await snapshots.next()?.ids == ["d3", "d4"])
    try await notes.document("d0").setData(["n": 0])
    let last = try await snapshots.next()
    #expect(last?.ids == ["d0", "d3"])
    #expect(last?.story == "removed d4, added d0")
  }

  @Test func aSlowReaderReceivesTheNewestStateWithAllChanges() async throws {
    let store = makeStore()
    let notes = store.collection("notes")
    var snapshots = notes.snapshots.makeAsyncIterator()
    #expect(try await snapshots.next()?.isEmpty == true)
    for number in 0..<50 { try await notes.document("a").setData(["n": number]) }
    try await notes.document("b").setData(["n": 1])
    let next = try await snapshots.next()
    #expect(next?.story == "added a, added b")
    #expect(next?.documents.first?.fields["n"] == 49)
  }

  @Test func aBatchIsOneSnapshot() async throws {
    let store = makeStore()
    let notes = store.collection("notes")
    var snapshots = notes.snapshots.makeAsyncIterator()
    _ = try await snapshots.next()
    let batch = store.batch()
    for number in 0..<10 { try batch.setData(["n": number], forDocument: notes.document("d\(number)")) }
    try await batch.commit()
    #expect(try await snapshots.next()?.documentChanges.count == 10)
  }

  @Test func listeningEndsWhenTheReaderEnds() async throws {
    let store = makeStore()
    let notes = store.collection("notes")
    do {
      var dropped = notes.snapshots.makeAsyncIterator()
      _ = try await dropped.next()
      #expect(await store.engine.listenerCount == 1)
    }
    try await eventually { await !store.engine.isListened }

    let (started, startedNow) = AsyncStream<Void>.makeStream()
    let task = Task {
      for try await _ in notes.snapshots { startedNow.yield() }
      return "ended"
    }
    for await _ in started { break }
    task.cancel()
    #expect(try await task.value == "ended")
    try await eventually { await !store.engine.isListened }
  }

  @Test func closingEndsEveryListener() async throws {
    let store = makeStore()
    let task = Task {
      var count = 0
      for try await _ in store.collection("c").snapshots { count += 1 }
      return count
    }
    try await eventually { await store.engine.isListened }
    await store.engine.close()
    #expect(try await task.value <= 1)
    let thrown = await #expect(throws: StoreError.self) { try await store.collection("c").getDocuments() }
    #expect(thrown?.code == .closed)
  }

  @Test func aStoreSeesWritesOfAnotherInTheSameDirectory() async throws {
    let directory = try TestDirectory()
    let (reader, writer) = (makeStore(directory), makeStore(directory))
    var snapshots = reader.collection("notes").snapshots.makeAsyncIterator()
    #expect(try await snapshots.next()?.isEmpty == true)
    try await writer.document("notes/a").setData(["n": 1])
    #expect(try await snapshots.next()?.story == "added a")
    try await reader.document("notes/b").setData(["n": 2])
    #expect(try await snapshots.next()?.story == "added b")
    try await writer.document("notes/a").delete()
    #expect(try await snapshots.next()?.story == "removed a")
  }

  @Test func aListenerThatIsFarBehindReadsItsQueryAgain() async throws {
    let directory = try TestDirectory()
    let reader = makeStore(directory)
    try await reader.document("notes/a").setData(["n": 0])
    var snapshots = reader.collection("notes").snapshots.makeAsyncIterator()
    _ = try await snapshots.next()
    // More changes than the change log keeps, while the reader is blocked.
    let file = directory.file
    try await reader.engine.use { _ in
      let connection = try openDatabase(file)
      let writer = try LocalDatabase(connection, sharing: .localOnly, now: Timestamp(seconds: 1))
      func write(_ writes: [DocumentWrite]) throws {
        _ = try writer.commit(writes, at: Timestamp(seconds: 1), if: { true })
      }
      func path(_ id: String) -> ResourcePath { ResourcePath(segments: ["notes", id]) }
      try write([DocumentWrite(path("a"), .delete), DocumentWrite(path("b"), .set(["n": 1]))])
      for round in 0...ChangeLog.kept / 500 {
        try write((0..<500).map { DocumentWrite(path("c\($0)"), .set(["n": .integer(round)])) })
      }
      #expect(try connection.first("SELECT min(first) FROM changes") { $0.integer(0) } ?? 0 > 3)
      try write((0..<500).map { DocumentWrite(path("c\($0)"), .delete) })
    }
    #expect(try await snapshots.next()?.story == "removed a, added b")
  }

  @Test func manyListenersAndWritersRunConcurrently() async throws {
    let directory = try TestDirectory()
    let stores = [makeStore(directory), makeStore(directory)]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for store in stores {
        for listener in 0..<10 {
          group.addTask {
            let writer = listener % 4
            var count = 0
            for try await snapshot in store.collection("c").whereField("writer", isEqualTo: writer).snapshots
            {
              #expect(snapshot.count >= count, "nothing is deleted")
              count = snapshot.count
              guard count >= 10 else { continue }
              #expect(snapshot.documents.map(\.documentID) == (0..<10).map { "w\(writer)-\($0)" })
              break
            }
            #expect(count == 10, "the stream has ended")
          }
        }
      }
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<10 {
            try await stores[writer % 2].document("c/w\(writer)-\(number)").setData(["writer": writer])
          }
        }
      }
      try await group.waitForAll()
    }
    for store in stores { #expect(try await store.collection("c").count.getAggregation().count == 40) }
  }
}
