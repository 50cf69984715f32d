import Foundation
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Bit flips in a database's files. Every read returns correct data, or throws.
///
/// `TENON_BIT_FLIPS` sets the number of bits to change in each kind of file, and `TENON_SEED` selects them.
@Suite(.limited) struct BitFlipTests {
  /// The file to change, and whether its database was closed.
  enum Kind: String, CaseIterable, Sendable {
    case closedFile = "", fileBelowLog = " ", log = "-wal", mark = "-walmark"

    var suffix: String { self == .fileBelowLog ? "" : rawValue }
  }

  /// The results of all kinds of reads.
  private struct Answers: Equatable {
    var documents: [String: Fields] = [:]
    var ordered: [String] = []
    var equal: [String] = []
    var count = 0
    var sum: Value?
    /// The pending writes, as text.
    var queue: [String] = []

    init(_ store: Store) async throws {
      let collection = store.collection("c")
      for document in try await collection.getDocuments(source: .cache).documents {
        documents[document.documentID] = document.fields
      }
      ordered = try await collection.order(by: "n").getDocuments(source: .cache).ids
      equal = try await collection.whereField("text", isEqualTo: Self.text(7)).getDocuments(source: .cache)
        .ids
      count =
        try await collection.whereField("n", isGreaterThan: 10).count.getAggregation(source: .cache).count
        ?? 0
      sum = try await collection.aggregate([.sum("n")]).getAggregation(source: .cache)[.sum("n")]
      queue = try await store.queuedWrites.map { "\($0.id) \($0.time) \($0.writes)" }
    }

    static func text(_ number: Int) -> String { String(repeating: "text \(number) ", count: number % 9 * 60) }
  }

  private static func unreachable() -> FakeStoreRemote {
    let remote = FakeStoreRemote()
    remote.fail(with: StoreRemoteError(.unavailable, "There is no network."))
    return remote
  }

  private static func open(_ directory: TestDirectory) async throws -> Store {
    // Nothing is built in the background, which would change how much of the log is needed.
    let store = makeStore(
      directory, now: Timestamp(seconds: 1_000), remote: unreachable(),
      settings: StoreSettings(fieldIndexing: .everyField))
    try await store.disableNetwork()
    return store
  }

  /// The files of a database with documents, indexes and a queue of writes.
  private func makeFiles(_ kind: Kind) async throws -> (files: [String: Data], answers: Answers) {
    let directory = try TestDirectory()
    var store = try await Self.open(directory)
    for part in 0..<10 {
      if part == 5 {
        // Moves earlier writes to the file; later ones stay in the log.
        await store.engine.close()
        store = try await Self.open(directory)
      }
      let batch = store.batch()
      for number in part * 20..<part * 20 + 20 {
        try batch.setData(
          ["n": number, "text": Answers.text(number)], forDocument: store.document("c/d\(number)"))
      }
      try await batch.commit()
    }
    let answers = try await Answers(store)
    if kind == .closedFile { await store.engine.close() }
    var files: [String: Data] = [:]
    for suffix in ["", "-wal", "-walmark"] {
      files[suffix] = FileManager.default.contents(atPath: directory.file + suffix)
    }
    if kind != .closedFile {
      await store.engine.close()
      #expect(files["-wal"]?.isEmpty == false && files["-walmark"]?.isEmpty == false)
    }
    return (files, answers)
  }

  /// Returns what a store reads from the files; `nil` if it reports that they are damaged.
  private func answers(_ files: [String: Data]) async throws -> Answers? {
    let directory = try TestDirectory()
    for (suffix, bytes) in files { try bytes.write(to: URL(filePath: directory.file + suffix)) }
    let store: Store
    do { store = try await Self.open(directory) } catch let error as StoreError {
      #expect(error.code == .dataLoss, "\(error)")
      return nil
    }
    defer { withExtendedLifetime(directory) {} }
    do {
      let answers = try await Answers(store)
      await store.engine.close()
      return answers
    } catch let error as StoreError {
      #expect(error.code == .dataLoss, "\(error)")
      #expect(error.message.contains(directory.file), "\(error)")
      await store.engine.close()
      return nil
    }
  }

  @Test(arguments: Kind.allCases) func aChangedBitIsNeverReturned(kind: Kind) async throws {
    let (files, right) = try await makeFiles(kind)
    #expect(try await answers(files) == right)
    let file = try #require(files[kind.suffix])
    var random = SeededGenerator(seed: TestSeeds.first)
    var (reported, wrong) = (0, 0)
    let count = TestSeeds.count("TENON_BIT_FLIPS", DeepTests.count(15, deep: 60))
    for _ in 0..<count {
      let bit = Int.random(in: 0..<file.count * 8, using: &random)
      var damaged = files
      damaged[kind.suffix]?[bit / 8] ^= 1 << UInt8(bit % 8)
      switch try await answers(damaged) {
      case nil: reported += 1
      case right: break
      default:
        wrong += 1
        Issue.record("bit \(bit) of \(kind), seed \(TestSeeds.first)")
      }
    }
    #expect(kind == .mark || reported > 0)
    if count > 1_000 {
      print("\(kind): \(count) bits, \(reported) reported, \(count - reported - wrong) right, \(wrong) wrong")
    }
  }
}
