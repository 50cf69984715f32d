import Foundation
import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStoreEngine
@testable import store_spec

/// Devices and a server under random orders of events, with disks that fail, processes that are killed and
/// clocks that jump.
///
/// `TENON_SIMULATIONS` sets how many schedules are run, and `TENON_SEED` the first seed (see `TestSeeds`).
@Suite(.limited) struct SimulationTests {
  /// Schedules that are run one after another, by their seeds.
  private static let groups: [Range<UInt64>] = {
    let end = TestSeeds.first + UInt64(TestSeeds.count("TENON_SIMULATIONS", DeepTests.count(8, deep: 40)))
    return stride(from: TestSeeds.first, to: end, by: 4).map { $0..<min($0 + 4, end) }
  }()

  private static func path(_ collection: String, _ id: Int) -> ResourcePath {
    ResourcePath(segments: [collection, "d\(id)"])
  }

  private static func queries() throws -> [ListenQuery] {
    func query(
      _ collection: String, _ filter: QueryFilter? = nil, _ orders: [QueryOrder] = [],
      limit: Int? = nil,
      last: Bool = false
    ) throws -> ListenQuery {
      ListenQuery(
        try RunnableQuery(
          StructuredQuery(
            parent: ResourcePath(segments: []), collectionID: collection, filter: filter,
            orders: orders,
            limit: limit), isLimitedToLast: last))
    }
    let byN = [QueryOrder(field: "n")]
    return [
      try query("c"), try query("c", .field("n", .greaterThan, 4)),
      try query("c", nil, byN, limit: 3),
      try query("c", nil, byN, limit: 3, last: true),
      try query("c", .field("n", .lessThan, 7), byN, limit: 1),
      try query("counters"), ListenQuery(path("c", 1)), ListenQuery(path("c", 99)),
    ]
  }

  @Test(arguments: groups)
  func devicesConvergeToTheServerAndEachWriteIsAppliedOnce(seeds: Range<UInt64>) throws {
    for seed in seeds {
      do { try simulate(seed) } catch { Issue.record(error, "seed \(seed)") }
      SimulationRate.note()
    }
  }

  /// In the first, FTS5 took the totals of a text index for zero after reading them had failed; in the second, a
  /// transaction went on that SQLite had rolled back.
  @Test(arguments: [1_795_988_695_086, 1_795_988_690_224] as [UInt64])
  func schedulesThatHaveFoundDefectsPass(seed: UInt64) throws { try simulate(seed) }

