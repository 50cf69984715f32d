import Foundation
import TenonDocuments
import TenonStoreInterop
import Testing

@testable import TenonStore

/// Whatever index serves a query, the answer is the one that filtering and sorting all documents gives.
struct IndexAnswerTests {
  private static let values: [Value] = [
    .null, true, false, 0, -0.0, 1, 1.0, 2.5, .double(.nan), .double(-.infinity), "a", "b", "", "a\0",
    .init(String(repeating: "x", count: 1600)), .init(String(repeating: "x", count: 1600) + "y"), [1],
    [1, "a"], ["a", "b", 1.0], ["c", .null], ["k": 1], .integer(.max),
    .integer(1 << 53), .integer(1 << 53 + 1), .double(0x1p53), .timestamp(Timestamp(seconds: 5)),
  ]
  private static let fields: [FieldPath] = ["a", "b", "c"]

  private static func randomIndexes(using generator: inout SeededGenerator) -> [CompositeIndex] {
    (0..<5).map { _ in
      var hasArray = false
      var members: [CompositeIndex.Field] = []
      for path in fields.shuffled(using: &generator).prefix(.random(in: 1...3, using: &generator)) {
        switch Int.random(in: 0..<5, using: &generator) {
        case 0 where !hasArray:
          hasArray = true
          members.append(.contains(path))
        case 0...2: members.append(.ascending(path))
        default: members.append(.descending(path))
        }
      }
      if Int.random(in: 0..<4, using: &generator) == 0 {
        members.append(Bool.random(using: &generator) ? .ascending(.documentID) : .descending(.documentID))
      }
      return CompositeIndex(
        "c", scope: Bool.random(using: &generator) ? .collection : .collectionGroup, fields: members)
    }
  }

  private static func randomFields(using generator: inout SeededGenerator) -> Fields {
    var result = Fields()
    for name in fields where Int.random(in: 0..<5, using: &generator) > 0 {
      result[name] = values.randomElement(using: &generator)
    }
    return result
  }

  private static func randomCondition(using generator: inout SeededGenerator) -> QueryFilter {
    let comparisons: [QueryComparison] = [
      .equal, .equal, .equal, .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan,
      .greaterThanOrEqual, .arrayContains, .in, .arrayContainsAny, .notIn,
    ]
    let comparison = comparisons.randomElement(using: &generator) ?? .equal
    func value() -> Value { values.randomElement(using: &generator) ?? 0 }
    if Int.random(in: 0..<10, using: &generator) == 0, comparison != .arrayContains,
      comparison != .arrayContainsAny
    {
      func name() -> Value {
        .reference(ResourcePath(segments: ["c", "\(Int.random(in: 0..<60, using: &generator))"]))
      }
      return .field(
        .documentID, comparison, [.in, .notIn].contains(comparison) ? .array([name(), name()]) : name())
    }
    let isList = [.in, .notIn, .arrayContainsAny].contains(comparison)
    return .field(
      fields.randomElement(using: &generator) ?? "a", comparison,
      isList ? .array([value(), 1, value()]) : value())
  }

  private static func randomQuery(in store: Store, using generator: inout SeededGenerator) throws -> Query {
    var query =
      Int.random(in: 0..<3, using: &generator) == 0
      ? store.collectionGroup("c") : try store.collection("c").query
    for _ in 0..<Int.random(in: 0...3, using: &generator) {
      if Int.random(in: 0..<5, using: &generator) == 0 {
        query = query.where(
          .or([
            randomCondition(using: &generator),
            .and([randomCondition(using: &generator), randomCondition(using: &generator)]),
          ]))
      } else {
        query = query.where(randomCondition(using: &generator))
      }
    }
    let ordered = fields.shuffled(using: &generator).prefix(.random(in: 0...2, using: &generator))
    for field in ordered { query = query.order(by: field, descending: .random(using: &generator)) }
    if Int.random(in: 0..<5, using: &generator) == 0 {
      query = query.order(by: .documentID, descending: .random(using: &generator))
    }
    return query
  }

  @Test(arguments: 0..<12)
  func aDeclaredIndexChangesNoAnswer(seed: UInt64) async throws {
    var generator = SeededGenerator(state: seed)
    let indexed = makeStore(settings: StoreSettings(indexes: Self.randomIndexes(using: &generator)))
    let plain = makeStore()
    let paths = (0..<60).map { ["c/\($0)", "p/1/c/\($0)", "p/2/q/x/c/\($0)"][[0, 0, 1, 2][$0 % 4]] }
    let first = paths.map { ($0, Self.randomFields(using: &generator)) }
    // Changes must leave no stale entry behind.
    let second = paths.prefix(20).map { ($0, Self.randomFields(using: &generator)) }
    for store in [indexed, plain] {
      let batch = store.batch()
      for (path, fields) in first { try batch.set(fields, at: store.document(path)) }
      try await batch.commit()
      try await store.buildIndexes()
      for (path, fields) in second { try await store.document(path).set(fields) }
      for path in paths[20..<25] { try await store.document(path).delete() }
    }
    #expect(try await indexed.indexes().allSatisfy { $0.isComplete })
    let documents = try await plain.collectionGroup("c").get().documents
    #expect(documents.count == 55)

    var served = 0
    for _ in 0..<250 {
      var query = try Self.randomQuery(in: indexed, using: &generator)
      let limit = Bool.random(using: &generator) ? Int.random(in: 1...6, using: &generator) : nil
      guard let orders = try? ResolvedQuery(query.structure).orders else { continue }
      // Cursors: some at documents, some at any values.
      func cursor() -> QueryCursor? {
        guard Bool.random(using: &generator) else { return nil }
        let document = documents.randomElement(using: &generator)
        var values: [Value] = []
        for order in orders.prefix(.random(in: 1...orders.count, using: &generator)) {
          if order.field == .documentID {
            guard let path = document?.reference.path else { break }
            values.append(.reference(path))
          } else {
            values.append(
              document?.fields?[order.field] ?? Self.values.randomElement(using: &generator) ?? 0)
          }
        }
        return QueryCursor(values: values, isInclusive: .random(using: &generator))
      }
      query.structure.start = cursor()
      query.structure.end = cursor()
      query.structure.limit = limit
      if limit != nil, !query.structure.orders.isEmpty {
        query.isLimitedToLast = Int.random(in: 0..<4, using: &generator) == 0
      }
      guard let runnable = try? RunnableQuery(query) else { continue }
      let run = runnable.run
      let all = documents.filter { run.matches($0.fields ?? [:], at: $0.reference.path) }
        .sorted { left, right in
          run.compare(
            run.sortKey(left.fields ?? [:], at: left.reference.path),
            run.sortKey(right.fields ?? [:], at: right.reference.path)
          ) < 0
        }
      var expected = all.prefix(limit ?? .max).map(\.reference.path.text)
      if runnable.isTurned { expected.reverse() }
      let explanation = try await query.explain()
      let context: Comment = "\(explanation.index): \(query.structure)"
      #expect(try await query.get().documents.map(\.reference.path.text) == expected, context)
      #expect(try await query.count() == expected.count, context)
      #expect(explanation.results == expected.count, context)
      var other = query
      other = Query(store: plain, structure: query.structure, isLimitedToLast: query.isLimitedToLast)
      #expect(try await other.get().documents.map(\.reference.path.text) == expected, context)
      let sum = try await query.aggregate(.count)
      #expect(sum.count == expected.count, context)
      if explanation.index.contains("(") { served += 1 }
    }
    #expect(served > 0)
  }
}
