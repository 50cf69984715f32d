import CBenchStatements
import CMalloc
import Foundation
import TenonCore
import TenonStore

/// The benchmarks of Store: a store with many notes, and contenders that store the same notes.
struct StoreBench {
  private let directory: URL
  private let documents: Int
  private let comparison: Comparison
  private let app: App
  private let notes: CollectionReference
  private let settings: StoreSettings
  private let keepers: [(name: String, keeper: any NoteKeeper)]
  /// The time in nanoseconds in which each keeper was filled, by its name.
  private var importTimes: [String: Double] = [:]
  /// The same for the time of the processor.
  private var importProcessorTimes: [String: Double] = [:]

  /// Creates the databases and fills them.
  ///
  /// - Parameters:
  ///   - directory: the folder for the databases.
  ///   - documents: the number of notes in each.
  ///   - isEncrypted: whether the files of the store are encrypted. It is then compared with one whose files
  ///     aren't.
  ///   - isAlone: whether there are no contenders.
  ///   - comparison: takes the measurements.
  init(
    _ directory: URL, documents: Int, isEncrypted: Bool, isAlone: Bool, _ comparison: Comparison
  ) async throws {
    bench_count_statements()
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    self.directory = directory
    self.documents = documents
    self.comparison = comparison
    app = try Self.configure(directory)
    settings = StoreSettings(
      isLocalOnly: true, encryption: isEncrypted ? .key { try EncryptionKey(0..<32) } : nil)
    notes = try Store.store(app: app, settings: settings).collection("notes")
    func path(_ name: String) -> String { directory.appending(path: "\(name).sqlite").path }
    var stores: [(String, any NoteKeeper)] = [("store", StoreNotes(collection: notes))]
    if isEncrypted {
      let clear = try Store.store(app: app, database: "clear", settings: StoreSettings(isLocalOnly: true))
      stores.append(("store-in-clear", StoreNotes(collection: clear.collection("notes"))))
    }
    keepers =
      isAlone
      ? stores
      : stores + [
        ("sqlite", try HandWritten(path("plain"), indexes: .rank)),
        ("sqlite-in-an-actor", try HandWrittenInAnActor(path("actor"), indexes: .rank)),
        ("sqlite-all-indexed", try HandWrittenInAnActor(path("indexed"), indexes: .everyField)),
        ("grdb", try GRDBNotes(path("grdb"), indexes: .rank)),
        ("grdb-all-indexed", try GRDBNotes(path("grdb-indexed"), indexes: .everyField)),
      ]
    try await fill()
  }

  /// Writes all notes in batches. Keepers take turns. The time of Store includes that of the index which its
  /// queries need.
  private mutating func fill() async throws {
    func time(_ name: String, _ operation: () async throws -> Void) async rethrows {
      let (start, processor) = (ContinuousClock.now, ProcessorTime.now)
      try await operation()
      importTimes[name, default: 0] += (ContinuousClock.now - start) / .nanoseconds(1)
      importProcessorTimes[name, default: 0] += ProcessorTime.now - processor
    }
    // The queries of an app are known before its documents are.
    for (name, keeper) in keepers { try await time(name) { _ = try await keeper.page(from: 0, count: 1) } }
    for start in stride(from: 0, to: documents, by: 500) {
      let notes = (start..<min(start + 500, documents)).map { Note($0) }
      for (name, keeper) in keepers {
        try await time(name) { try await keeper.write(notes) }
      }
    }
    for (name, keeper) in keepers {
      guard let store = (keeper as? StoreNotes)?.collection.store else { continue }
      try await time(name) {
        _ = try await keeper.page(from: 0, count: 1)
        try await store.buildIndexes()
      }
    }
  }

  /// Configures an app whose data is in a folder.
  private static func configure(_ directory: URL) throws -> App {
    try App.configure(
      name: "bench-\(directory.lastPathComponent)",
      options: AppOptions(projectID: "demo-bench", data: .directory(directory.path)))
  }