  /// Runs one schedule. The database of a device may fail; then what was asked wasn't done, with one
  /// exception: when SQLite can't make a commit durable, what it has written of it stays in the log until the
  /// next transaction overwrites it. If the process is killed before, recovery finds the commit, and the
  /// write that failed is made after all.
  private func simulate(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    @discardableResult func unlessTheDiskFails<Result>(_ body: () throws -> Result) throws -> Result? {
      do { return try body() } catch let error as SQLiteError
        where [.io, .full, .busy, .cannotOpen].contains(error.code)
      { return nil }
    }
    let server = SimulatedServer()
    let devices = try (0..<3).map { _ in try SimulatedDevice(server) }
    let queries = try Self.queries()
    var increments = 0
    // The devices whose last write was an increment that failed, and how many of these a kill may have
    // brought back.
    var failedLast: Set<ObjectIdentifier> = []
    var maybeBack = 0
    for _ in 0..<400 {
      let device = devices.randomElement(using: &random)!
      // What is indexed has no influence on anything else.
      if Int.random(in: 0..<20, using: &random) == 0 {
        try unlessTheDiskFails { try device.setIndexing(Int.random(in: 0..<24, using: &random)) }
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        try unlessTheDiskFails { try device.buildIndexes(limit: 2) }
      }
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<12:
        let target = Self.path("c", Int.random(in: 0..<6, using: &random))
        let number = Int.random(in: 0..<10, using: &random)
        let fields: Fields = ["n": Value(number), "t": .string("word\(number) tea")]
        let write =
          switch Int.random(in: 0..<4, using: &random) {
          case 0: DocumentWrite(target, .delete)
          case 1:
            DocumentWrite(target, .update(fields, mask: ["n", "t"]), precondition: .exists(true))
          default: DocumentWrite(target, .set(fields))
          }
        if try unlessTheDiskFails({ try device.write([write]) }) == true {
          failedLast.remove(ObjectIdentifier(device))
        }
      case 12..<18:
        let counter = Self.path("counters", Int.random(in: 0..<2, using: &random))
        let increment = FieldTransform("count", .increment(1))
        let isMade = try unlessTheDiskFails {
          try device.write([
            DocumentWrite(counter, .update(Fields(), mask: []), transforms: [increment])
          ])
        }
        if isMade == true {
          increments += 1
          failedLast.remove(ObjectIdentifier(device))
        } else {
          failedLast.insert(ObjectIdentifier(device))
        }
      case 18..<24: device.listen(queries.randomElement(using: &random)!)
      case 24..<28:
        let query = queries.randomElement(using: &random)!
        try unlessTheDiskFails { try device.unlisten(query) }
      case 28..<30: try device.dropListen()
      case 30..<32: try device.dropWrite()
      case 32..<36:
        if let timer = device.timers.waiting.sorted(by: { "\($0)" < "\($1)" }).randomElement(
          using: &random)
        {
          device.timers.run(timer)
        }
      case 36..<38:
        if Bool.random(using: &random) {
          device.sync.remote?.disableNetwork()
        } else {
          device.sync.remote?.enableNetwork()
        }
      case 38: server.documents.forgetChanges()
      case 39: device.changeUser(to: [nil, "ann", "bob"].randomElement(using: &random)!)
      case 40: try unlessTheDiskFails { _ = try device.local.collectGarbage(over: 0, percent: 50) }
      case 41:
        let isKilled = Bool.random(using: &random)
        if failedLast.remove(ObjectIdentifier(device)) != nil, isKilled { maybeBack += 1 }
        try device.restart(isKilled: isKilled)
      case 42: device.storage.fail(using: &random)
      case 43: device.jump(bySeconds: Int64.random(in: -100_000_000...100_000_000, using: &random))
      default:
        let step = SimulatedDevice.Step.allCases.randomElement(using: &random)!
        try unlessTheDiskFails { _ = try device.run(step) }
      }
    }
    // The queue of each user is sent, and everybody is told.
    for device in devices {
      for user in [nil, "ann", "bob"] {
        device.storage.heal()
        device.changeUser(to: user)
        try device.settle()
      }
    }
    for device in devices { try device.settle() }

