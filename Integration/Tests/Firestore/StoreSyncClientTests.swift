import Foundation
import TenonCore
import TenonProcesses
import TenonStore
import TenonStoreSync
import TenonTestSupport
import Testing

/// Several clients and databases on Google's emulator: colliding transactions, collection groups, and writes
/// that are applied exactly once.
@Suite(.limited, .deep, .firestoreEmulator)
struct StoreSyncClientTests {
  private let project = "clients-\(UUID().uuidString.lowercased())"

  /// Returns the port of the emulator.
  private func port() async throws -> UInt16 {
    try #require(try await FirestoreEmulator.shared().origin.port.flatMap(UInt16.init(exactly:)))
  }

  /// Returns an app that uses the emulator on a port.
  ///
  /// Its writes have records: without them, an increment counts twice if a busy machine delays the response
  /// beyond the timeout.
  private func app(_ port: UInt16) throws -> App {
    let app = try App.configure(
      name: "client-\(UUID())",
      options: AppOptions(
        projectID: project, backend: .emulator(EmulatorHosts(firestore: "127.0.0.1:\(port)")), data: .memory),
      libraries: [StoreLibrary.self, StoreSyncLibrary.self])
    try StoreSync.storeSync(app: app).settings.recordsWrites = true
    return app
  }

  /// Waits until a query has a result that the server has confirmed, and returns the paths of its documents.
  private func paths(
    of query: some Queryable, until condition: (QuerySnapshot) -> Bool
  ) async throws -> [String] {
    for try await snapshot in query.query.snapshots
    where !snapshot.metadata.isFromCache && !snapshot.metadata.hasPendingWrites && condition(snapshot) {
      return snapshot.documents.map(\.reference.path)
    }
    return []
  }

  @Test func transactionsOfSeveralProcessesThatCollideLoseNothing() async throws {
    let port = try await port()
    let input = (0..<3).map { _ in Pipe.exclusive }
    let processes = try input.map { input in
      try Executable("store-writer").start(["transact", "127.0.0.1:\(port)", project, "20"], input: input)
    }
    defer { for process in processes { process.signal(SIGKILL) } }
    for process in processes { #expect(await process.output { $0.contains("ready") } != nil) }
    for input in input { try input.fileHandleForWriting.close() }
    var (attempts, refused) = (0, 0)
    for process in processes {
      let result = await process.result()
      #expect(result.status == 0, "\(result.errors)")
      // attempts NUMBER refused NUMBER
      let numbers = try #require(result.lines.last).split(separator: " ").compactMap { Int($0) }
      try #require(numbers.count == 2)
      attempts += numbers[0]
      refused += numbers[1]
    }
    #expect(attempts > 60, "The processes haven't collided.")
    let app = try app(port)
    let count = try await Store.store(app: app).document("counters/shared").getDocument(source: .server)
      .fields?["count"]
    #expect(count == Value(60 - refused))
    await app.delete()
  }

  @Test func collectionGroupsContainDocumentsOfEveryParent() async throws {
    let (one, two) = (try app(try await port()), try app(try await port()))
    let (writer, reader) = (try Store.store(app: one), try Store.store(app: two))
    let group = reader.collectionGroup("landmarks").whereField("n", isGreaterThan: 0).order(by: "n")
    let inside = ["landmarks/a", "cities/ulm/landmarks/b", "cities/ulm/parks/c/landmarks/d"]
    let outside = ["cities/ulm", "cities/ulm/landmarks2/e", "landmarks/a/notes/f"]
    for (index, path) in (inside + outside).enumerated() {
      try await writer.document(path).setData(["n": Value(index + 1)]).confirmed()
    }
    try await writer.document("cities/bonn/landmarks/zero").setData(["n": 0]).confirmed()
    #expect(try await paths(of: group) { $0.count >= 3 } == inside)
    #expect(try await group.getDocuments(source: .server).documents.map(\.reference.path) == inside)
    #expect(try await group.count.getAggregation(source: .server).count == 3)

    // A listener sees documents enter and leave the group's result.
    async let entered = paths(of: group) { $0.documents.contains { $0.documentID == "g" } }
    try await writer.document("cities/bonn/landmarks/g").setData(["n": 9]).confirmed()
    #expect(try await entered == inside + ["cities/bonn/landmarks/g"])
    try await writer.document("landmarks/a").updateData(["n": 0]).confirmed()
    let left = try await paths(of: group) { snapshot in
      snapshot.count == 3 && !snapshot.documents.contains { $0.documentID == "a" }
    }
    #expect(left == inside.dropFirst() + ["cities/bonn/landmarks/g"])
    await one.delete()
    await two.delete()
  }

  @Test func databasesOfAnAppAreSeparateAndSyncedAtTheSameTime() async throws {
    let (one, two) = (try app(try await port()), try app(try await port()))
    let names = [Store.defaultDatabase, "second", "third-database"]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for name in names {
        let (writer, reader) = (
          try Store.store(app: one, database: name), try Store.store(app: two, database: name)
        )
        group.addTask {
          var seen = reader.document("notes/tea").snapshots.makeAsyncIterator()
          for number in 0..<5 {
            // The same document in each database, with other content.
            try await writer.document("notes/tea").setData(["in": .string(name), "n": Value(number)])
            try await writer.document("notes/sum").setData(["n": .increment(1)], merge: true).confirmed()
            while let snapshot = try await seen.next() {
              #expect(!snapshot.exists || snapshot.fields?["in"] == .string(name))
              if snapshot.fields?["n"] == Value(number), !snapshot.metadata.isFromCache { break }
            }
          }
          let sum = try await reader.document("notes/sum").getDocument(source: .server).fields?["n"]
          #expect(sum == 5)
          if name == "second" {
            try await writer.document("notes/tea").delete().confirmed()
          }
        }
      }
      try await group.waitForAll()
    }
    for name in names {
      let tea = try Store.store(app: two, database: name).document("notes/tea")
      let found = try await tea.getDocument(source: .server)
      #expect(found.exists == (name != "second"))
      #expect(found.fields?["in"] == (name == "second" ? nil : .string(name)))
    }
    await one.delete()
    await two.delete()
  }

  /// Each of several devices makes three increments. The response to its first commit is cut at a different
  /// byte.
  @Test func withRecordsIncrementsAreAppliedOnceWhereverTheResponseIsCut() async throws {
    let emulator = try await port()
    // A response has about 500 bytes, with the head.
    let places = Array(stride(from: 0, to: 560, by: 40))
    let cuts = places.map { ("counters/n\($0)\"", $0) }
    let proxy = try CuttingProxy(to: emulator, cuts: Dictionary(uniqueKeysWithValues: cuts))
    defer { proxy.stop() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for place in places {
        let app = try app(proxy.port)
        group.addTask {
          let store = try Store.store(app: app)
          let counter = store.document("counters/n\(place)")
          var writes: [WriteConfirmation] = []
          for _ in 0..<3 {
            writes.append(try await counter.setData(["n": .increment(1)], merge: true))
          }
          for write in writes { try await write.confirmed() }
          #expect(try await counter.getDocument(source: .server).fields?["n"] == 3, "\(place)")
          await app.delete()
        }
      }
      try await group.waitForAll()
    }
    #expect(proxy.remaining == 0)
  }
}
