import TenonJSON
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonValues
import Testing

@testable import TenonRules

/// Compares with Google's emulator which queries prove a rule.
@Suite(.limited, .firestoreEmulator) struct QueryJudgeTests {
  @Test func theSameQueriesAreAllowed() async throws {
    let judge = try await RulesJudge(project: "rules-queries")
    let user = JudgedUser(uid: "ann", claims: [:])
    var (allowed, judged, differences): (Int, Int, [String]) = (0, 0, [])
    for number in 0..<CaseCount.of(200, deep: 10_000) where differences.count < 5 {
      var generator = QueryGenerator(seed: UInt64(number))
      let source = generator.rules()
      let rules = try SecurityRules(source: source)
      let complaints = try await judge.setRules(source)
      try #require(complaints.isEmpty, "\(complaints) \(source)")
      for _ in 0..<3 {
        let (query, offset) = generator.query()
        let json = QueryGenerator.json(query, offset: offset)
        guard
          let expected = try await judge.list(
            json, parent: query.parent.segments.joined(separator: "/"), user)
        else { continue }
        judged += 1
        let request = RulesRequest(
          .list(query, database: "(default)", offset: offset),
          user: RulesUser(uid: "ann", claims: user.allClaims("rules-queries")),
          time: Timestamp(seconds: 1_800_000_000))
        let decision = try #require(rules.decision(request))
        if expected { allowed += 1 }
        if decision.isAllowed != expected {
          differences.append(
            "\(number): \(decision.isAllowed ? "allowed" : "denied") here\n\(source)\n\(query)\n\(decision.reasons)"
          )
        }
      }
    }
    print("Queries: \(judged) judged, \(allowed) allowed")
    #expect(differences.isEmpty, "\(differences.joined(separator: "\n\n"))")
    #expect(allowed > judged / 20)
  }
}

/// Generates rules for lists, and queries.
struct QueryGenerator {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  mutating func rules() -> String {
    let path = pick([
      "/x/{id}", "/x/{id}", "/x/{id}", "/{a=**}/x/{id}", "/{a=**}", "/y/{k}/x/{id}", "/y/{k}/{a=**}",
      "/x/{a=**}", "/x/d",
      "/{c}/{id}", "/{a=**}/{c}/{id}",
    ])
    return """
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match \(path) { allow list: if \(condition(2)); allow list: if \(condition(1)); }
        }
      }
      """
  }

  private mutating func condition(_ depth: Int) -> String {
    if depth > 0 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0...2: return "(\(condition(depth - 1)) && \(condition(depth - 1)))"
      case 3, 4: return "(\(condition(depth - 1)) || \(condition(depth - 1)))"
      case 5: return "!(\(comparison()))"
      default: break
      }
    }
    switch Int.random(in: 0..<14, using: &random) {
    case 0...8: return comparison()
    case 9: return "\(pick(["1", "2", "'a'"])) in resource.data.l"
    case 10: return "resource.data.\(pick(["i", "s"])) in [1, 2, 3, 'a', 'b']"
    case 11: return "request.query.limit <= \(pick(["3", "10"]))"
    case 12:
      return pick([
        "request.query.offset == 0", "request.query.limit == null", "request.auth.uid == 'ann'",
        "database == '(default)'",
      ])
    default:
      return pick([
        "true", "id == 'd'", "resource.data.i == resource.data.j", "resource.id == 'd'", "resource != null",
      ])
    }
  }

  private mutating func comparison() -> String {
    let value =
      pick([0, 1, 2, 3] as [Int]) == 0
      ? pick(["null", "true", "1.5", "'a'", "request.auth.uid"])
      : pick(["1", "2", "3", "'a'", "'b'"])
    return
      "resource.data.\(pick(["i", "s", "m.k"])) \(pick(["==", "==", "!=", "<", "<=", ">", ">="])) \(value)"
  }

  // MARK: - Queries

  mutating func query() -> (StructuredQuery, offset: Int64) {
    var filters: [QueryFilter] = []
    for _ in 0..<pick([0, 1, 1, 1, 2, 2]) { filters.append(filter()) }
    let filter: QueryFilter? =
      filters.isEmpty
      ? nil : filters.count == 1 ? filters[0] : pick([true, false]) ? .and(filters) : .or(filters)
    let isGroup = pick([0, 1, 2, 3]) == 0
    return (
      StructuredQuery(
        parent: ResourcePath(segments: pick([[], [], ["y", "k"]])), collectionID: "x",
        allDescendants: isGroup, filter: filter,
        limit: pick([nil, 3, 10, 20])),
      pick([0, 0, 2])
    )
  }

  private mutating func filter() -> QueryFilter {
    let field = FieldPath(pick([["i"], ["i"], ["s"], ["m", "k"]]))
    let value: Value = pick([1, 2, 3, "a", "b", 1.5])
    switch Int.random(in: 0..<12, using: &random) {
    case 0...4: return .field(field, .equal, value)
    case 5: return .field(field, pick([.lessThan, .lessThanOrEqual]), value)
    case 6, 7: return .field(field, pick([.greaterThan, .greaterThanOrEqual]), value)
    case 8: return .field(field, .notEqual, value)
    case 9: return .field(FieldPath(["l"]), .arrayContains, pick([1, 2, "a"]))
    case 10: return .field(field, .in, .array([value, pick([2, 3, "b"])]))
    default:
      return pick([
        .field(FieldPath(["l"]), .arrayContainsAny, .array([1, 2])),
        .field(field, .notIn, .array([value, 3])),
        .field(field, .equal, .null), .field(field, .notEqual, .null),
      ])
    }
  }

  /// Returns a query in the JSON form of the protocol.
  static func json(_ query: StructuredQuery, offset: Int64) -> JSON {
    var json: [String: JSON] = [
      "from": .array([
        .object(["collectionId": .string(query.collectionID), "allDescendants": .bool(query.allDescendants)])
      ]), "offset": .int(offset),
    ]
    json["limit"] = query.limit.map { .int(Int64($0)) }
    json["where"] = query.filter.map(self.json)
    if !query.orders.isEmpty {
      json["orderBy"] = .array(
        query.orders.map {
          .object([
            "field": .object(["fieldPath": .string($0.field.segments.joined(separator: "."))]),
            "direction": .string($0.isDescending ? "DESCENDING" : "ASCENDING"),
          ])
        })
    }
    return .object(json)
  }

  private static func json(_ filter: QueryFilter) -> JSON {
    switch filter {
    case .and(let filters), .or(let filters):
      let isAnd = if case .and = filter { true } else { false }
      return .object([
        "compositeFilter": .object([
          "op": .string(isAnd ? "AND" : "OR"), "filters": .array(filters.map(json)),
        ])
      ])
    case .field(let field, let comparison, let value):
      let path = JSON.object(["fieldPath": .string(field.segments.joined(separator: "."))])
      if case .null = value {
        return .object([
          "unaryFilter": .object([
            "field": path, "op": .string(comparison == .equal ? "IS_NULL" : "IS_NOT_NULL"),
          ])
        ])
      }
      return .object([
        "fieldFilter": .object([
          "field": path, "op": .string(comparison.rawValue), "value": JudgedValue.json(value),
        ])
      ])
    }
  }
}