  /// Takes the measurements whose names begin with a prefix. The store is closed afterwards.
  func measure(only prefix: String) async throws -> [Measurement] {
    var measurements: [Measurement] = []
    var all: [(name: String, measure: () async throws -> Measurement)] = [
      ("import", imports), ("disk", bytesOnDisk), ("write-one", { try await times(singleWrites) }),
      ("write-batch", { try await times(batches) }), ("update", { try await times(updates) }),
      ("read", pointReads), ("page", pages), ("count", counts), ("sum", sums),
      ("sum-of-another-field", sumsOfAnotherField),
    ]
    for listeners in [1, 100, 1_000] {
      all.append(("delivery-to-\(listeners)", { try await delivery(to: listeners) }))
    }
    for size in [1_000, 50_000] where size < documents { all += listening(to: size) }
    all.append(("memory", memory))
    // More would take minutes, and show no more.
    let articles = min(documents, 100_000)
    var search: SearchBench?
    func searching() async throws -> SearchBench {
      if let search { return search }
      let new = try await SearchBench(app, directory, documents: articles, comparison)
      search = new
      return new
    }
    all.append(("search", { try await searching().searches() }))
    all.append(("search-insert", { try await searching().inserts() }))
    for size in [1, 500] { all.append(("queued-\(size)", { try await queuedWrites(of: size) })) }
    for what in [singleWrites, batches, updates] {
      all.append(("written-\(what.name)", { try await bytes(what) }))
    }
    // From here on there are more notes.
    for size in [1, 500] {
      let what = inserts(of: size)
      all += [(what.name, { try await times(what) }), ("written-\(what.name)", { try await bytes(what) })]
    }
    all.append(("deletion-searchable", { try await searching().deletion() }))
    all += [("start", start), ("deletion", deletion)]
    for (name, measure) in all where name.hasPrefix(prefix) {
      // Large databases take minutes. The name shows which measurement is slow or hangs.
      FileHandle.standardError.write(Data("measuring \(self.name(name))\n".utf8))
      var measurement = try await measure()
      if measurement.limits.isEmpty { measurement.limits = Self.limits }
      measurements.append(measurement)
    }
    return measurements
  }

  /// The largest ratios that the design allows.
  private static let limits = ["sqlite-in-an-actor": 1.2, "grdb": 1]

  private func name(_ what: String) -> String { "\(what)-of-\(documents)" }

  // MARK: - Notes

  /// Returns one contender per storage. All perform the same operations, on the same sequence of scattered
  /// numbers.
  private func contenders(
    below bound: Int, _ run: @escaping (any NoteKeeper, _ count: Int, inout Numbers) async throws -> Void
  ) -> [WaitingContender] {
    keepers.map { name, keeper in
      var numbers = Numbers(below: bound)
      return WaitingContender(name: name) { count in try await run(keeper, count, &numbers) }
    }
  }

  /// Compares the times in which the databases were filled.
  private func imports() -> Measurement {
    let times = importTimes.mapValues { $0 / Double(documents) }
    let own = times["store"] ?? 0
    var measurement = Measurement(
      name: name("import"), nanoseconds: own,
      ratios: times.filter { $0.key != "store" }.mapValues { own / $0 })
    let loads = importProcessorTimes.mapValues { $0 / Double(documents) }
    measurement.details = [
      Measurement.Detail(
        unit: "ns of the processor", value: loads["store"] ?? 0, others: loads.filter { $0.key != "store" })
    ]
    return measurement
  }

  /// Compares the sizes of the databases and of their logs.
  private func bytesOnDisk() throws -> Measurement {
    func size(of file: String) -> Double {
      ["", "-wal"].reduce(0) { sum, suffix in
        let attributes = try? FileManager.default.attributesOfItem(atPath: file + suffix)
        return sum + ((attributes?[.size] as? NSNumber)?.doubleValue ?? 0)
      }
    }
    let enumerator = FileManager.default.enumerator(atPath: directory.path)
    let names = (enumerator?.allObjects as? [String] ?? []).filter { $0.hasSuffix(".sqlite") }
    func size(ofAll names: [String]) -> Double {
      names.reduce(0) { $0 + size(of: "\(directory.path)/\($1)") }
    }
    let clear = names.filter { $0.contains("/") && $0.hasSuffix("db-clear.sqlite") }
    let own = size(ofAll: names.filter { $0.contains("/") && !clear.contains($0) })
    let files = [
      "sqlite": "plain", "sqlite-in-an-actor": "actor", "sqlite-all-indexed": "indexed", "grdb": "grdb",
      "grdb-all-indexed": "grdb-indexed",
    ]
    var ratios = files.mapValues { own / max(1, size(of: "\(directory.path)/\($0).sqlite")) }
    if !clear.isEmpty { ratios["store-in-clear"] = own / max(1, size(ofAll: clear)) }
    return Measurement(name: name("disk"), nanoseconds: 0, ratios: ratios, bytes: own)
  }

  /// What a measurement of writes compares.
  private struct Writes {
    let name: String
    /// The number of notes that one operation writes.
    var size = 1
    let contenders: [WaitingContender]
  }

