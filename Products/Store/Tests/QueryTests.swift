import Foundation
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore

@Suite(.limited) struct QueryTests {
  private func numbers(_ count: Int, in store: Store) async throws -> CollectionReference {
    let collection = store.collection("numbers")
    let batch = store.batch()
    for number in 0..<count {
      try batch.setData(
        ["n": number, "even": number.isMultiple(of: 2), "tags": ["t\(number % 3)"]],
        forDocument: collection.document(String(format: "d%03d", number)))
    }
    try await batch.commit()
    return collection
  }

  @Test func conditionsOrdersAndLimitsCombine() async throws {
    let numbers = try await numbers(20, in: makeStore())
    func ns(_ query: some Queryable) async throws -> [Int64] {
      try await query.getDocuments().documents.compactMap { $0.fields["n"]?.int64Value }
    }
    #expect(try await ns(numbers) == Array(0..<20))
    #expect(try await ns(numbers.whereField("n", isEqualTo: 7)) == [7])
    #expect(try await ns(numbers.whereField("n", isGreaterThan: 15)) == [16, 17, 18, 19])
    #expect(
      try await ns(numbers.whereField("n", isGreaterThanOrEqualTo: 5).whereField("n", isLessThan: 8)) == [
        5, 6, 7,
      ])
    #expect(try await ns(numbers.order(by: "n", descending: true).limit(to: 3)) == [19, 18, 17])
    #expect(
      try await ns(numbers.whereField("even", isEqualTo: true).order(by: "n", descending: true).limit(to: 2))
        == [
          18, 16,
        ]
    )
    #expect(try await ns(numbers.whereField("tags", arrayContains: "t1").limit(to: 3)) == [1, 4, 7])
    #expect(try await ns(numbers.whereField("n", in: [3, 1, 99])) == [1, 3])
    #expect(
      try await ns(numbers.whereFilter(Filter(.or([.field("n", .equal, 2), .field("n", .equal, 5)])))) == [
        2, 5,
      ])
    #expect(try await ns(numbers.whereField("n", isNotEqualTo: 0).limit(to: 2)) == [1, 2])
    #expect(
      try await ns(numbers.order(by: "even").order(by: "n", descending: true).limit(to: 2)) == [19, 17]
    )
    #expect(try await ns(numbers.whereField(.documentID(), isGreaterThan: "d017")) == [18, 19])
    #expect(try await ns(numbers.order(by: "n").start(at: [5]).end(before: [8])) == [5, 6, 7])
    #expect(try await ns(numbers.order(by: "n", descending: true).start(after: [5]).limit(to: 2)) == [4, 3])
    // The values are an array or arguments.
    #expect(try await ns(numbers.order(by: "n").start(at: 5).end(before: 8)) == [5, 6, 7])
    #expect(try await ns(numbers.order(by: "n").start(after: 5).end(at: 8)) == [6, 7, 8])
    let (from, through) = ([5], [6])
    #expect(try await ns(numbers.order(by: "n").start(at: from).end(at: through)) == [5, 6])
    let byEven = numbers.order(by: "even").order(by: "n")
    #expect(byEven.start(at: true, 5).description == byEven.start(at: [true, 5]).description)
    #expect(byEven.start(at: ["a"]).description != byEven.start(at: [["a"]]).description)
    #expect(try await numbers.whereField("even", isEqualTo: true).count.getAggregation().count == 10)
    #expect(try await numbers.limit(to: 7).count.getAggregation().count == 7)
    #expect(try await ns(numbers.whereField("nothing", isEqualTo: 1)).isEmpty)
  }

  @Test func pagesAreContiguous() async throws {
    let numbers = try await numbers(25, in: makeStore())
    var seen: [String] = []
    var page = numbers.order(by: "even").limit(to: 4)
    while true {
      let snapshot = try await page.getDocuments()
      seen += snapshot.ids
      guard let last = snapshot.documents.last else { break }
      page = numbers.order(by: "even").limit(to: 4).start(afterDocument: last)
    }
    #expect(
      seen == (0..<25).filter { $0 % 2 == 1 }.map { String(format: "d%03d", $0) }
        + (0..<25).filter { $0 % 2 == 0 }.map { String(format: "d%03d", $0) }
    )
  }

  @Test func collectionsAreSeparateAndGroupsCombineThem() async throws {
    let store = makeStore()
    try await store.document("rooms/a/messages/1").setData(["n": 2])
    try await store.document("rooms/b/messages/1").setData(["n": 1])
    try await store.document("messages/1").setData(["n": 3])
    try await store.document("messagesX/1").setData(["n": 4])
    #expect(try await store.collection("rooms/a/messages").getDocuments().count == 1)
    #expect(try await store.collection("rooms").getDocuments().isEmpty)
    let group = store.collectionGroup("messages").order(by: "n")
    #expect(
      try await group.getDocuments().documents.map(\.reference.path) == [
        "rooms/b/messages/1", "rooms/a/messages/1", "messages/1",
      ]
    )
  }

  /// The result of any query equals that of filtering and sorting all documents, regardless of the index that
  /// serves it.
  @Test(arguments: 0..<UInt64(DeepTests.count(1, deep: 6)), FieldIndexing.allCases)
  func everyPlanGivesTheSameResult(seed: UInt64, indexing: FieldIndexing) async throws {
    var generator = SeededGenerator(seed: seed)
    let overrides = seed.isMultiple(of: 2) ? [] : [FieldOverride("c", "a"), FieldOverride("c", "b", .exempt)]
    let store = makeStore(settings: StoreSettings(fieldIndexing: indexing, fieldOverrides: overrides))
    let values: [Value] = [
      .null, true, 0, -0.0, 1, 1.0, 2.5, .double(.nan), "a", "b", "",
      .init(String(repeating: "x", count: 1600)), [1], [1, "a"],
      ["k": 1], .integer(.max),
    ]
    let all = store.batch()
    for number in 0..<60 {
      var fields = Fields()
      for name in ["a", "b", "c"] where Int.random(in: 0..<4, using: &generator) > 0 {
        fields[name] = values.randomElement(using: &generator)
      }
      try all.setData(fields, forDocument: store.document("c/\(number)"))
    }
    try await all.commit()
    // Changes must not leave stale entries.
    for number in 0..<20 {
      try await store.document("c/\(number)").setData(["a": values.randomElement(using: &generator) ?? 0])
    }
    for number in 20..<25 { try await store.document("c/\(number)").delete() }
    let documents = try await store.collection("c").getDocuments().documents

    let comparisons: [QueryComparison] = [
      .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .arrayContains, .in,
    ]
    for _ in 0..<150 {
      var query = store.collection("c").query
      for _ in 0..<Int.random(in: 0...2, using: &generator) {
        let comparison = comparisons.randomElement(using: &generator) ?? .equal
        let value = values.randomElement(using: &generator) ?? 0
        let field: FieldPath = ["a", "b"].randomElement(using: &generator) ?? "a"
        query = query.whereFilter(Filter(.field(field, comparison, comparison == .in ? [value, 1] : value)))
      }
      for field in (["a", "b", "c"] as [FieldPath]).shuffled(using: &generator).prefix(
        Int.random(in: 0...2, using: &generator)
      ) {
        query = query.order(by: field, descending: .random(using: &generator))
      }
      if Bool.random(using: &generator) { query = query.limit(to: Int.random(in: 1...5, using: &generator)) }
      guard let resolved = try? ResolvedQuery(query.structure) else { continue }
      let expected = documents.filter { resolved.matches($0.fields, at: $0.reference.resourcePath) }
        .sorted { left, right in
          resolved.compare(
            resolved.sortKey(left.fields, at: left.reference.resourcePath),
            resolved.sortKey(right.fields, at: right.reference.resourcePath)
          ) < 0
        }
      #expect(
        try await query.getDocuments().ids
          == expected.prefix(query.structure.limit ?? .max).map(\.documentID),
        "\(query.structure)"
      )
      #expect(
        try await query.count.getAggregation().count == min(expected.count, query.structure.limit ?? .max))
    }
  }

  @Test func aQueryThatBreaksARuleIsAnErrorWhenItRuns() async throws {
    let collection = makeStore().collection("c")
    let thrown = await #expect(throws: StoreError.self) {
      try await collection.whereField("a", in: []).getDocuments()
    }
    #expect(thrown?.code == .invalidArgument)
    await #expect(throws: StoreError.self) { try await collection.limit(to: 0).count.getAggregation().count }
    await #expect(throws: StoreError.self) { for try await _ in collection.limit(to: -1).snapshots {} }
  }

  @Test func aCancelledQueryEnds() async throws {
    let numbers = try await numbers(10, in: makeStore())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await numbers.getDocuments()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// The compiler warns of it.
  @available(*, deprecated)
  @Test func anArrayOfDocumentsIsNoCursor() async throws {
    let notes = makeStore().collection("notes").order(by: "n")
    let last = try await makeStore().document("notes/a").getDocument()
    for query in [
      notes.start(at: [last]), notes.start(after: [last]), notes.end(at: [last]), notes.end(before: [last]),
    ] {
      let error = await #expect(throws: StoreError.self) { try await query.getDocuments() }
      #expect(error?.code == .invalidArgument)
    }
  }
}
