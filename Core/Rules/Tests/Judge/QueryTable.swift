import TenonStoreInterop
import TenonValues
import Testing

@testable import TenonRules

/// A query, and whether a rule allows it. The verdicts are those of Google's emulator.
struct QueryCase: Sendable, CustomTestStringConvertible {
  /// The path of the rule.
  var match = "/x/{id}"
  /// The condition of `allow list`.
  var rule: String
  /// The query.
  var query: StructuredQuery
  var offset: Int64 = 0
  /// Whether the rule allows it.
  var isAllowed: Bool

  var testDescription: String { "match \(match): \(rule), \(query), offset \(offset)" }

  /// The text of the rules.
  var source: String {
    """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{database}/documents { match \(match) { allow list: if \(rule); } }
    }
    """
  }

  static let all = comparisons + conjunctions + alternatives + values + parameters + paths

  private static func query(
    _ filter: QueryFilter? = nil, orders: [QueryOrder] = [], limit: Int? = nil, group: Bool = false,
    below parent: [String] = []
  ) -> StructuredQuery {
    StructuredQuery(
      parent: ResourcePath(segments: parent), collectionID: "x", allDescendants: group, filter: filter,
      orders: orders, limit: limit)
  }

  private static func when(_ rule: String, _ filter: QueryFilter?, _ isAllowed: Bool) -> QueryCase {
    QueryCase(rule: rule, query: query(filter), isAllowed: isAllowed)
  }

  private static func i(_ comparison: QueryComparison, _ value: Value) -> QueryFilter {
    .field(FieldPath(["i"]), comparison, value)
  }
  private static func s(_ comparison: QueryComparison, _ value: Value) -> QueryFilter {
    .field(FieldPath(["s"]), comparison, value)
  }
  private static func l(_ comparison: QueryComparison, _ value: Value) -> QueryFilter {
    .field(FieldPath(["l"]), comparison, value)
  }

  // MARK: - Comparisons

  private static let operators: [(String, QueryComparison)] = [
    ("==", .equal), ("!=", .notEqual), ("<", .lessThan), ("<=", .lessThanOrEqual), (">", .greaterThan),
    (">=", .greaterThanOrEqual),
  ]

  /// Every comparison of a rule with 2 by every comparison of a query, with 1, 2 and 3.
  private static let matrix: [(rule: String, columns: [String])] = [
    //        ==     !=     <      <=     >      >=
    ("==", ["nyn", "nnn", "nnn", "nnn", "nnn", "nnn"]),
    ("!=", ["yny", "nyn", "yyn", "ynn", "nyy", "nny"]),
    ("<", ["ynn", "nnn", "yyn", "ynn", "nnn", "nnn"]),
    ("<=", ["yyn", "nnn", "yyn", "yyn", "nnn", "nnn"]),
    (">", ["nny", "nnn", "nnn", "nnn", "nyy", "nny"]),
    (">=", ["nyy", "nnn", "nnn", "nnn", "nyy", "nyy"]),
  ]

  private static var comparisons: [QueryCase] {
    matrix.flatMap { rule, columns in
      zip(operators, columns).flatMap { comparison, verdicts in
        zip([1, 2, 3] as [Value], verdicts).map { value, verdict in
          when("resource.data.i \(rule) 2", i(comparison.1, value), verdict == "y")
        }
      }
    }
  }

  // MARK: - Conditions

  private static let conjunctions: [QueryCase] = [
    when("true", nil, true), when("resource.data.i == 1", nil, false),
    when("resource.data.i == 1 && resource.data.s == 'a'", .and([i(.equal, 1), s(.equal, "a")]), true),
    when("resource.data.i == 1 && resource.data.s == 'a'", i(.equal, 1), false),
    when("resource.data.i == 1 || resource.data.s == 'a'", i(.equal, 1), true),
    when("resource.data.i == 1 || resource.data.s == 'a'", s(.equal, "b"), false),
    when("!(resource.data.i == 1)", i(.equal, 2), true), when("!(resource.data.i == 1)", i(.equal, 1), false),
    when("resource.data.i > 1 && resource.data.i < 5", .and([i(.greaterThan, 1), i(.lessThan, 5)]), true),
    when("resource.data.i > 1 && resource.data.i < 5", .and([i(.greaterThan, 2), i(.lessThan, 4)]), true),
    when("resource.data.i > 1 && resource.data.i < 5", i(.greaterThan, 1), false),
    when("resource.data.i > 1 && resource.data.i < 5", .and([i(.greaterThan, 1), i(.lessThan, 6)]), false),
    when("2 < resource.data.i", i(.greaterThan, 2), true),
    when("2 < resource.data.i", i(.lessThan, 2), false),
  ]

  /// `or`, `in`, `not-in` and arrays.
  private static let alternatives: [QueryCase] = [
    when("resource.data.i == 1", .or([i(.equal, 1), i(.equal, 2)]), false),
    when("resource.data.i >= 1", .or([i(.equal, 1), i(.equal, 2)]), true),
    when("resource.data.i in [1, 2]", .or([i(.equal, 1), i(.equal, 2)]), true),
    when("resource.data.i == 1 || resource.data.s == 'a'", .or([i(.equal, 1), s(.equal, "a")]), true),
    when("resource.data.i in [1, 2]", i(.equal, 1), true),
    when("resource.data.i in [1, 2]", i(.equal, 3), false),
    when("resource.data.i in [1, 2]", i(.in, [1, 2]), true),
    when("resource.data.i in [1, 2]", i(.in, [1, 3]), false), when("resource.data.i == 1", i(.in, [1]), true),
    when("resource.data.i < 3", i(.in, [1, 2]), true), when("resource.data.i < 3", i(.in, [1, 3]), false),
    when("resource.data.i != 1", i(.notIn, [1, 2]), true),
    when("resource.data.i != 3", i(.notIn, [1, 2]), false),
    when("resource.data.i == 3", i(.notIn, [1, 2]), false),
    when("1 in resource.data.l", l(.arrayContains, 1), true),
    when("1 in resource.data.l", l(.arrayContains, 2), false), when("1 in resource.data.l", nil, false),
    when("1 in resource.data.l", l(.arrayContainsAny, [1]), true),
    when("1 in resource.data.l", l(.arrayContainsAny, [1, 2]), false),
    when("1 in resource.data.l || 2 in resource.data.l", l(.arrayContainsAny, [1, 2]), true),
    when(
      "1 in resource.data.l && resource.data.i == 1", .and([l(.arrayContains, 1), i(.equal, 1)]), true),
  ]