  /// Measures the times of writes.
  private func times(_ writes: Writes) async throws -> Measurement {
    try await compared(writes.name, per: writes.size, writes.contenders)
  }

  /// Compares the times of operations, and counts the statements and the pages that they write.
  private func compared(
    _ what: String, per size: Int = 1, _ contenders: [WaitingContender]
  ) async throws -> Measurement {
    var measurement = try await comparison(name(what), per: size, contenders)
    // For a tenth of a second, if an operation concerns one note.
    let count = size == 1 ? min(max(Int(100_000_000 / max(measurement.nanoseconds, 1)), 4), 200) : 4
    var found: [(name: String, statements: Double, pages: Double)] = []
    for contender in contenders {
      let before = (statements: Double(bench_statements()), bytes: try WrittenBytes.total())
      try await contender.run(count)
      let (statements, bytes) = (
        Double(bench_statements()) - before.statements, try WrittenBytes.total() - before.bytes
      )
      let items = Double(count * size)
      found.append((contender.name, statements / items, bytes / 4096 / items))
    }
    func detail(_ unit: String, _ value: KeyPath<(name: String, statements: Double, pages: Double), Double>) {
      let others = found.dropFirst().map { ($0.name, $0[keyPath: value]) }
      measurement.details.append(
        Measurement.Detail(
          unit: unit, value: found[0][keyPath: value], others: Dictionary(uniqueKeysWithValues: others)))
    }
    detail("statements", \.statements)
    // The pages of the log, and those that are moved from it into the file.
    if found.contains(where: { $0.pages > 0.001 }) { detail("written pages", \.pages) }
    return measurement
  }

  /// Counts the bytes that writes pass to the operating system for each note: the write-ahead log, and what
  /// is moved from it into the database.
  private func bytes(_ writes: Writes) async throws -> Measurement {
    var counts: [(name: String, bytes: Double)] = []
    for contender in writes.contenders {
      // As many as fill the log more than once.
      let count = writes.size == 1 ? 2_000 : 40
      let before = try WrittenBytes.total()
      try await contender.run(count)
      counts.append((contender.name, (try WrittenBytes.total() - before) / Double(count * writes.size)))
    }
    let own = counts[0].bytes
    var measurement = Measurement(
      name: name("written-\(writes.name)"), nanoseconds: 0,
      ratios: Dictionary(uniqueKeysWithValues: counts.dropFirst().map { ($0.name, own / max(1, $0.bytes)) }),
      bytes: own)
    // A single synchronized write may write a page more than one by hand.
    measurement.limits = ["sqlite-in-an-actor": 1.43]
    return measurement
  }

  /// Notes that didn't exist before.
  private func inserts(of size: Int) -> Writes {
    let first = size == 1 ? 10_000_000 : 100_000_000
    return Writes(
      name: "insert-\(size)", size: size,
      contenders: keepers.map { name, keeper in
        var next = first
        return WaitingContender(name: name) { count in
          for _ in 0..<count {
            try await keeper.write((next..<next + size).map { Note($0) })
            next += size
          }
        }
      })
  }

  /// Measures the deletion of all notes once, compared with their import.
  private func deletion() async throws -> Measurement {
    await app.delete()
    let app = try Self.configure(directory)
    let store = try Store.store(app: app, settings: settings)
    let start = ContinuousClock.now
    let count = try await store.deleteCollection("notes")
    let time = (ContinuousClock.now - start) / .nanoseconds(1) / Double(max(1, count))
    await app.delete()
    return Measurement(
      name: name("deletion"), nanoseconds: time,
      ratios: importTimes["store"].map { ["import": time / ($0 / Double(documents))] } ?? [:])
  }

  private var updates: Writes {
    Writes(
      name: "update-field",
      contenders: contenders(below: documents) { keeper, count, numbers in
        for _ in 0..<count {
          let number = numbers.next()
          try await keeper.update(Note.id(number), group: Int64(numbers.step % 1_000))
        }
        let last = try await keeper.read(Note.id(numbers.number))
        guard last?.group == Int64(numbers.step % 1_000) else {
          throw Unexpected(description: "\(last as Any) was updated")
        }
      })
  }

