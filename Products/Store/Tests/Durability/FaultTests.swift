import Foundation
import TenonDocuments
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// A disk that fails at each point in turn while a store works. The cases run one at a time, so that tests
/// with time limits aren't starved.
@Suite(.limited, .serialized) struct FaultTests {
  /// The operation that fails, the kind of the fault, and the error codes that a caller may receive.
  struct Fault: Sendable, CustomTestStringConvertible {
    let operations: FaultyDisk.Operations
    let failure: FaultyDisk.Failure
    let codes: Set<StoreError.Code>
    /// The number of consecutive operations that fail.
    var times = 1
    /// Which fields are indexed; all choices in turn.
    var indexing = FieldIndexing.onFirstQuery

    var testDescription: String { "\(operations) \(failure), \(times) times" }
  }

  static let faults = kinds.enumerated().map { number, fault in
    var fault = fault
    fault.indexing = FieldIndexing.allCases[number % FieldIndexing.allCases.count]
    return fault
  }

  private static let kinds = [
    Fault(operations: .write, failure: .breaks, codes: [.unavailable]),
    Fault(operations: .write, failure: .isFull, codes: [.resourceExhausted]),
    Fault(operations: .write, failure: .writesShort, codes: [.resourceExhausted]),
    Fault(operations: .write, failure: .isFull, codes: [.resourceExhausted], times: 100),
    Fault(operations: .sync, failure: .breaks, codes: [.unavailable]),
    Fault(operations: .sync, failure: .breaks, codes: [.unavailable], times: 10),
    Fault(operations: .truncate, failure: .breaks, codes: [.unavailable]),
    Fault(operations: .read, failure: .breaks, codes: [.unavailable]),
    Fault(operations: .lock, failure: .breaks, codes: [.unavailable]),
    Fault(operations: .lock, failure: .isBusy, codes: [.unavailable]),
    Fault(operations: .sharedMemory, failure: .breaks, codes: [.unavailable]),
    Fault(operations: .size, failure: .breaks, codes: [.unavailable]),
    Fault(operations: .open, failure: .breaks, codes: [.unavailable]),
    Fault(operations: .all, failure: .breaks, codes: [.unavailable], times: 3),
    Fault(operations: .all, failure: .breaks, codes: [.unavailable], times: 1_000),
  ]

  private func settings(_ fault: Fault) -> StoreSettings {
    StoreSettings(fieldIndexing: fault.indexing, textIndexes: [TextIndex("c", "text")])
  }

  /// The expected content of the database: the acknowledged writes.
  private struct Expected {
    var documents: [String: Fields] = [:]

    mutating func set(_ id: String, _ fields: Fields) { documents[id] = fields }
  }

  @Test(arguments: DeepTests.few(5, of: faults))
  func everyOperationIsAtomicUnderFaults(fault: Fault) async throws {
    var point = 0
    var refused = 0
    while true {
      let directory = try TestDirectory()
      let disk = FaultyDisk()
      var expected = Expected()
      let hasFailed = try await work(on: disk, directory, fault, point, &expected, &refused)
      // Another store, on a disk without faults.
      let reopened = makeStore(directory, settings: settings(fault))
      #expect(try await contents(reopened) == expected.documents, "point \(point), reopened")
      try await checkIndex(reopened, point)
      await reopened.engine.close()
      guard hasFailed else { break }
      // Every point at first, then at growing intervals.
      point += 1 + point / 5
    }
    // Locks are retried, and some operations are used only where a failure has no effect.
    let isHarmless = fault.failure == .isBusy || [.truncate, .size].contains(fault.operations)
    #expect(refused > 0 || isHarmless)
  }

  /// Runs a store on a disk that fails at one point.
  ///
  /// - Returns: whether the point was reached.
  private func work(
    on disk: FaultyDisk, _ directory: TestDirectory, _ fault: Fault, _ point: Int, _ expected: inout Expected,
    _ refused: inout Int
  ) async throws -> Bool {
    let store = makeStore(directory, disk: disk, settings: settings(fault))
    let listener = Task { try await watchUntilEnd(store) }
    disk.fail(fault.operations, fault.failure, after: point, times: fault.times)
    for step in Step.all {
      do {
        try await step.run(store)
        step.apply(&expected.documents)
      } catch let error as StoreError {
        refused += 1
        #expect(fault.codes.contains(error.code), "point \(point), \(step): \(error)")
      }
    }
    let hasFailed = disk.failures > 0
    disk.heal()
    // The same store continues to work.
    #expect(try await contents(store) == expected.documents, "point \(point), healed")
    try await store.document("c/end").setData(["n": 99])
    expected.set("end", ["n": 99])
    #expect(try await contents(store) == expected.documents, "point \(point), written after")
    // A listener has received every change, or the error.
    switch await listener.result {
    case .success(let seen): #expect(seen == expected.documents, "point \(point), listener")
    case .failure(let error as StoreError):
      // The listener opened the file first and received the fault.
      refused += 1
      #expect(fault.codes.contains(error.code), "\(error)")
    case .failure(let error): Issue.record(error)
    }
    await store.engine.close()
    return hasFailed
  }