  private static let values: [QueryCase] = [
    when("resource.data.s == 'a'", s(.equal, "a"), true),
    when("resource.data.s == 'a'", s(.equal, "b"), false),
    when("resource.data.s >= 'a'", s(.greaterThanOrEqual, "b"), true),
    when("resource.data.s >= 'b'", s(.greaterThanOrEqual, "a"), false),
    when("resource.data.s == request.auth.uid", s(.equal, "ann"), true),
    when("resource.data.s == request.auth.uid", s(.equal, "bob"), false),
    when("resource.data.s != request.auth.uid", s(.notEqual, "ann"), true),
    when("resource.data.i == null", i(.equal, .null), true),
    when("resource.data.i == null", i(.equal, 1), false),
    when("resource.data.i != null", i(.equal, 1), true),
    when("resource.data.i != null", i(.greaterThan, 1), true),
    when("resource.data.i != null", i(.notEqual, .null), true), when("resource.data.i != null", nil, false),
    when("resource.data.b", .field(FieldPath(["b"]), .equal, true), true),
    when("resource.data.b", .field(FieldPath(["b"]), .equal, false), false),
    when("resource.data.b == true", .field(FieldPath(["b"]), .equal, true), true),
    when("resource.data.b", nil, false),
    when("resource.data.m.k == 1", .field(FieldPath(["m", "k"]), .equal, 1), true),
    when("resource.data.m.k == 1", .field(FieldPath(["m", "j"]), .equal, 1), false),
    when("resource.data.i > 'a'", i(.greaterThan, 5), false),
    when("resource.data.i == 'a'", i(.equal, 5), false),
  ]

  // MARK: - Parts of the query

  private static let ascending = QueryOrder(field: FieldPath(["i"]), isDescending: false)
  private static let descending = QueryOrder(field: FieldPath(["i"]), isDescending: true)

  private static let parameters: [QueryCase] = [
    QueryCase(rule: "request.query.limit <= 10", query: query(limit: 10), isAllowed: true),
    QueryCase(rule: "request.query.limit <= 10", query: query(limit: 11), isAllowed: false),
    QueryCase(rule: "request.query.limit <= 10", query: query(), isAllowed: false),
    QueryCase(rule: "request.query.limit == null", query: query(), isAllowed: true),
    QueryCase(rule: "request.query.offset == 0", query: query(), isAllowed: true),
    QueryCase(rule: "request.query.offset == 0", query: query(limit: 3), offset: 2, isAllowed: false),
    QueryCase(rule: "request.query.orderBy.i == 'ASC'", query: query(orders: [ascending]), isAllowed: true),
    QueryCase(rule: "request.query.orderBy.i == 'ASC'", query: query(orders: [descending]), isAllowed: false),
    QueryCase(rule: "request.query.orderBy.i == 'DESC'", query: query(orders: [descending]), isAllowed: true),
    QueryCase(rule: "'i' in request.query.orderBy", query: query(), isAllowed: false),
    // An order leaves out documents without the field, but says nothing of its value.
    QueryCase(rule: "resource.data.i > 0", query: query(orders: [ascending]), isAllowed: false),
    QueryCase(
      rule: "resource.data.i > 0", query: query(i(.greaterThan, 1), orders: [descending], limit: 3),
      isAllowed: true),
  ]

  private static let paths: [QueryCase] = [
    QueryCase(rule: "true", query: query(group: true), isAllowed: false),
    QueryCase(match: "/{p=**}/x/{id}", rule: "true", query: query(group: true), isAllowed: true),
    QueryCase(match: "/{p=**}/x/{id}", rule: "true", query: query(), isAllowed: true),
    QueryCase(match: "/{all=**}", rule: "true", query: query(group: true), isAllowed: true),
    QueryCase(match: "/y/{k}/x/{id}", rule: "true", query: query(group: true), isAllowed: false),
    QueryCase(match: "/y/{k}/x/{id}", rule: "true", query: query(below: ["y", "k"]), isAllowed: true),
    QueryCase(match: "/y/{k}/x/{id}", rule: "k == 'k'", query: query(below: ["y", "k"]), isAllowed: true),
    QueryCase(match: "/y/{k}/x/{id}", rule: "k == 'j'", query: query(below: ["y", "k"]), isAllowed: false),
    QueryCase(match: "/{c}/{id}", rule: "c == 'x'", query: query(), isAllowed: true),
    QueryCase(match: "/x/d", rule: "true", query: query(), isAllowed: false),
    QueryCase(rule: "id == 'd'", query: query(), isAllowed: false),
    QueryCase(
      match: "/{p=**}/x/{id}", rule: "resource.data.i == 1", query: query(i(.equal, 1), group: true),
      isAllowed: true),
    QueryCase(
      match: "/{p=**}/x/{id}", rule: "resource.data.i == 1", query: query(i(.equal, 2), group: true),
      isAllowed: false),
  ]
}