    var counted = 0
    try server.documents.forEachMatch(of: #require(queries[5].order)) { document in
      counted += Int(document.fields?["count"]?.int64Value ?? 0)
    }
    #expect((increments...increments + maybeBack).contains(counted), "seed \(seed)")
    for (index, device) in devices.enumerated() {
      #expect(
        device.settled.values.allSatisfy { $0 == 1 }, "seed \(seed), a write is answered once")
      for (query, held) in device.held where device.listeners[query] != nil {
        let there = try Self.documents(of: query, in: server)
        #expect(held == there, "seed \(seed), device \(index), \(query.target.listenContent)")
        #expect(
          device.isFromCache[query] == false,
          "seed \(seed), device \(index), \(query.target.listenContent)")
      }
      try checkSearches(device, "seed \(seed), device \(index)")
    }
  }

  /// Searches find what the documents of the device contain.
  private func checkSearches(_ device: SimulatedDevice, _ comment: String) throws {
    while try device.buildIndexes(limit: 100) {}
    let all = try #require(try Self.queries()[0].order)
    let documents = try device.local.reader.documents(of: all)
    for word in (0..<10).map({ "word\($0)" }) + ["tea"] {
      let found = try device.search(word, among: all)
      let expected = documents.filter {
        $0.fields["t"]?.stringValue?.split(separator: " ").contains(Substring(word)) ?? false
      }
      #expect(
        found.map { Set($0) } ?? Set(expected.map(\.path)) == Set(expected.map(\.path)), "\(comment), \(word)"
      )
    }
  }

  private static func documents(
    of query: ListenQuery, in server: SimulatedServer
  ) throws -> [ResourcePath: Fields] {
    if let path = query.target.document {
      return server.documents.document(path)?.fields.map { [path: $0] } ?? [:]
    }
    let order = try #require(query.order)
    var documents: [(key: ResolvedQuery.SortKey, path: ResourcePath, fields: Fields)] = []
    server.documents.forEachMatch(of: order) { document in
      guard let fields = document.fields else { return }
      documents.append((order.sortKey(fields, at: document.path), document.path, fields))
    }
    documents.sort { order.compare($0.key, $1.key) < 0 }
    let limit = order.query.limit ?? .max
    let kept = query.isLimitedToLast ? documents.suffix(limit) : documents.prefix(limit)
    return Dictionary(uniqueKeysWithValues: kept.map { ($0.path, $0.fields) })
  }

  /// No unexpected message of a server traps or stops the client.
  @Test(arguments: groups) func theClientSurvivesAnyServerMessages(seeds: Range<UInt64>) throws {
    for seed in seeds {
      do { try surprise(seed) } catch { Issue.record(error, "seed \(seed)") }
    }
  }

  private func surprise(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed &+ 1_000_000)
    let server = SimulatedServer()
    let device = try SimulatedDevice(server)
    let queries = try Self.queries()
    for step in 0..<300 {
      if step.isMultiple(of: 20) { device.listen(queries.randomElement(using: &random)!) }
      if step.isMultiple(of: 30) {
        try device.write([DocumentWrite(Self.path("c", step % 5), .set(["n": .init(step)]))])
      }
      _ = try device.run(SimulatedDevice.Step.allCases.randomElement(using: &random)!)
      let targets = [-2, 0, 1, 2, 3, 4, 6, 8, 99].shuffled(using: &random).prefix(2)
      // Earlier than the server's commits: a later time would make the client ignore them, because read times
      // never decrease.
      let time = Timestamp(microsecondsSince1970: .random(in: -5..<900_000, using: &random))
      let document = RemoteDocument(
        path: Self.path("c", .random(in: 0..<6, using: &random)),
        fields: Bool.random(using: &random)
          ? ["n": .init(Int.random(in: 0..<10, using: &random))] : nil,
        updateTime: time)
      switch Int.random(in: 0..<12, using: &random) {
      case 0: try device.receive(.document(document, added: Array(targets), removed: []))
      case 1: try device.receive(.document(document, added: [], removed: Array(targets)))
      case 2: try device.receive(.removed(document.path, from: Array(targets)))
      case 3:
        try device.receive(.target(TargetChange(.added, targets: Array(targets), token: Data([1]))))
      case 4:
        try device.receive(
          .target(TargetChange(.current, targets: Array(targets), token: Data([2]))))
      case 5: try device.receive(.target(TargetChange(.reset, targets: Array(targets))))
      case 6: try device.receive(.target(TargetChange(.removed(nil), targets: Array(targets))))
      case 7: try device.receive(.target(TargetChange(.noChange, readTime: time)))
      case 8:
        let names = BloomFilterBits(
          bitmap: Data([UInt8.random(in: 0...255, using: &random)]),
          padding: .random(in: -1...9, using: &random),
          hashCount: .random(in: -1...20, using: &random), prefix: "x/")
        try device.receive(
          .existenceFilter(
            ExistenceFilter(
              target: targets[0], count: .random(in: -1..<4, using: &random), names: names)))
      case 9:
        try device.receive(.committed(RemoteCommit(time: time, results: []), token: Data([3])))
      case 10: try device.receive(.opened(token: nil))
      default: try device.receive(.target(TargetChange(.removed(nil), targets: [])))
      }
    }
    // A server that is in its senses again is believed again.
    try device.restart(isKilled: false)
    let query = queries[0]
    device.listen(query)
    try device.settle()
    #expect(device.isFromCache[query] == false, "seed \(seed)")
  }
}

/// The number of schedules per second, printed if there are many.
private enum SimulationRate {
  private static let count = Lock(0)
  private static let start = ContinuousClock.now

  static func note() {
    let beginning = start
    let done = count.withLock { count in
      count += 1
      return count
    }
    guard done.isMultiple(of: 1_000) else { return }
    let seconds = (ContinuousClock.now - beginning) / .seconds(1)
    print("\(done) schedules, \(Int(Double(done) / seconds)) per second")
  }
}