  /// A store opens a database with documents, and writes so many more that SQLite checkpoints its log; then
  /// it is closed while the disk still fails.
  @Test(
    arguments: DeepTests.few(
      3, of: faults.filter { ![.open, .sharedMemory].contains($0.operations) && $0.times < 10 }))
  func movingTheLogIntoTheFileLosesNothing(fault: Fault) async throws {
    let prepared = try TestDirectory()
    let first = makeStore(prepared, settings: settings(fault))
    try await first.document("c/first").setData(["n": 0])
    await first.engine.close()
    for point in [8, 2_100, 2_300] {
      let directory = try TestDirectory()
      try FileManager.default.copyItem(atPath: prepared.file, toPath: directory.file)
      let disk = FaultyDisk()
      let store = makeStore(directory, disk: disk, settings: settings(fault))
      disk.fail(fault.operations, fault.failure, after: point, times: fault.times)
      var expected: [String: Fields] = ["first": ["n": 0]]
      for part in 0..<5 {
        let documents = (0..<30).map { number -> (String, Fields) in
          ("p\(part)-\(number)", ["n": .init(number % 10), "text": .string(Step.text)])
        }
        do {
          let batch = store.batch()
          for (id, fields) in documents { try batch.setData(fields, forDocument: store.document("c/\(id)")) }
          try await batch.commit()
          for (id, fields) in documents { expected[id] = fields }
        } catch let error as StoreError {
          #expect(fault.codes.contains(error.code), "point \(point): \(error)")
        }
      }
      await store.engine.close()
      disk.heal()
      let reopened = makeStore(directory, settings: settings(fault))
      #expect(try await contents(reopened) == expected, "point \(point)")
      try await checkIndex(reopened, point)
      await reopened.engine.close()
    }
  }

  /// Returns the documents of a listener's first snapshot that contains `end`.
  private func watchUntilEnd(_ store: Store) async throws -> [String: Fields] {
    for try await snapshot in store.collection("c").snapshots where snapshot.ids.contains("end") {
      return snapshot.documents.reduce(into: [:]) { $0[$1.documentID] = $1.fields }
    }
    return [:]
  }

  private func contents(_ store: Store) async throws -> [String: Fields] {
    try await store.collection("c").getDocuments().documents.reduce(into: [:]) {
      $0[$1.documentID] = $1.fields
    }
  }

  private func checkIndex(_ store: Store, _ point: Int) async throws {
    let all = try await contents(store)
    let ordered = try await store.collection("c").order(by: "n").getDocuments()
    #expect(ordered.count == all.count, "point \(point)")
    for number in 0...10 {
      let found = try await store.collection("c").whereField("n", isEqualTo: number).getDocuments().ids
      #expect(Set(found) == Set(all.filter { $0.value["n"] == .init(number) }.keys), "point \(point)")
    }
    let found = try await store.collection("c").search("x*").getDocuments().map(\.document.documentID)
    #expect(Set(found) == Set(all.filter { $0.value["text"] != nil }.keys), "point \(point)")
  }

  /// The steps that a store performs, in order.
  private enum Step: CaseIterable {
    case single, batch, change, count, transaction, delete, large

    static var all: [Step] { allCases + allCases }
    static let text = String(repeating: "x", count: 30_000)

    func run(_ store: Store) async throws {
      let notes = store.collection("c")
      switch self {
      case .single: try await notes.document("a").setData(["n": 1])
      case .batch:
        let batch = store.batch()
        for number in 2...5 { try batch.setData(["n": number], forDocument: notes.document("b\(number)")) }
        try await batch.commit()
      case .change: try await notes.document("a").setData(["n": 6], merge: true)
      case .count: try await notes.document("count").setData(["n": .increment(1)], merge: true)
      case .transaction:
        try await store.runTransaction { transaction in
          let count = try await transaction.getDocument(notes.document("t")).fields?["n"]?.int64Value ?? 0
          try transaction.setData(["n": count + 1], forDocument: notes.document("t"))
        }
      case .delete: try await notes.document("b2").delete()
      case .large: try await notes.document("large").setData(["n": 7, "text": Self.text])
      }
    }

    func apply(_ documents: inout [String: Fields]) {
      switch self {
      case .single: documents["a"] = ["n": 1]
      case .batch: for number in 2...5 { documents["b\(number)"] = ["n": .init(number)] }
      case .change: documents["a"] = ["n": 6]
      case .count, .transaction:
        let id = self == .count ? "count" : "t"
        let count = documents[id]?["n"]?.int64Value ?? 0
        documents[id] = ["n": .integer(count + 1)]
      case .delete: documents["b2"] = nil
      case .large: documents["large"] = ["n": 7, "text": .string(Self.text)]
      }
    }
  }
}