  /// Measures writes that also are queued for a remote, in a database with as many notes, which were written
  /// locally.
  private func queuedWrites(of size: Int) async throws -> Measurement {
    let shared = try Store.store(app: app, database: "shared")
    // StoreSync is linked, too.
    try await shared.disableNetwork()
    let collection = shared.collection("notes-\(size)")
    var contenders = contenders(below: documents - size) { keeper, count, numbers in
      for _ in 0..<count {
        let (first, revision) = (numbers.next(), numbers.step)
        try await keeper.write((first..<first + size).map { Note($0, revision: revision) })
      }
    }
    var numbers = Numbers(below: documents - size)
    let keeper = StoreNotes(collection: collection)
    contenders[0] = WaitingContender(name: "store") { count in
      for _ in 0..<count {
        let (first, revision) = (numbers.next(), numbers.step)
        try await keeper.write((first..<first + size).map { Note($0, revision: revision) })
      }
    }
    let measurement = try await compared("queued-\(size)", per: size, contenders)
    await shared.terminate()
    return measurement
  }

  private var singleWrites: Writes {
    Writes(
      name: "write-one",
      contenders: contenders(below: documents) { keeper, count, numbers in
        for _ in 0..<count { try await keeper.write(Note(numbers.next(), revision: numbers.step)) }
        try await check(keeper, has: Note(numbers.number, revision: numbers.step))
      })
  }

  private var batches: Writes {
    let size = 500
    return Writes(
      name: "write-batch-of-\(size)", size: size,
      contenders: contenders(below: documents - size) { keeper, count, numbers in
        for _ in 0..<count {
          let first = numbers.next()
          let revision = numbers.step
          try await keeper.write((first..<first + size).map { Note($0, revision: revision) })
        }
        try await check(keeper, has: Note(numbers.number + size - 1, revision: numbers.step))
      })
  }

  /// Checks, once per turn, that the note written last has been stored.
  private func check(_ keeper: any NoteKeeper, has note: Note) async throws {
    let read = try await keeper.read(note.id)
    guard read == note else { throw Unexpected(description: "\(note) was written, not \(read as Any)") }
  }

  private func pointReads() async throws -> Measurement {
    try await compared(
      "read",
      contenders(below: documents) { keeper, count, numbers in
        for _ in 0..<count {
          let number = numbers.next()
          let note = try await keeper.read(Note.id(number))
          guard note?.rank == Int64(number) else { throw Unexpected(description: "read \(note as Any)") }
        }
      })
  }

  private func pages() async throws -> Measurement {
    let size = 50
    return try await compared(
      "page-of-\(size)",
      contenders(below: documents - size) { keeper, count, numbers in
        for _ in 0..<count {
          let first = numbers.next()
          let page = try await keeper.page(from: first, count: size)
          guard page.count == size, page.first?.rank == Int64(first) else {
            throw Unexpected(description: "a page of \(page.count) notes from \(page.first as Any)")
          }
        }
      })
  }

  private func sums() async throws -> Measurement {
    let expected = Int64(documents) * Int64(documents - 1) / 2
    return try await aggregations("sum") { keeper, _ in
      guard try await keeper.sum() == expected else { throw Unexpected(description: "not \(expected)") }
    }
  }

  /// Sums a field that the index used for the condition doesn't contain.
  private func sumsOfAnotherField() async throws -> Measurement {
    try await aggregations("sum-of-another-field") { keeper, first in
      keep(try await keeper.sumOfGroups(from: first))
    }
  }

  private func counts() async throws -> Measurement {
    try await aggregations("count") { keeper, first in
      guard try await keeper.count(from: first) == documents - first else {
        throw Unexpected(description: "not \(documents - first) from \(first) on")
      }
    }
  }

  private func aggregations(
    _ what: String, _ run: @escaping (any NoteKeeper, _ first: Int) async throws -> Void
  ) async throws -> Measurement {
    try await compared(
      what,
      contenders(below: documents) { keeper, count, numbers in
        for _ in 0..<count { try await run(keeper, numbers.next()) }
      })
  }

  // MARK: - Listening and opening

  /// Measures the time from a write to the snapshot of the single listener that it concerns, compared with a
  /// database of two documents and one listener.
  private func delivery(to listeners: Int) async throws -> Measurement {
    let many = try await Listening(Store.store(app: app), "live-\(listeners)", listeners: listeners)
    let alone = try await Listening(
      Store.store(app: app, database: "alone", settings: settings), "live", listeners: 1)
    return try await comparison(
      name("delivery-to-\(listeners)"),
      [
        WaitingContender(name: "store") { try await many.deliver($0) },
        WaitingContender(name: "one-listener-of-few-documents") { try await alone.deliver($0) },
      ])
  }

