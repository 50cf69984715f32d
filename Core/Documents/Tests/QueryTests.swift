import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import Testing

@Suite(.limited) struct QueryTests {
  private func query(
    _ filter: QueryFilter? = nil,
    orders: [QueryOrder] = [],
    start: QueryCursor? = nil,
    end: QueryCursor? = nil,
    limit: Int? = nil
  ) throws -> ResolvedQuery {
    try ResolvedQuery(
      StructuredQuery(
        parent: ResourcePath(segments: []),
        collectionID: "c",
        filter: filter,
        orders: orders,
        start: start,
        end: end,
        limit: limit
      )
    )
  }

  private func matches(_ filter: QueryFilter, _ fields: Fields) throws -> Bool {
    try query(filter).matches(fields, at: ResourcePath(segments: ["c", "d"]))
  }

  @Test(
    arguments: [
      (.equal, 1, 1.0, true), (.equal, .null, .null, true), (.equal, .double(.nan), .double(.nan), true),
      (.equal, 1, "1", false), (.lessThan, 1, 2.5, true), (.lessThan, 1, "a", false),
      (.lessThan, .double(.nan), 5, false), (.lessThanOrEqual, .null, .null, false),
      (.greaterThanOrEqual, .double(.nan), .double(.nan), false), (.lessThan, 1, .double(.nan), false),
      (.greaterThan, 1, .double(.nan), false),
      (.arrayContains, [.null], .null, false), (.arrayContains, [.double(.nan)], .double(.nan), false),
      (.greaterThanOrEqual, "b", "b", true), (.notEqual, "a", 1, true),
      (.notEqual, .null, 1, false), (.notEqual, .double(.nan), .null, true),
      (.arrayContains, [1, 2], 2.0, true),
      (.arrayContains, "2", "2", false), (.arrayContainsAny, [1, 2], [3, 2], true),
      (.arrayContainsAny, [.null, .double(.nan)], [.null, .double(.nan), 3], false),
      (.in, 1, [2, 1.0], true),
      (.in, .null, [.null, 1], false), (.in, .double(.nan), [.double(.nan)], false),
      (.notIn, 1, [2, 3], true),
      (.notIn, 1, [1.0], false), (.notIn, 1, [.null, 2], false), (.notIn, .null, [2], false),
      (.notIn, .double(.nan), [.double(.nan)], true),
    ] as [(QueryComparison, Value, Value, Bool)]
  )
  func comparisonsFollowTheServer(comparison: QueryComparison, value: Value, operand: Value, expected: Bool)
    throws
  {
    #expect(try matches(.field("f", comparison, operand), ["f": value]) == expected)
    #expect(
      try matches(.field("f", comparison, operand), ["g": value]) == false,
      "a missing field never matches"
    )
  }

  @Test func conditionsAreCombined() throws {
    let either = QueryFilter.or([
      .field("a", .equal, 1), .and([.field("b", .equal, 2), .field("c", .equal, 3)]),
    ])
    #expect(try matches(either, ["a": 1]))
    #expect(try matches(either, ["b": 2, "c": 3]))
    #expect(try !matches(either, ["b": 2]))
    // An inequality adds an order by its field, and a document without an ordered field isn't found, even by
    // `or`.
    let presence = QueryFilter.or([.field("x", .greaterThan, 2), .field("y", .equal, 1)])
    #expect(try !matches(presence, ["y": 1]))
  }

  @Test func implicitOrdersFollowTheExplicitOnes() throws {
    let orders = try query(
      .and([.field("b", .greaterThan, 1), .field("a", .notEqual, 1), .field("c", .equal, 1)]),
      orders: [QueryOrder(field: "z", isDescending: true)]
    ).orders
    #expect(orders.map(\.field.text) == ["z", "a", "b", "__name__"])
    #expect(orders.map(\.isDescending) == [true, true, true, true])
  }

  @Test func cursorsBoundTheOrder() throws {
    let bounded = try query(
      orders: [QueryOrder(field: "f")],
      start: QueryCursor(values: [2], isInclusive: false),
      end: QueryCursor(values: [4], isInclusive: true)
    )
    let path = ResourcePath(segments: ["c", "d"])
    #expect(
      (1...5).map { bounded.matches(["f": .integer($0)], at: path) } == [false, false, true, true, false]
    )
    #expect(!bounded.matches(["f": "text"], at: path))
  }

  @Test func documentIDsCanBeConditionsAndOrders() throws {
    let resolved = try query(.field(.documentID(), .greaterThan, "b"))
    #expect(resolved.matches([:], at: ResourcePath(segments: ["c", "c"])))
    #expect(!resolved.matches([:], at: ResourcePath(segments: ["c", "a"])))
    #expect(!resolved.matches([:], at: ResourcePath(segments: ["other", "c"])))
    #expect(throws: DocumentError.self) { try query(.field(.documentID(), .equal, "a/b")) }
    #expect(throws: DocumentError.self) { try query(.field(.documentID(), .equal, 5)) }
  }

  @Test func aCollectionGroupContainsEveryCollectionWithItsID() throws {
    let group = try ResolvedQuery(
      StructuredQuery(parent: ResourcePath(segments: ["p", "q"]), collectionID: "c", allDescendants: true)
    )
    #expect(group.isInScope(ResourcePath(segments: ["p", "q", "c", "d"])))
    #expect(group.isInScope(ResourcePath(segments: ["p", "q", "x", "y", "c", "d"])))
    #expect(!group.isInScope(ResourcePath(segments: ["c", "d"])))
    #expect(!group.isInScope(ResourcePath(segments: ["p", "q", "x", "y"])))
  }

  @Test func sortKeysFollowTheOrdersAndTheirDirections() throws {
    let resolved = try query(orders: [QueryOrder(field: "a", isDescending: true), QueryOrder(field: "b")])
    func key(_ a: Value, _ b: Value, _ id: String) -> ResolvedQuery.SortKey {
      resolved.sortKey(["a": a, "b": b], at: ResourcePath(segments: ["c", id]))
    }
    #expect(resolved.compare(key(2, 1, "x"), key(1, 1, "x")) < 0)
    #expect(resolved.compare(key(1, 1, "x"), key(1, "a", "x")) < 0)
    #expect(resolved.compare(key(1, 1, "x"), key(1.0, 1, "y")) < 0)
    #expect(resolved.compare(key(1, 1, "x"), key(1, 1, "x")) == 0)
  }

  /// As on Google's emulator: the field isn't an implicit order, which documents without it would lack.
  @Test(arguments: [.null, .double(.nan)] as [Value])
  func aComparisonThatMatchesNothingIsNoInequality(operand: Value) throws {
    let either = try query(.or([.field("g", .lessThan, operand), .field("k", .equal, 1)]))
    #expect(either.orders.map(\.field) == [.documentID()])
    #expect(either.matches(["k": 1], at: ResourcePath(segments: ["c", "d"])))
    let condition = QueryFilter.field("g", .greaterThan, operand)
    #expect(throws: Never.self) { try query(condition, orders: [QueryOrder(field: .documentID())]) }
    #expect(throws: Never.self) { try query(.and([.field(.documentID(), .in, ["x"]), condition])) }
  }

  @Test(
    arguments: [
      (.field("a", .in, []), "1 to 30"), (.field("a", .in, 5), "1 to 30"),
      (.field("a", .notIn, .array(Array(repeating: 1, count: 11))), "1 to 10"),
      (.and([.field("a", .notEqual, 1), .field("b", .notEqual, 1)]), "one condition"),
      (.and([.field("a", .notIn, [1]), .field("b", .in, [1])]), "can't be combined"),
      (.and([.field(.documentID(), .equal, "x"), .field("a", .lessThan, 1)]), "certain document ids"),
      (.and([.field(.documentID(), .in, ["x"]), .field("a", .lessThan, 1)]), "certain document ids"),
      (.and([.field(.documentID(), .in, ["x", "y"]), .field("a", .notEqual, 1)]), "certain document ids"),
      (.or([.field(.documentID(), .in, ["x"]), .field("a", .greaterThan, 2)]), "certain document ids"),
      (.or([]), "no conditions"), (.and([.field("a", .equal, 1), .or([])]), "no conditions"),
      (.or([.field("a", .equal, 1), .and([.or([])])]), "no conditions"),
      (.field("a..b", .equal, 1), "empty name"), (.field("a", QueryComparison(rawValue: "LIKE"), 1), "LIKE"),
    ] as [(QueryFilter, String)]
  )
  func aBadQueryIsNamed(filter: QueryFilter, expected: String) {
    let thrown = #expect(throws: DocumentError.self) { try query(filter) }
    #expect(thrown?.message.contains(expected) == true, "\(thrown?.message ?? "")")
  }

  /// The emulator accepts these queries.
  @Test(
    arguments: [
      .and([]), .or([.field("a", .equal, 1), .and([])]),
      .and([.field(.documentID(), .in, ["x"]), .field("a", .equal, 1)]),
      .and([
        .field(.documentID(), .in, ["x"]), .field(.documentID(), .lessThan, "z"), .field("a", .lessThan, 1),
      ]),
      .and([.field(.documentID(), .notIn, ["x"]), .field("a", .lessThan, 1)]),
    ] as [QueryFilter]
  )
  func aQueryThatTheServerAnswersIsAllowed(filter: QueryFilter) {
    #expect(throws: Never.self) { try query(filter) }
  }

  @Test(
    arguments: [
      ([], ["x"]), (["a"], [1, "x"]), (["a"], [1, 2]), (["a", .documentID()], [1, "x", 2]),
      // The inequality also orders the query, but implicitly.
      (["b"], [1, 1]), (["b"], [1, 1, "x"]),
    ] as [([FieldPath], [Value])]
  )
  func aCursorHasNoMoreValuesThanTheQueryHasExplicitOrders(orders: [FieldPath], values: [Value]) throws {
    let filter = QueryFilter.field("a", .greaterThan, 0)
    let orders = orders.map { QueryOrder(field: $0) }
    for isInclusive in [true, false] {
      let cursor = QueryCursor(values: values, isInclusive: isInclusive)
      let start = #expect(throws: DocumentError.self) { try query(filter, orders: orders, start: cursor) }
      #expect(start?.code == .badQuery && start?.message.contains("A cursor has") == true)
      #expect(throws: DocumentError.self) { try query(filter, orders: orders, end: cursor) }
      let fewer = QueryCursor(values: Array(values.prefix(orders.count)), isInclusive: isInclusive)
      _ = try query(filter, orders: orders, start: fewer, end: fewer)
    }
  }

  @Test func invalidLimitsAndRepeatedOrdersAreRejected() {
    #expect(throws: DocumentError.self) { try query(limit: 0) }
    #expect(throws: DocumentError.self) {
      try query(orders: [QueryOrder(field: "a"), QueryOrder(field: "a")])
    }
  }

  @Test func nothingIsOrderedAfterTheDocumentID() {
    let thrown = #expect(throws: DocumentError.self) {
      try query(orders: [QueryOrder(field: .documentID()), QueryOrder(field: "a")])
    }
    #expect(thrown?.message.contains("\"a\" after the document id") == true)
    // An inequality adds an order, too.
    #expect(throws: DocumentError.self) {
      try query(.field("a", .lessThan, 1), orders: [QueryOrder(field: .documentID())])
    }
  }

  @Test func queriesPrintAsOneLine() {
    let query = StructuredQuery(
      parent: ResourcePath(segments: []), collectionID: "notes", allDescendants: true,
      filter: .and([.field("n", .lessThanOrEqual, 1), .field("tags", .arrayContainsAny, ["a"])]),
      orders: [QueryOrder(field: "n")], start: QueryCursor(values: [1], isInclusive: false), limit: 2)
    #expect(
      "\(query)"
        == #"group notes where (n <= 1 and tags array-contains-any ["a"]) order by n start after [1] limit 2"#
    )
  }
}
