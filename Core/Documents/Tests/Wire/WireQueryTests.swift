import Foundation
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import Testing

/// Queries and aggregations as texts in both directions.
@Suite(.limited) struct WireQueryTests {
  private static func decode(_ text: String, parent: ResourcePath = ResourcePath(segments: [])) throws
    -> RunQueryRequest
  {
    try RunQueryRequest(FirestoreJSON(Data(text.utf8)), parent: parent, in: WireText.database)
  }

  @Test(
    arguments: [
      (
        StructuredQuery(parent: ResourcePath(segments: []), collectionID: "c"),
        #"{"from":[{"collectionId":"c"}]}"#
      ),
      (
        StructuredQuery(
          parent: WireText.ab, collectionID: "c", allDescendants: true,
          filter: .field(FieldPath(["a b"]), .lessThan, .double(-0.0)),
          orders: [
            QueryOrder(field: FieldPath(["x"])), QueryOrder(field: .documentID(), isDescending: true),
          ],
          start: QueryCursor(values: [1], isInclusive: true),
          end: QueryCursor(values: [2, .null], isInclusive: true),
          limit: 5),
        #"{"from":[{"collectionId":"c","allDescendants":true}],"where":{"fieldFilter":{"field":{"fieldPath":"`a b`"},"op":"LESS_THAN","value":{"doubleValue":-0.0}}},"orderBy":[{"field":{"fieldPath":"x"},"direction":"ASCENDING"},{"field":{"fieldPath":"__name__"},"direction":"DESCENDING"}],"startAt":{"values":[{"integerValue":"1"}],"before":true},"endAt":{"values":[{"integerValue":"2"},{"nullValue":null}]},"limit":5}"#
      ),
      (
        StructuredQuery(
          parent: WireText.ab, collectionID: "c", start: QueryCursor(values: [], isInclusive: false),
          end: QueryCursor(values: [], isInclusive: false)),
        #"{"from":[{"collectionId":"c"}],"startAt":{"values":[]},"endAt":{"values":[],"before":true}}"#
      ),
      (
        StructuredQuery(
          parent: WireText.ab, collectionID: "c",
          filter: .or([
            .and([.field("n", .equal, .null), .field("n", .notEqual, .null)]),
            .field("n", .equal, .double(.nan)),
            .field("n", .notEqual, .double(.nan)), .field("n", .in, [.null]),
          ])),
        #"{"from":[{"collectionId":"c"}],"where":{"compositeFilter":{"op":"OR","filters":[{"compositeFilter":{"op":"AND","filters":[{"unaryFilter":{"field":{"fieldPath":"n"},"op":"IS_NULL"}},{"unaryFilter":{"field":{"fieldPath":"n"},"op":"IS_NOT_NULL"}}]}},{"unaryFilter":{"field":{"fieldPath":"n"},"op":"IS_NAN"}},{"unaryFilter":{"field":{"fieldPath":"n"},"op":"IS_NOT_NAN"}},{"fieldFilter":{"field":{"fieldPath":"n"},"op":"IN","value":{"arrayValue":{"values":[{"nullValue":null}]}}}}]}}}"#
      ),
    ] as [(StructuredQuery, String)])
  func aQueryHasTheFormOfTheProtocol(query: StructuredQuery, text: String) throws {
    let request = RunQueryRequest(query: query, consistency: .readTime(Timestamp(seconds: 1)))
    let body = #"{"structuredQuery":\#(text),"readTime":"1970-01-01T00:00:01Z"}"#
    #expect(try WireText.of(request) == body)
    #expect(try Self.decode(body, parent: query.parent) == request)
  }

  @Test(
    arguments: [
      .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .arrayContains,
      .arrayContainsAny, .in, .notIn, QueryComparison(rawValue: "LATER"),
    ] as [QueryComparison])
  func everyComparisonSurvives(comparison: QueryComparison) throws {
    let query = StructuredQuery(parent: WireText.ab, collectionID: "c", filter: .field("x", comparison, 5))
    #expect(try Self.decode(WireText.of(RunQueryRequest(query: query)), parent: WireText.ab).query == query)
  }

  @Test func aLimitBeyondTheProtocolIsItsGreatest() throws {
    let query = StructuredQuery(parent: WireText.ab, collectionID: "c", limit: .max)
    #expect(try Self.decode(WireText.of(RunQueryRequest(query: query))).query.limit == 2_147_483_647)
  }

  @Test func anEmptyConjunctionIsNotWritten() throws {
    let query = StructuredQuery(parent: WireText.ab, collectionID: "c", filter: .and([]))
    #expect(
      try WireText.of(RunQueryRequest(query: query))
        == #"{"structuredQuery":{"from":[{"collectionId":"c"}]}}"#)
  }

  @Test(
    arguments: [
      #"{"value":3}"#, "3", #""3""#, "3.0",
    ])
  func aLimitIsReadInEveryForm(limit: String) throws {
    let text = #"{"structuredQuery":{"from":[{"collectionId":"c"}],"limit":\#(limit)}}"#
    #expect(try Self.decode(text).query.limit == 3)
  }