  /// Returns the measurements for a listener with a large result: its first snapshot compared with a get of
  /// the same query, the time from a write to its snapshot, its memory, and writes to its result compared
  /// with writes that concern no listener.
  private func listening(to size: Int) -> [(name: String, measure: () async throws -> Measurement)] {
    [
      ("listen-first-\(size)", { try await firstSnapshot(of: size) }),
      ("listen-change-\(size)", { try await change(of: size) }),
      ("listen-write-\(size)", { try await writes(besideListenerTo: size) }),
      ("listen-memory-\(size)", { try await memory(ofListenerTo: size) }),
    ]
  }

  private func largeResult(_ size: Int) throws -> LargeResult {
    LargeResult(notes, besides: try Store.store(app: app).collection("others"), size: size)
  }

  private func firstSnapshot(of size: Int) async throws -> Measurement {
    let result = try largeResult(size)
    return try await comparison(
      "listen-first-of-\(size)",
      [
        WaitingContender(name: "store") { try await result.listenForFirst($0) },
        WaitingContender(name: "get") { try await result.get($0) },
      ])
  }

  private func change(of size: Int) async throws -> Measurement {
    let result = try largeResult(size)
    try await result.open()
    let alone = try await Listening(
      Store.store(app: app, database: "alone", settings: settings), "live", listeners: 1)
    return try await comparison(
      "listen-change-of-\(size)",
      [
        WaitingContender(name: "store") { try await result.change($0) },
        WaitingContender(name: "one-listener-of-few-documents") { try await alone.deliver($0) },
      ])
  }

  private func writes(besideListenerTo size: Int) async throws -> Measurement {
    let result = try largeResult(size)
    try await result.open()
    return try await comparison(
      "listen-write-of-\(size)",
      [
        WaitingContender(name: "store") { try await result.writeInside($0) },
        WaitingContender(name: "write-without-listener") { try await result.writeOutside($0) },
      ])
  }

  private func memory(ofListenerTo size: Int) async throws -> Measurement {
    // The first listener fills SQLite's page cache, which isn't part of a listener's memory.
    let (first, second) = (try largeResult(size), try largeResult(size))
    try await first.open()
    first.close()
    let before = heap_bytes_in_use()
    try await second.open()
    let bytes = Double(heap_bytes_in_use()) - Double(before)
    second.close()
    return Measurement(
      name: "memory-of-listener-of-\(size)", nanoseconds: 0, ratios: [:], bytes: bytes)
  }

  /// Measures opening a database, reading a document and closing the database.
  private func start() async throws -> Measurement {
    // Closes the store, so that no other connection to its files is open.
    await app.delete()
    let path = directory.appending(path: "plain.sqlite").path
    return try await comparison(
      name("start"),
      [
        WaitingContender(name: "store") { count in
          for _ in 0..<count {
            let app = try Self.configure(directory)
            keep(
              try await Store.store(app: app, settings: settings).document("notes/note-1").getDocument())
            await app.delete()
          }
        },
        WaitingContender(name: "sqlite") { count in
          for _ in 0..<count { keep(try HandWritten(path, indexes: .rank).read("note-1")) }
        },
      ])
  }

  /// Measures the memory of an open page of 20 documents: a listener that has received its first snapshot.
  private func memory() async throws -> Measurement {
    var pages: [AsyncThrowingStream<QuerySnapshot, any Error>.Iterator] = []
    func open(_ count: Int) async throws {
      for page in pages.count..<pages.count + count {
        let query = notes.order(by: "rank").start(at: [page * 20]).limit(to: 20)
        var iterator = query.snapshots.makeAsyncIterator()
        keep(try await iterator.next()?.count)
        pages.append(iterator)
      }
    }
    // The first pages fill SQLite's page cache, which isn't part of a page's memory.
    try await open(50)
    let before = heap_bytes_in_use()
    try await open(50)
    let bytes = (Double(heap_bytes_in_use()) - Double(before)) / 50
    pages = []
    return Measurement(name: name("memory-of-page-of-20"), nanoseconds: 0, ratios: [:], bytes: bytes)
  }
}

/// A measurement produced a wrong result.
struct Unexpected: Error, CustomStringConvertible {
  let description: String
}

/// A sequence of scattered numbers, the same in each run.
struct Numbers {
  private let bound: Int
  /// The number of values generated so far.
  private(set) var step = 0

  init(below bound: Int) { self.bound = bound }

  /// The number generated last.
  var number: Int { (step &* 7_368_787) % bound }

  /// Generates the next number, from 0 up to the bound.
  mutating func next() -> Int {
    step += 1
    return number
  }
}
