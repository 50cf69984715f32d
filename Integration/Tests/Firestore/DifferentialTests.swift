import Foundation
import TenonCore
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Store and Google's emulator perform the same writes and queries, with the same documents, order and
/// errors.
@Suite(.limited, .firestoreEmulator)
struct DifferentialTests {
  /// The seeds: one, six in a deep run, or as many as `TENON_DIFFERENTIAL_SEEDS` says.
  private static let seeds: [UInt64] = {
    let count =
      ProcessInfo.processInfo.environment["TENON_DIFFERENTIAL_SEEDS"].flatMap(UInt64.init)
      ?? UInt64(DeepTests.count(1, deep: 6))
    return Array(1...max(1, count))
  }()

  /// Indexes cut texts after 1,499 bytes, and byte strings after 1,500.
  @Test(arguments: [false, true])
  func longValuesAreInTheSameOrder(isIndexed: Bool) async throws {
    let (store, remote) = try await Self.pair("long-\(isIndexed)")
    let collection = ResourcePath(segments: ["c"])
    for (number, length) in [1_498, 1_499, 1_500, 1_501, 1_498, 1_499, 1_500, 1_501].enumerated() {
      // The IDs are in the opposite order.
      let text = String(repeating: "x", count: length) + (number < 4 ? "" : "y")
      let write = DocumentWrite(
        collection.appending("\(9 - number)"),
        .set(["text": .string(text), "bytes": .bytes(Data(text.utf8))]))
      try await store.commit(write)
      try await remote.commit([write])
    }
    if isIndexed {
      _ = try await store.collection("c").order(by: "text").getDocuments()
      _ = try await store.collection("c").order(by: "bytes").getDocuments()
      try await store.buildIndexes()
    }
    for field in ["text", "bytes"] as [FieldPath] {
      for isDescending in [false, true] {
        let query = StructuredQuery(
          parent: ResourcePath(segments: []), collectionID: "c",
          orders: [QueryOrder(field: field, isDescending: isDescending)])
        let here = try await store.query(query).getDocuments().documents.map(\.reference.path)
        #expect(try await here == remote.run(query), "\(query)")
      }
    }
  }

  @Test(arguments: seeds)
  func writesHaveTheSameResultsAndErrors(seed: UInt64) async throws {
    var random = RandomFirestore(seed: seed)
    let (store, remote) = try await Self.pair("writes-\(seed)")
    for step in 0..<150 {
      let write = random.write()
      let here = await Outcome { try await store.commit(write) }
      let there = await Outcome { try await remote.commit([write]) }
      #expect(here == there, "seed \(seed), step \(step): \(write)")
      let mine = try await store.document(write.document.text).getDocument().fields
      let theirs = try await remote.document(write.document)
      #expect(mine?.comparable == theirs?.comparable, "seed \(seed), step \(step): \(write)")
      guard here == there, mine?.comparable == theirs?.comparable else { return }
    }
  }

  @Test(.deep, arguments: seeds)
  func queriesReturnTheSameDocumentsInTheSameOrder(seed: UInt64) async throws {
    var random = RandomFirestore(seed: seed &+ 1000)
    // Half of them have declared indexes, which don't change results.
    let indexes = seed.isMultiple(of: 2) ? Self.indexes(of: random.collection) : []
    let (store, remote) = try await Self.pair("queries-\(seed)", indexes: indexes)
    for index in 0..<60 {
      let write = DocumentWrite(random.collection.appending("\(index)"), .set(random.fields()))
      try await store.commit(write)
      try await remote.commit([write])
    }
    try await store.buildIndexes()
    for step in 0..<200 {
      let query = random.query()
      let here = await Outcome { try await store.query(query).getDocuments().documents.map(\.reference.path) }
      let there = await Outcome { try await remote.run(query) }
      if here.isKnownToDiffer(from: there) { continue }
      #expect(here == there, "seed \(seed), step \(step): \(query)")
      let sums: [QueryAggregation] = [.count, .sum("f"), .average("m.a")]
      for aggregations in [[.count], sums] {
        let mine = await Outcome {
          let run = try store.query(query).runnable(isSent: false).run
          return try await store.engine.read { try $0.aggregate(aggregations, over: run) }.map(\.rounded)
        }
        let theirs = await Outcome { try await remote.aggregate(aggregations, over: query).map(\.rounded) }
        if mine.isKnownToDiffer(from: theirs) { continue }
        #expect(
          mine == theirs,
          "seed \(seed), step \(step): \(aggregations) over \(query)")
      }
    }
  }

  /// The converse differs intentionally: queries that the emulator accepts against the protocol are rejected.
  @Test(.deep, arguments: seeds)
  func queriesThatTheServerRejectsAreRejected(seed: UInt64) async throws {
    var random = RandomFirestore(seed: seed &+ 2000)
    let (store, remote) = try await Self.pair("refusals-\(seed)")
    let write = DocumentWrite(random.document(), .set(random.fields()))
    try await store.commit(write)
    try await remote.commit([write])
    var refused = 0
    for step in 0..<500 {
      let query = random.wildQuery()
      let there = await Outcome { try await remote.run(query) }
      guard case .failure(let code, let message) = there else { continue }
      refused += 1
      let here = await Outcome { try await store.query(query).getDocuments().documents.map(\.reference.path) }
      if here.isKnownToDiffer(from: there) { continue }
      #expect(here == there, "seed \(seed), step \(step): \(code), \(message) for \(query)")
    }
    #expect(refused > 100)
  }

  /// Returns an index for each pair of fields, in all combinations of directions.
  private static func indexes(of collection: ResourcePath) -> [CompositeIndex] {
    let fields: [FieldPath] = ["f", "g", "h", "m.a"]
    return fields.flatMap { first in
      fields.filter { $0 != first }.flatMap { second in
        [
          CompositeIndex(collection.id, .ascending(first), .ascending(second)),
          CompositeIndex(collection.id, .ascending(first), .descending(second)),
          CompositeIndex(collection.id, .contains(first), .descending(second)),
        ]
      }
    }
  }

  private static func pair(
    _ name: String, indexes: [CompositeIndex] = []
  ) async throws -> (Store, FirestoreREST) {
    let emulator = try await FirestoreEmulator.shared()
    let app = try App.configure(
      name: "differential-\(name)", options: AppOptions(projectID: "demo-\(name)", data: .memory),
      libraries: [StoreLibrary.self])
    // Each test has one of the choices of indexing, which don't change results.
    let indexing = FieldIndexing.allCases[name.utf8.count % 3]
    let store = try Store.store(
      app: app, settings: StoreSettings(indexes: indexes, fieldIndexing: indexing, isLocalOnly: true))
    return (store, FirestoreREST(origin: emulator.origin, project: "demo-\(name)"))
  }
}

extension Store {
  func commit(_ write: DocumentWrite) async throws { _ = try await engine.commit([write]) }

  func query(_ structure: StructuredQuery) -> Query { Query(store: self, structure: structure) }
}
