import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The result of a query equals that of filtering and sorting all documents, regardless of the index that
/// serves it.
@Suite(.limited) struct IndexAnswerTests {
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
        members.append(
          Bool.random(using: &generator) ? .ascending(.documentID()) : .descending(.documentID()))
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
        .documentID(), comparison, [.in, .notIn].contains(comparison) ? .array([name(), name()]) : name())
    }
    let isList = [.in, .notIn, .arrayContainsAny].contains(comparison)
    return .field(
      fields.randomElement(using: &generator) ?? "a", comparison,
      isList ? .array([value(), 1, value()]) : value())
  }

  private static func randomQuery(in store: Store, using generator: inout SeededGenerator) throws -> Query {
    var query =
      Int.random(in: 0..<3, using: &generator) == 0
      ? store.collectionGroup("c") : store.collection("c").query
    for _ in 0..<Int.random(in: 0...3, using: &generator) {
      if Int.random(in: 0..<5, using: &generator) == 0 {
        query = query.whereFilter(
          Filter(
            .or([
              randomCondition(using: &generator),
              .and([randomCondition(using: &generator), randomCondition(using: &generator)]),
            ])))
      } else {
        query = query.whereFilter(Filter(randomCondition(using: &generator)))
      }
    }
    let ordered = fields.shuffled(using: &generator).prefix(.random(in: 0...2, using: &generator))
    for field in ordered { query = query.order(by: field, descending: .random(using: &generator)) }
    if Int.random(in: 0..<5, using: &generator) == 0 {
      query = query.order(by: .documentID(), descending: .random(using: &generator))
    }
    return query
  }

  @Test(arguments: 0..<UInt64(DeepTests.count(2, deep: 12)))
  func aDeclaredIndexChangesNoResult(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    // Some fields have indexes, others don't, and some have one of values only.
    let overrides = Self.fields.filter { _ in Bool.random(using: &generator) }.map {
      FieldOverride("c", $0, FieldOverride.Indexes(rawValue: .random(in: 0...3, using: &generator)))
    }
    let indexed = makeStore(
      settings: StoreSettings(
        indexes: Self.randomIndexes(using: &generator),
        fieldIndexing: FieldIndexing.allCases[Int(clamping: seed) % 3], fieldOverrides: overrides))
    let plain = makeStore(settings: StoreSettings(fieldIndexing: .everyField))
    let paths = (0..<60).map { ["c/\($0)", "p/1/c/\($0)", "p/2/q/x/c/\($0)"][[0, 0, 1, 2][$0 % 4]] }
    let first = paths.map { ($0, Self.randomFields(using: &generator)) }
    // Changes must not leave stale entries.
    let second = paths.prefix(20).map { ($0, Self.randomFields(using: &generator)) }
    for store in [indexed, plain] {
      let batch = store.batch()
      for (path, fields) in first { try batch.setData(fields, forDocument: store.document(path)) }
      try await batch.commit()
      try await store.buildIndexes()
      for (path, fields) in second { try await store.document(path).setData(fields) }
      for path in paths[20..<25] { try await store.document(path).delete() }
    }
    #expect(try await indexed.indexes().allSatisfy { $0.isComplete })
    let documents = try await plain.collectionGroup("c").getDocuments().documents
    #expect(documents.count == 55)

    var served = 0
    for _ in 0..<250 {
      var query = try Self.randomQuery(in: indexed, using: &generator)
      let limit = Bool.random(using: &generator) ? Int.random(in: 1...6, using: &generator) : nil
      guard let orders = try? ResolvedQuery(query.structure).orders else { continue }
      // Cursors: some at documents, some at arbitrary values.
      func cursor() -> QueryCursor? {
        guard Bool.random(using: &generator) else { return nil }
        let document = documents.randomElement(using: &generator)
        var values: [Value] = []
        for order in orders.prefix(.random(in: 1...orders.count, using: &generator)) {
          if order.field == .documentID() {
            guard let path = document?.reference.resourcePath else { break }
            values.append(.reference(path))
          } else {
            values.append(
              document?.fields[order.field] ?? Self.values.randomElement(using: &generator) ?? 0)
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
      guard let runnable = try? query.runnable(isSent: false) else { continue }
      let run = runnable.run
      let all = documents.filter { run.matches($0.fields, at: $0.reference.resourcePath) }
        .sorted { left, right in
          run.compare(
            run.sortKey(left.fields, at: left.reference.resourcePath),
            run.sortKey(right.fields, at: right.reference.resourcePath)
          ) < 0
        }
      var expected = all.prefix(limit ?? .max).map(\.reference.path)
      if runnable.isReversed { expected.reverse() }
      let explanation = try await query.explain()
      let context: Comment = "\(explanation.index): \(query.structure)"
      #expect(try await query.getDocuments().documents.map(\.reference.path) == expected, context)
      #expect(try await query.count.getAggregation().count == expected.count, context)
      #expect(explanation.results == expected.count, context)
      var other = query
      other = Query(store: plain, structure: query.structure, isLimitedToLast: query.isLimitedToLast)
      #expect(try await other.getDocuments().documents.map(\.reference.path) == expected, context)
      let sum = try await query.aggregate([.count()]).getAggregation()
      #expect(sum.count == expected.count, context)
      if explanation.index.contains("(") { served += 1 }
    }
    #expect(served > 0)
  }

  /// An index contains only the first 1,500 bytes of a value; conditions and cursors compare the whole value.
  @Test(arguments: [false, true])
  func longValuesAreOrderedAndBoundCorrectly(isDeclared: Bool) async throws {
    let indexes = [CompositeIndex("c", .ascending("k"), .descending("a"))]
    let store = makeStore(settings: StoreSettings(indexes: isDeclared ? indexes : []))
    let long = String(repeating: "x", count: 1600)
    for (id, end) in [("1", "c"), ("2", "a"), ("3", "b"), ("4", "b")] {
      try await store.document("c/\(id)").setData(["k": 1, "a": long + end])
    }
    try await store.document("c/5").setData(["k": 1, "a": "y"])
    try await store.buildIndexes()
    let query = store.collection("c").whereField("k", isEqualTo: 1)
    let b: Value = .init(long + "b")
    let ordered = query.order(by: "a", descending: true)
    #expect(try await ordered.explain().index.hasPrefix("c(") == isDeclared)
    #expect(try await ordered.getDocuments().ids == ["5", "4", "3", "2", "1"])
    #expect(try await ordered.start(after: [b]).getDocuments().ids == ["2"])
    #expect(try await ordered.start(at: [b]).getDocuments().ids == ["4", "3", "2"])
    #expect(try await ordered.end(before: [b]).getDocuments().ids == ["5", "1"])
    #expect(try await ordered.end(at: [b]).getDocuments().ids == ["5", "4", "3", "1"])
    #expect(try await query.whereField("a", isNotEqualTo: b).getDocuments().ids == ["1", "2", "5"])
    #expect(try await query.whereField("a", notIn: [b, "y"]).getDocuments().ids == ["1", "2"])
    #expect(try await query.whereField("a", isLessThan: b).getDocuments().ids == ["2"])
    #expect(
      try await query.whereField("a", isLessThanOrEqualTo: b).limit(to: 2).getDocuments().ids == ["2", "3"])
    #expect(try await query.whereField("a", isGreaterThan: b).getDocuments().ids == ["1", "5"])
    #expect(try await query.whereField("a", isEqualTo: b).getDocuments().ids == ["3", "4"])
    #expect(try await query.whereField("a", in: [b, "y"]).getDocuments().ids == ["3", "4", "5"])
  }

  /// Texts and bytes around the length at which indexes cut them, in the order of Google's emulator.
  static let cutValues: [(id: String, text: Value, bytes: Value)] = [
    ("z1498", 1498, ""), ("y1499", 1499, ""), ("x1500", 1500, ""), ("w1501", 1501, ""), ("v1502", 1502, ""),
    ("d1499y", 1498, "y"), ("c1500y", 1499, "y"), ("b1501y", 1500, "y"),
  ].map { id, count, end in
    let text = String(repeating: "x", count: count) + end
    return (id, .string(text), .bytes(Data(text.utf8)))
  }
  private static let orderOfTexts = [
    "z1498", "y1499", "b1501y", "c1500y", "v1502", "w1501", "x1500", "d1499y",
  ]
  private static let orderOfBytes = [
    "z1498", "y1499", "x1500", "b1501y", "v1502", "w1501", "c1500y", "d1499y",
  ]

  private func checkCutValues(_ store: Store) async throws {
    let collection = store.collection("c")
    for (field, expected) in [("text", Self.orderOfTexts), ("bytes", Self.orderOfBytes)] {
      let ordered = collection.order(by: field)
      #expect(try await ordered.getDocuments().ids == expected)
      #expect(try await ordered.limit(to: 3).getDocuments().ids == Array(expected.prefix(3)))
      #expect(
        try await collection.order(by: field, descending: true).getDocuments().ids == expected.reversed())
    }
    for value in Self.cutValues {
      #expect(try await collection.whereField("text", isEqualTo: value.text).getDocuments().ids == [value.id])
      #expect(try await collection.whereField("bytes", in: [value.bytes]).getDocuments().ids == [value.id])
      let before = Self.cutValues.filter { $0.text.compare(value.text) < 0 }.map(\.id)
      let less = collection.whereField("text", isLessThan: value.text)
      #expect(try await less.getDocuments().ids.sorted() == before.sorted())
      #expect(try await less.count.getAggregation().count == before.count)
      let others = collection.whereField("text", isNotEqualTo: value.text)
      #expect(try await others.count.getAggregation().count == Self.cutValues.count - 1)
    }
  }

  @Test(arguments: FieldIndexing.allCases, [false, true])
  func valuesAtTheLimitOfAnIndexAreOrderedAsOnTheServer(
    indexing: FieldIndexing, isDeclared: Bool
  ) async throws {
    let indexes = ["text", "bytes"].flatMap {
      [CompositeIndex("c", .ascending(FieldPath([$0]))), CompositeIndex("c", .descending(FieldPath([$0])))]
    }
    let store = makeStore(
      settings: StoreSettings(indexes: isDeclared ? indexes : [], fieldIndexing: indexing))
    for value in Self.cutValues {
      try await store.document("c/\(value.id)").setData(["text": value.text, "bytes": value.bytes])
    }
    for _ in 0..<2 {
      try await checkCutValues(store)
      try await store.buildIndexes()
    }
  }

  /// Before version 14, a value that was cut had the same entry as the whole value with the same bytes.
  @Test func entriesOfLongValuesInOlderDatabasesAreRebuilt() async throws {
    let directory = try TestDirectory()
    let settings = StoreSettings(
      indexes: [CompositeIndex("c", .ascending("text"), .ascending("n"))], fieldIndexing: .everyField)
    let older = makeStore(directory, settings: settings)
    for value in Self.cutValues {
      try await older.document("c/\(value.id)").setData(["text": value.text, "bytes": value.bytes, "n": 1])
    }
    try await older.buildIndexes()
    await older.engine.close()
    let connection = try Connection.open(directory.file)
    try connection.execute(
      """
      UPDATE entries SET value = substr(value, 1, length(value) - 1) WHERE length(value) > 1500 AND substr(value, -1) = x'01';
      DROP TABLE dropped_collections;
      ALTER TABLE entries DROP COLUMN number;
      PRAGMA user_version = 13
      """)
    let entries = try connection.first("SELECT count(*) FROM entries") { $0.integer(0) }
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let store = makeStore(directory, settings: settings, buildsIndexes: false)
    try await checkCutValues(store)
    try await store.buildIndexes()
    try await checkCutValues(store)
    #expect(try await store.indexes().allSatisfy { $0.isComplete })
    #expect(try connection.first("SELECT count(*) FROM entries") { $0.integer(0) } == entries)
    #expect(
      try connection.first("SELECT count(*) FROM entries WHERE length(value) > 1500") { $0.integer(0) } != 0)
  }

  /// An index can't serve an order by id in the direction opposite to the preceding field's, nor the cursors
  /// of this order.
  @Test(arguments: [false, true])
  func documentIDsCanBeOrderedAgainstThePrecedingField(isDeclared: Bool) async throws {
    let indexes = [CompositeIndex("c", .ascending("a"), .descending(.documentID()))]
    let store = makeStore(settings: StoreSettings(indexes: isDeclared ? indexes : []))
    for number in 0..<9 { try await store.document("c/\(number)").setData(["a": number / 3]) }
    try await store.buildIndexes()
    let ordered = store.collection("c").order(by: "a").order(by: .documentID(), descending: true)
    #expect(try await ordered.explain().isOrdered == isDeclared)
    #expect(try await ordered.limit(to: 4).getDocuments().ids == ["2", "1", "0", "5"])
    let page = ordered.start(after: [1, "4"]).limit(to: 2)
    #expect(try await page.getDocuments().ids == ["3", "8"])
    #expect(try await ordered.end(before: [1, "4"]).getDocuments().ids == ["2", "1", "0", "5"])
    if isDeclared { #expect(try await page.explain().entriesRead == 2) }
  }

  /// Ids are compared as paths: those of another collection come before or after all ids of this one.
  @Test func conditionsOnIDsOfOtherCollectionsCompareWholePaths() async throws {
    let store = makeStore()
    for number in 1...3 { try await store.document("m/\(number)").setData(["n": number]) }
    try await store.document("a/x/m/1").setData(["n": 4])
    func reference(_ path: String) throws -> Value { .reference(try ResourcePath(document: path)) }
    let collection = store.collection("m")
    #expect(
      try await collection.whereField(.documentID(), isGreaterThan: reference("a/9")).getDocuments().ids == [
        "1", "2", "3",
      ])
    #expect(
      try await collection.whereField(.documentID(), isLessThan: reference("z/0")).getDocuments().ids == [
        "1", "2", "3",
      ])
    #expect(
      try await collection.whereField(.documentID(), isLessThan: reference("a/9")).getDocuments().ids.isEmpty)
    let group = store.collectionGroup("m").whereField(.documentID(), isGreaterThan: "a/x/m/5")
    #expect(try await group.getDocuments().ids == ["1", "2", "3"])
  }
}
