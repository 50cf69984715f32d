import CMalloc
import Foundation
import TenonCore
import TenonStore

/// A store with many notes, and the same notes in hand-written SQLite.
struct StoreBench {
  private let directory: URL
  private let documents: Int
  private let comparison: Comparison
  private let app: App
  private let notes: CollectionReference
  private let plain: HandWritten
  private let indexed: HandWritten

  init(_ directory: URL, documents: Int, _ comparison: Comparison) async throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    self.directory = directory
    self.documents = documents
    self.comparison = comparison
    app = try Self.configure(directory)
    notes = try Store.store(app: app).collection("notes")
    plain = try HandWritten(directory.appending(path: "plain.sqlite").path, isAllIndexed: false)
    indexed = try HandWritten(directory.appending(path: "indexed.sqlite").path, isAllIndexed: true)
    for start in stride(from: 0, to: documents, by: 500) {
      let numbers = start..<min(start + 500, documents)
      try await write(numbers, revision: 0)
      for table in [plain, indexed] { try table.write(numbers.map { Note($0) }) }
    }
  }

  private static func configure(_ directory: URL) throws -> App {
    try App.configure(
      named: "bench-\(directory.lastPathComponent)",
      options: AppOptions(projectID: "demo-bench", data: .directory(directory.path)))
  }

  private func write(_ numbers: Range<Int>, revision: Int) async throws {
    let batch = notes.store.batch()
    for number in numbers {
      let note = Note(number, revision: revision)
      try batch.set(note.fields, at: notes.document(note.id))
    }
    try await batch.commit()
  }

  /// Takes the measurements whose names begin with a text; the store is closed afterwards.
  func measure(only prefix: String) async throws -> [Measurement] {
    var measurements: [Measurement] = []
    let all: [(name: String, measure: () async throws -> Measurement)] = [
      ("write-one", singleWrites), ("write-batch", batches), ("read", pointReads), ("page", pages),
      ("delivery-to-1", { try await delivery(to: 1) }), ("delivery-to-100", { try await delivery(to: 100) }),
      ("delivery-to-1000", { try await delivery(to: 1_000) }), ("memory", memory), ("start", start),
    ]
    for (name, measure) in all where name.hasPrefix(prefix) { measurements.append(try await measure()) }
    return measurements
  }

  private func name(_ what: String) -> String { "\(what)-of-\(documents)" }

  // MARK: - Writing

  private func singleWrites() async throws -> Measurement {
    var number = Numbers(below: documents)
    return try await comparison(
      name("write-one"),
      [
        WaitingContender(name: "store") { count in
          for _ in 0..<count {
            let note = Note(number.next(), revision: number.step)
            try await notes.document(note.id).set(note.fields)
          }
        },
        WaitingContender(name: "sqlite") { count in
          for _ in 0..<count { try plain.write([Note(number.next(), revision: number.step)]) }
        },
        WaitingContender(name: "sqlite-all-indexed") { count in
          for _ in 0..<count { try indexed.write([Note(number.next(), revision: number.step)]) }
        },
      ])
  }

  private func batches() async throws -> Measurement {
    let size = 500
    var number = Numbers(below: documents - size)
    func numbers() -> Range<Int> {
      let first = number.next()
      return first..<first + size
    }
    return try await comparison(
      name("write-batch-of-\(size)"), per: size,
      [
        WaitingContender(name: "store") { count in
          for _ in 0..<count { try await write(numbers(), revision: number.step) }
        },
        WaitingContender(name: "sqlite") { count in
          for _ in 0..<count { try plain.write(numbers().map { Note($0, revision: number.step) }) }
        },
        WaitingContender(name: "sqlite-all-indexed") { count in
          for _ in 0..<count { try indexed.write(numbers().map { Note($0, revision: number.step) }) }
        },
      ])
  }

  // MARK: - Reading

  private func pointReads() async throws -> Measurement {
    var number = Numbers(below: documents)
    let queue = EmptyQueue()
    return try await comparison(
      name("read"),
      [
        WaitingContender(name: "store") { count in
          for _ in 0..<count {
            let id = Note.id(number.next())
            let document = try await notes.document(id).get()
            keep(Note(document.fields, id: id))
          }
        },
        WaitingContender(name: "sqlite") { count in
          for _ in 0..<count { keep(try plain.read(Note.id(number.next()))) }
        },
        WaitingContender(name: "empty-call-to-a-queue") { count in
          for _ in 0..<count { keep(await queue.next()) }
        },
      ])
  }

  private func pages() async throws -> Measurement {
    let size = 50
    var number = Numbers(below: documents - size)
    return try await comparison(
      name("page-of-\(size)"),
      [
        WaitingContender(name: "store") { count in
          for _ in 0..<count {
            let query = notes.order(by: "rank").start(at: .integer(Int64(number.next()))).limit(to: size)
            let page = try await query.get().documents.map { Note($0.fields, id: $0.documentID) }
            guard page.count == size else { throw Unexpected(description: "a page of \(page.count)") }
          }
        },
        WaitingContender(name: "sqlite") { count in
          for _ in 0..<count { keep(try plain.page(from: number.next(), count: size)) }
        },
      ])
  }

  // MARK: - Listening and opening

  /// From a write to the snapshot of the one listener whose document it is, beside the same in a database with two documents
  /// and one listener.
  private func delivery(to listeners: Int) async throws -> Measurement {
    let many = try await Listening(Store.store(app: app), "live-\(listeners)", listeners: listeners)
    let alone = try await Listening(Store.store(app: app, database: "alone"), "live", listeners: 1)
    return try await comparison(
      name("delivery-to-\(listeners)"),
      [
        WaitingContender(name: "store") { try await many.deliver($0) },
        WaitingContender(name: "one-listener-of-few-documents") { try await alone.deliver($0) },
      ])
  }

  /// Opening a database, reading a document and closing it again.
  private func start() async throws -> Measurement {
    // Nobody else has the files open then.
    await app.delete()
    let path = directory.appending(path: "plain.sqlite").path
    return try await comparison(
      name("start"),
      [
        WaitingContender(name: "store") { count in
          for _ in 0..<count {
            let app = try Self.configure(directory)
            keep(try await Store.store(app: app).document("notes/note-1").get())
            await app.delete()
          }
        },
        WaitingContender(name: "sqlite") { count in
          for _ in 0..<count { keep(try HandWritten(path, isAllIndexed: false).read("note-1")) }
        },
      ])
  }

  /// What an open page of 20 keeps in memory: a listener that has got its first snapshot.
  private func memory() async throws -> Measurement {
    var pages: [AsyncThrowingStream<QuerySnapshot, any Error>.Iterator] = []
    func open(_ count: Int) async throws {
      for page in pages.count..<pages.count + count {
        let query = notes.order(by: "rank").start(at: .init(page * 20)).limit(to: 20)
        var iterator = query.snapshots.makeAsyncIterator()
        keep(try await iterator.next()?.count)
        pages.append(iterator)
      }
    }
    // What SQLite keeps of the file once it has been read doesn't belong to a page.
    try await open(50)
    let before = heap_bytes_in_use()
    try await open(50)
    let bytes = (Double(heap_bytes_in_use()) - Double(before)) / 50
    pages = []
    return Measurement(name: name("memory-of-page-of-20"), nanoseconds: 0, ratios: [:], bytes: bytes)
  }
}

/// An actor on a queue of its own, as a store's engine is one: what it costs to get there and back.
private actor EmptyQueue {
  private let executor = QueueExecutor(label: "empty")
  private var count = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func next() -> Int {
    count += 1
    return count
  }
}

/// A measurement went wrong.
struct Unexpected: Error, CustomStringConvertible {
  let description: String
}

/// Numbers that jump about, the same in each run.
struct Numbers {
  private let bound: Int
  private(set) var step = 0

  init(below bound: Int) { self.bound = bound }

  mutating func next() -> Int {
    step += 1
    return (step &* 7_368_787) % bound
  }
}
