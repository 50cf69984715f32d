import Foundation
import TenonCore
import TenonDocuments
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Queries that no client library sends get the status of their error, in time proportional to their size.
@Suite(.limited) struct HostileQueryTests {
  private let backend = Backend()
  private var client: WireClient { WireClient(embedded: backend.embedded) }

  /// A query of the collection `a`, with further members.
  private static func query(_ members: String = "", from: String = #"{"collectionId":"a"}"#) -> String {
    #"{"from":[\#(from)]\#(members.isEmpty ? "" : ",")\#(members)}"#
  }

  private static func condition(
    _ field: String = "x", _ op: String = "EQUAL", _ value: String = #"{"integerValue":"1"}"#
  )
    -> String
  {
    #"{"fieldFilter":{"field":{"fieldPath":"\#(field)"},"op":"\#(op)","value":\#(value)}}"#
  }

  private static func composite(_ op: String, _ filters: [String]) -> String {
    #"{"compositeFilter":{"op":"\#(op)","filters":[\#(filters.joined(separator: ","))]}}"#
  }

  private static func nested(_ depth: Int, _ op: String = "AND") -> String {
    let head = String(repeating: #"{"compositeFilter":{"op":"\#(op)","filters":["#, count: depth)
    return head + condition() + String(repeating: "]}}", count: depth)
  }

  private static func values(_ count: Int) -> String {
    #"{"arrayValue":{"values":[\#((0..<count).map { #"{"integerValue":"\#($0)"}"# }.joined(separator: ","))]}}"#
  }

  private static func orders(_ count: Int) -> String {
    let list = (0..<count).map { #"{"field":{"fieldPath":"f\#($0)"}}"# }
    return #""orderBy":[\#(list.joined(separator: ","))]"#
  }

  private static func cursor(_ name: String, _ values: [String]) -> String {
    #""\#(name)":{"values":[\#(values.joined(separator: ","))],"before":true}"#
  }

  private static let one = #"{"integerValue":"1"}"#
  private static let other = #"{"referenceValue":"projects/demo/databases/other/documents/a/b"}"#
  private static let text = #"{"stringValue":"b"}"#

  /// The queries that are refused with `INVALID_ARGUMENT`, by their names.
  static let refused: KeyValuePairs<String, String> = [
    "10,000 levels of conditions": query(#""where":\#(nested(10_000))"#),
    "10,000 alternatives": query(
      #""where":\#(composite("OR", Array(repeating: condition(), count: 10_000)))"#),
    "10,000 conditions": query(
      #""where":\#(composite("AND", Array(repeating: condition(), count: 10_000)))"#),
    "10,000 values of in": query(#""where":\#(condition("x", "IN", values(10_000)))"#),
    "30 to the power of 40 alternatives": query(
      #""where":\#(composite("AND", (0..<40).map { condition("x\($0)", "IN", values(30)) }))"#),
    "no alternatives": query(#""where":\#(composite("OR", []))"#),
    "an unknown operator": query(#""where":\#(condition("x", "LIKE"))"#),
    "an unknown combination": query(#""where":\#(composite("XOR", [condition()]))"#),
    "two kinds of conditions": query(
      #""where":{"unaryFilter":{"op":"IS_NULL","field":{"fieldPath":"x"}},\#(condition().dropFirst())"#),
    "an empty condition": query(#""where":{}"#),
    "50,000 orders": query(orders(50_000)),
    "an order that isn't one": query(#""orderBy":[{"field":{"fieldPath":"x"},"direction":"SIDEWAYS"}]"#),
    "an empty field": query(#""orderBy":[{"field":{"fieldPath":""}}]"#),
    "a field of 10 KB": query(
      #""orderBy":[{"field":{"fieldPath":"\#(String(repeating: "x", count: 10_000))"}}]"#),
    "a negative limit": query(#""limit":-2147483648"#),
    "a limit beyond 32 bits": query(#""limit":2147483648"#),
    "a limit beyond 64 bits": query(#""limit":99999999999999999999"#),
    "a limit with a fraction": query(#""limit":1.5"#),
    "a limit of text": query(#""limit":"many""#),
    "a wrapped limit beyond 32 bits": query(#""limit":{"value":2147483648}"#),
    "a start without orders": query(cursor("startAt", [one])),
    "a start with more values than orders": query("\(orders(1)),\(cursor("startAt", [one, one]))"),
    "an end with 100,000 values": query(
      "\(orders(2)),\(cursor("endAt", Array(repeating: one, count: 100_000)))"),
    "a cursor with a value of no type": query("\(orders(1)),\(cursor("startAt", ["{}"]))"),
    "a cursor with a value of two types": query(
      "\(orders(1)),\(cursor("startAt", [#"{"integerValue":"1","stringValue":"x"}"#]))"),
    "bytes that aren't Base64": query(#""where":\#(condition("x", "EQUAL", #"{"bytesValue":"!!!"}"#))"#),
    "an integer beyond 64 bits": query(
      #""where":\#(condition("x", "EQUAL", #"{"integerValue":"9223372036854775808"}"#))"#),
    "a timestamp of the year 0": query(
      #""where":\#(condition("x", "EQUAL", #"{"timestampValue":"0000-01-01T00:00:00Z"}"#))"#),
    "the ID of a document of another database": query(
      #""where":\#(condition("__name__", "LESS_THAN", other))"#),
    "a text for the ID of a document": query(#""where":\#(condition("__name__", "EQUAL", text))"#),
    "texts for the IDs of documents": query(
      #""where":\#(condition("__name__", "IN", #"{"arrayValue":{"values":[\#(text)]}}"#))"#),
    "a cursor with a text for the ID of a document": query(
      #""orderBy":[{"field":{"fieldPath":"__name__"}}],\#(cursor("endAt", [text]))"#),
    "a number for the ID of a document": query(#""where":\#(condition("__name__", "EQUAL", one))"#),
    "two collections": query("", from: #"{"collectionId":"a"},{"collectionId":"b"}"#),
    "a condition on a field of all collections": query(
      #""where":\#(condition())"#, from: #"{"allDescendants":true}"#),
    "an order of all collections": query(orders(1), from: ""),
    "a negative offset": query(#""offset":-1"#),
    "an offset beyond 32 bits": query(#""offset":2147483648"#),
    "10,001 selected fields": query(
      #""select":{"fields":[\#((0...10_000).map { #"{"fieldPath":"f\#($0)"}"# }.joined(separator: ","))]}"#),
    "a collection with a slash": query("", from: #"{"collectionId":"a/b/c"}"#),
    "a collection with a reserved ID": query("", from: #"{"collectionId":"__x__"}"#),
  ]

  /// Sends a query and returns the status of the error; `OK` if there is none.
  private func status(_ method: String, _ body: String) async throws -> String? {
    let answer = try await client.call(method, body)
    let json = try JSON(parsing: Data(answer.text.utf8))
    guard answer.status != 200 else { return "OK" }
    #expect(json["error"]?["code"] == .int(Int64(answer.status)))
    return json["error"]?["status"]?.string
  }

  @Test(arguments: refused.map(\.key)) func aQueryIsRefused(name: String) async throws {
    let query = try #require(Self.refused.first { $0.key == name }?.value)
    try await backend.embedded.documents().set("a/b", ["x": 1])
    #expect(try await status("runQuery", #"{"structuredQuery":\#(query)}"#) == "INVALID_ARGUMENT")
    let aggregation = #""structuredQuery":\#(query),"aggregations":[{"count":{}}]"#
    #expect(
      try await status("runAggregationQuery", #"{"structuredAggregationQuery":{\#(aggregation)}}"#)
        == "INVALID_ARGUMENT")
    #expect(try await status("runQuery", #"{"structuredQuery":\#(Self.query())}"#) == "OK")
  }

  /// A target whose query breaks a rule ends alone; one that can't be decoded ends its session.
  @Test(arguments: refused.map(\.key).filter { !$0.contains("levels") })
  func aTargetIsRefused(name: String) async throws {
    let query = try #require(Self.refused.first { $0.key == name }?.value)
    try await backend.embedded.documents().set("a/b", ["x": 1])
    func target(_ query: String, _ id: Int) -> String {
      #"{"database":"\#(client.name)","addTarget":{"query":{"parent":"@","structuredQuery":\#(query)},"targetId":\#(id)}}"#
    }
    let channel = try await WireChannel(client, [target(query, 2), target(Self.query(), 4)])
    var removed: JSON?
    var isAnswered = false
    let contents = try await channel.read { content in
      if content["targetChange"]?["targetChangeType"] == "REMOVE" { removed = content["targetChange"] }
      isAnswered = isAnswered || content["documentChange"]?["targetIds"] == [4]
      return content["error"] != nil || (removed != nil && isAnswered)
    }
    if let error = contents.last?.content["error"] {
      #expect(error["status"] == "INVALID_ARGUMENT")
    } else {
      #expect(removed?["targetIds"] == [2] && removed?["cause"]?["code"] == 3)
    }
    try await channel.terminate()
  }

  @Test(arguments: [
    ("the greatest limit", query(#""limit":2147483647"#)),
    ("20 levels of conditions", query(#""where":\#(nested(20))"#)),
    ("20 levels of alternatives", query(#""where":\#(nested(20, "OR"))"#)),
    ("an empty and", query(#""where":\#(composite("AND", []))"#)),
    ("100 conditions", query(#""where":\#(composite("AND", Array(repeating: condition(), count: 100)))"#)),
    ("a cursor without values", query(cursor("startAt", []))),
    ("30 values", query(#""where":\#(condition("x", "IN", values(30)))"#)),
    ("all collections at the root", query("", from: "")),
    ("all collections at any depth", query("", from: #"{"collectionId":"","allDescendants":true}"#)),
    ("an offset of 0", query(#""offset":0"#)),
  ])
  func aQueryAtTheLimitsIsAnswered(name: String, query: String) async throws {
    try await backend.embedded.documents().set("a/b", ["x": 1])
    let json = try await client.result("runQuery", #"{"structuredQuery":\#(query)}"#)
    #expect(json.array?.count == 1 && json.array?[0]["document"] != nil)
  }

  @Test(arguments: [0, 6, 10_000]) func theNumberOfAggregationsIsLimited(count: Int) async throws {
    let list = Array(repeating: #"{"count":{}}"#, count: count).joined(separator: ",")
    let body =
      #"{"structuredAggregationQuery":{"structuredQuery":\#(Self.query()),"aggregations":[\#(list)]}}"#
    #expect(try await status("runAggregationQuery", body) == "INVALID_ARGUMENT")
  }
}
