import Foundation
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The settings of a file change at any time, while indexes are being built and deleted. No result changes,
/// and in the end the entries are those of the documents.
@Suite(.limited) struct IndexSwitchingTests {
  private static let fields: [FieldPath] = ["a", "b", "m.x"]
  private static let values: [Value] = [0, 1, 2.5, "x", .null, [0, 1], ["x", 0], true]

  private static func settings(_ random: inout SeededGenerator) -> StoreSettings {
    var overrides: [FieldOverride]?
    if Bool.random(using: &random) {
      overrides = fields.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }.map {
        FieldOverride("c", $0, FieldOverride.Indexes(rawValue: .random(in: 0...3, using: &random)))
      }
    }
    return StoreSettings(
      fieldIndexing: FieldIndexing.allCases.randomElement(using: &random) ?? .none, fieldOverrides: overrides)
  }

  private static func write(to store: Store, _ random: inout SeededGenerator) async throws {
    let batch = store.batch()
    for _ in 0..<Int.random(in: 1...30, using: &random) {
      let id = Int.random(in: 0..<120, using: &random)
      let document = store.document(id.isMultiple(of: 4) ? "p/1/c/\(id)" : "c/\(id)")
      if Int.random(in: 0..<8, using: &random) == 0 {
        try batch.deleteDocument(document)
        continue
      }
      var fields = Fields()
      for name in ["a", "b"] where Int.random(in: 0..<4, using: &random) > 0 {
        fields[name] = values.randomElement(using: &random)
      }
      fields["m"] = .map(["x": values.randomElement(using: &random) ?? 0, "y": 1])
      try batch.setData(fields, forDocument: document)
    }
    try await batch.commit()
  }

  private static func queries(_ store: Store, _ random: inout SeededGenerator) -> [Query] {
    (0..<6).map { number in
      var query = number.isMultiple(of: 2) ? store.collectionGroup("c") : store.collection("c").query
      let field = fields.randomElement(using: &random) ?? "a"
      let value = values.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<5, using: &random) {
      case 0: query = query.whereField(field, isEqualTo: value)
      case 1: query = query.whereField(field, isGreaterThan: value)
      case 2: query = query.whereField(field, arrayContains: value)
      case 3: query = query.whereField(field, in: [value, 1])
      default: break
      }
      if Bool.random(using: &random) {
        query = query.order(by: field, descending: Bool.random(using: &random))
      }
      return query
    }
  }

  /// Compares queries with filtering and sorting all documents.
  private static func check(_ store: Store, _ random: inout SeededGenerator) async throws {
    let documents = try await store.collectionGroup("c").getDocuments().documents
    for query in queries(store, &random) {
      // Some conditions break a rule.
      guard let run = (try? query.runnable(isSent: false))?.run else { continue }
      let expected = documents.filter { run.matches($0.fields, at: $0.reference.resourcePath) }
        .sorted { left, right in
          run.compare(
            run.sortKey(left.fields, at: left.reference.resourcePath),
            run.sortKey(right.fields, at: right.reference.resourcePath)
          ) < 0
        }.map(\.reference.path)
      let explanation = try await query.explain()
      let context: Comment = "\(explanation) for \(query)"
      #expect(try await query.getDocuments().documents.map(\.reference.path) == expected, context)
      #expect(
        try await query.limit(to: 3).getDocuments().documents.map(\.reference.path)
          == Array(expected.prefix(3)), context)
      #expect(try await query.count.getAggregation().count == expected.count, context)
      let sum = query.aggregate([.sum("a")])
      let state = documents.filter { expected.contains($0.reference.path) }.reduce(
        into: AggregationState([.sum("a")])
      ) {
        $0.add($1.fields)
      }
      #expect(try await sum.getAggregation()[.sum("a")]?.rounded == state.values.first?.rounded, context)
    }
    await store.engine.fulfillIndexRequests()
  }

  @Test(arguments: 1...UInt64(DeepTests.count(2, deep: 12)))
  func noResultChangesWhileSettingsDo(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let directory = try TestDirectory()
    // Two stores stand for two processes, which may have different settings.
    var stores: [Store] = []
    for _ in 0..<12 {
      if stores.count == 2 || Bool.random(using: &random), !stores.isEmpty {
        await stores.remove(at: Int.random(in: 0..<stores.count, using: &random)).terminate()
      }
      let day = Int64.random(in: 0...60, using: &random)
      stores.append(
        makeStore(
          directory, now: Timestamp(seconds: 1_700_000_000 + day * 86_400), settings: Self.settings(&random),
          buildsIndexes: false))
      for _ in 0..<3 {
        guard let store = stores.randomElement(using: &random) else { continue }
        try await Self.write(to: store, &random)
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
          _ = try await store.engine.buildIndexes(limit: 9)
        }
        try await Self.check(stores.randomElement(using: &random) ?? store, &random)
      }
    }
    for store in stores.dropLast() { await store.terminate() }
    let store = try #require(stores.last)
    try await store.buildIndexes()
    #expect(try await FieldEntries.areRight(in: store))
    try await Self.check(store, &random)
    await store.terminate()
  }
}

extension Value {
  /// The number without its last digits, which depend on the order in which doubles are added.
  fileprivate var rounded: Value {
    guard case .double(let number) = self, number.isFinite else { return self }
    return .double((number * 1000).rounded() / 1000)
  }
}