  @Test(
    arguments: [
      (#"{}"#, "structuredQuery"), (#"{"structuredQuery":5}"#, "structuredQuery"),
      (query(#""from":[{"collectionId":"c"},{"collectionId":"d"}]"#), "structuredQuery.from"),
      (query(#""from":[{"collectionId":"c","allDescendants":1}]"#), "structuredQuery.from[0].allDescendants"),
      (query(#"FROM,"where":{}"#), "structuredQuery.where"),
      (query(#"FROM,"where":[]"#), "structuredQuery.where"),
      (
        query(#"FROM,"where":{"compositeFilter":{"op":"XOR","filters":[]}}"#),
        "structuredQuery.where.compositeFilter.op"
      ),
      (
        query(
          #"FROM,"where":{"compositeFilter":{"op":"OR","filters":[{"unaryFilter":{"field":{"fieldPath":"a"},"op":"IS"}}]}}"#
        ),
        "structuredQuery.where.compositeFilter.filters[0].unaryFilter.op"
      ),
      (
        query(#"FROM,"where":{"fieldFilter":{"field":{},"op":"EQUAL","value":{"nullValue":null}}}"#),
        "structuredQuery.where.fieldFilter.field.fieldPath"
      ),
      (
        query(#"FROM,"where":{"fieldFilter":{"field":{"fieldPath":"a"},"op":"EQUAL"}}"#),
        "structuredQuery.where.fieldFilter.value"
      ),
      (
        query(#"FROM,"orderBy":[{"field":{"fieldPath":"a"},"direction":"UP"}]"#),
        "structuredQuery.orderBy[0].direction"
      ),
      (query(#"FROM,"orderBy":[{}]"#), "structuredQuery.orderBy[0].field"),
      (query(#"FROM,"limit":-1"#), "structuredQuery.limit"),
      (query(#"FROM,"limit":"x""#), "structuredQuery.limit"),
      (query(#"FROM,"limit":2147483648"#), "structuredQuery.limit"),
      (query(#"FROM,"startAt":{"values":[5]}"#), "structuredQuery.startAt.values[0]"),
      (query(#"FROM,"endAt":{"before":"no"}"#), "structuredQuery.endAt.before"),
    ])
  func anInvalidQueryIsRejected(text: String, member: String) {
    let error = #expect(throws: DocumentError.self) { try Self.decode(text) }
    #expect(error?.code == .damaged)
    #expect(error?.message.hasPrefix("\"\(member)\" ") == true, "\(error?.message ?? "")")
  }

  @Test(
    arguments: [
      #"{"geoPointValue":{"latitude":91}}"#, #"{"mapValue":{"fields":{"__a__":{"nullValue":null}}}}"#,
      #"{"arrayValue":{"values":[{"geoPointValue":{"longitude":-181}}]}}"#,
    ])
  func valuesThatCannotBeConvertedAreRefused(value: String) throws {
    for member in [
      #""where":{"fieldFilter":{"field":{"fieldPath":"a"},"op":"EQUAL","value":VALUE}}"#,
      #""orderBy":[{"field":{"fieldPath":"a"}}],"startAt":{"values":[VALUE]}"#,
      #""orderBy":[{"field":{"fieldPath":"a"}}],"endAt":{"values":[VALUE]}"#,
    ] {
      let error = #expect(throws: DocumentError.self) {
        try Self.decode(Self.query("FROM,\(member.replacing("VALUE", with: value))"))
      }
      #expect(error?.code == .damaged)
      let nested = #"{"arrayValue":{"values":[{"arrayValue":{}}]}}"#
      #expect(throws: Never.self) {
        try Self.decode(Self.query("FROM,\(member.replacing("VALUE", with: nested))"))
      }
    }
  }

  /// Google's tests of its clients look for these texts.
  @Test func aggregationsHaveDifferentAliases() throws {
    for (list, text) in [
      ("", "Aggregations can not be empty."),
      (
        #"{"count":{},"alias":"a"},{"count":{},"alias":"a"}"#,
        "Aggregation aliases contain duplicate alias: a."
      ),
    ] {
      let body =
        #"{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"c"}]},"#
        + #""aggregations":[\#(list)]}}"#
      let error = #expect(throws: DocumentError.self) {
        try AggregationRequest(
          FirestoreJSON(Data(body.utf8)), parent: ResourcePath(segments: []), in: WireText.database)
      }
      #expect(error?.message == text)
    }
  }

  @Test func aQueryHasItsProjectionOffsetAndSearch() throws {
    var query = StructuredQuery(parent: WireText.ab, collectionID: "c")
    query.selection = ["a", FieldPath(["b c"])]
    query.offset = 5
    let text =
      #"{"select":{"fields":[{"fieldPath":"a"},{"fieldPath":"`b c`"}]},"from":[{"collectionId":"c"}],"offset":5}"#
    let body = #"{"structuredQuery":\#(text)}"#
    #expect(try WireText.of(RunQueryRequest(query: query)) == body)
    #expect(try Self.decode(body, parent: query.parent).query == query)
    var search = StructuredQuery(parent: WireText.ab, collectionID: "c")
    search.nearest = VectorSearch(
      field: "v", vector: [1, 2], measure: .cosine, limit: 3, distanceField: "d", threshold: 0.5)
    let searching = try WireText.of(RunQueryRequest(query: search))
    #expect(try Self.decode(searching, parent: search.parent).query == search)
  }

  @Test func bundlesIgnoreWhatTheirQueriesDoNotNeed() throws {
    let text = #"{"from":[{"collectionId":"c"}],"select":{"fields":[{"fieldPath":"a"}]},"offset":5}"#
    #expect(try FirestoreJSON(Data(text.utf8)).query(below: nil).collectionID == "c")
  }

  @Test(arguments: [#"FROM,"offset":0"#, #"FROM,"select":null"#, #"FROM,"later":5"#])
  func defaultsAndUnknownMembersAreAccepted(members: String) throws {
    #expect(try Self.decode(Self.query(members)).query.collectionID == "c")
  }

  // MARK: - Aggregations

  @Test func aggregationsHaveTheFormOfTheProtocol() throws {
    let query = StructuredQuery(parent: WireText.ab, collectionID: "c")
    let request = AggregationRequest(
      query: query, aggregations: [.count, .sum("x"), .average(FieldPath(["a b"]))])
    let text = """
      {"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"c"}]},"aggregations":[\
      {"alias":"a0","count":{}},{"alias":"a1","sum":{"field":{"fieldPath":"x"}}},\
      {"alias":"a2","avg":{"field":{"fieldPath":"`a b`"}}}]}}
      """
    #expect(try WireText.of(request) == text)
    let decoded = try AggregationRequest(
      FirestoreJSON(Data(text.utf8)), parent: WireText.ab, in: WireText.database)
    #expect(decoded == request)
    let response = AggregationResponse(
      to: decoded, values: [1, .double(2.5), .null], readTime: Timestamp(seconds: 1))
    try WireText.expect(
      response,
      is: """
        {"result":{"aggregateFields":{"a0":{"integerValue":"1"},"a1":{"doubleValue":2.5},"a2":{"nullValue":null}}},\
        "readTime":"1970-01-01T00:00:01Z"}
        """)
    #expect(try response.values(for: request) == [1, .double(2.5), .null])
    #expect(throws: DocumentError.self) { try AggregationResponse(results: nil).values(for: request) }
    #expect(
      try WireText.decode(#"{"transaction":"AQ=="}"#)
        == AggregationResponse(results: nil, transaction: Data([1])))
  }

  @Test func moreThanTenAggregationsKeepTheirOrder() throws {
    let request = AggregationRequest(
      query: StructuredQuery(parent: WireText.ab, collectionID: "c"),
      aggregations: Array(repeating: .count, count: 12))
    let values = (0..<12).map { Value.integer($0) }
    let response = AggregationResponse(to: request, values: values, readTime: nil)
    #expect(
      try WireText.decode(WireText.of(response), as: AggregationResponse.self).values(for: request) == values)
  }

  @Test func aggregationsWithoutAliasesAreNamedAsOnTheServer() throws {
    let request = try Self.aggregations(
      #"{"count":{}},{"alias":"n","count":{}},{"sum":{"field":{"fieldPath":"x"}}}"#)
    #expect(
      request.aliases == ["field_1", "n", "field_2"] && request.aggregations == [.count, .count, .sum("x")])
  }

  @Test(
    arguments: [
      ("", DocumentError.Code.damaged), (#"{"alias":"a"}"#, .damaged),
      (#"{"count":{},"sum":{"field":{"fieldPath":"x"}}}"#, .damaged),
      (#"{"alias":"a","count":{}},{"alias":"a","count":{}}"#, .damaged), (#"{"sum":{}}"#, .damaged),
      (#"{"sum":{"field":{}}}"#, .damaged), (#"{"alias":5,"count":{}}"#, .damaged),
      (#"{"count":5}"#, .damaged),
      (#"{"count":{"upTo":"-5"}}"#, .damaged), (#"{"alias":"__a__","count":{}}"#, .damaged),
    ])
  func anInvalidAggregationIsRejected(items: String, code: DocumentError.Code) {
    let error = #expect(throws: DocumentError.self) { try Self.aggregations(items) }
    #expect(error?.code == code)
  }

  private static func aggregations(_ items: String) throws -> AggregationRequest {
    let text =
      #"{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"c"}]},"aggregations":[\#(items)]}}"#
    return try AggregationRequest(FirestoreJSON(Data(text.utf8)), parent: WireText.ab, in: WireText.database)
  }

  /// Returns a request with the members of a query; `FROM` is replaced by a collection.
  private static func query(_ members: String) -> String {
    "{\"structuredQuery\":{\(members.replacing("FROM", with: #""from":[{"collectionId":"c"}]"#))}}"
  }
}
