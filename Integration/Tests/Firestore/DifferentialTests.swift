import Foundation
import TenonCore
import TenonDocuments
import TenonStoreInterop
import Testing

@testable import TenonStore

/// Store and Google's emulator perform the same writes and queries, with the same documents, order and
/// errors.
@Suite(.enabled(if: FirestoreEmulator.isWanted, FirestoreEmulator.absence), .timeLimit(.minutes(5)))
struct DifferentialTests {
  /// The seeds: six, or as many as `TENON_DIFFERENTIAL_SEEDS` says.
  private static let seeds: [UInt64] = {
    let count = ProcessInfo.processInfo.environment["TENON_DIFFERENTIAL_SEEDS"].flatMap(UInt64.init) ?? 6
    return Array(1...max(1, count))
  }()

  @Test(arguments: seeds)
  func writesHaveTheSameResultsAndErrors(seed: UInt64) async throws {
    var random = RandomFirestore(seed: seed)
    let (store, remote) = try await Self.pair("writes-\(seed)")
    for step in 0..<150 {
      let write = random.write()
      let here = await Outcome { try await store.commit(write) }
      let there = await Outcome { try await remote.commit([write]) }
      #expect(here == there, "seed \(seed), step \(step): \(write)")
      let mine = try await store.document(write.document.text).getDocument().data()
      let theirs = try await remote.document(write.document)
      #expect(mine?.comparable == theirs?.comparable, "seed \(seed), step \(step): \(write)")
      guard here == there, mine?.comparable == theirs?.comparable else { return }
    }
  }

  @Test(arguments: seeds)
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
          let run = try RunnableQuery(store.query(query)).run
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
  @Test(arguments: seeds)
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
      named: "differential-\(name)", options: AppOptions(projectID: "demo-\(name)", data: .memory),
      libraries: [StoreLibrary.self])
    let store = try Store.store(app: app, settings: StoreSettings(indexes: indexes, isLocalOnly: true))
    return (store, FirestoreREST(origin: emulator.origin, project: "demo-\(name)"))
  }
}

extension Store {
  fileprivate func commit(_ write: DocumentWrite) async throws { _ = try await engine.commit([write]) }

  fileprivate func query(_ structure: StructuredQuery) -> Query { Query(store: self, structure: structure) }
}

/// The result of a call, or its error, of which only the code is compared.
private enum Outcome<Result: Equatable>: Equatable {
  case result(Result)
  case failure(String, message: String)

  init(_ body: () async throws -> Result) async {
    do {
      self = .result(try await body())
    } catch let error as StoreError {
      let code = error.code.rawValue.uppercased().split(separator: "-").joined(separator: "_")
      self = .failure(code, message: error.message)
    } catch let error as FirestoreREST.Failure {
      self = .failure(error.status, message: error.message)
    } catch {
      self = .failure("\(type(of: error))", message: "\(error)")
    }
  }

  /// Returns whether a difference is known: an error of the emulator, or a limit that doesn't apply to a
  /// database with an index for each field.
  func isKnownToDiffer(from there: Outcome) -> Bool {
    switch (self, there) {
    // The emulator accepts what the protocol reserves for IS_NULL and IS_NAN (`StructuredQuery.UnaryFilter`).
    // It also ignores a repeated condition.
    case (.failure(_, let message), .result):
      message.contains("can't take null or NaN") || message.contains("Only one array-contains")
    // The emulator's indexes don't support these queries; production requires a composite index.
    case (.result, .failure(_, let message)):
      message.contains("does not currently support such an index")
        || message.contains("does not support descending key scans")
    // The query has several errors, and the emulator reports this one first.
    case (.failure, .failure(_, let message)): message.contains("does not support descending key scans")
    default: false
    }
  }

  static func == (left: Outcome, right: Outcome) -> Bool {
    switch (left, right) {
    case (.result(let left), .result(let right)): left == right
    case (.failure(let left, _), .failure(let right, _)): left == right
    default: false
    }
  }
}

extension Outcome where Result == Bool {
  init(_ body: () async throws -> Void) async {
    await self.init {
      try await body()
      return true
    }
  }
}

extension Value {
  /// Returns a number without its last digits, which depend on the order in which doubles are added.
  fileprivate var rounded: Value {
    guard case .double(let number) = self, number.isFinite, number != 0 else { return self }
    return .double(Double(String(format: "%.12g", number)) ?? number)
  }

  /// Returns a value without what the emulator's JSON loses: the sign of zero.
  fileprivate var comparable: Value {
    switch self {
    case .double(let number): .double(number == 0 ? 0 : number)
    case .array(let elements): .array(elements.map(\.comparable))
    case .vector(let numbers): .vector(numbers.map { $0 == 0 ? 0 : $0 })
    case .map(let fields): .map(fields.comparable)
    default: self
    }
  }
}

extension Fields {
  fileprivate var comparable: Fields {
    Fields(unsorted: entries.map { Fields.Entry(name: $0.name, value: $0.value.comparable) })
  }
}
