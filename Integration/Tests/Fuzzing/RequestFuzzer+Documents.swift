import Foundation
import TenonTransport
import TenonTransportInterop

/// Requests for documents, in the forms of Firestore's API and of its channels.
extension RequestFuzzer {
  /// Returns a request for documents.
  mutating func documentsRequest() throws -> TransportRequest {
    if chance(30) { return try channelRequest() }
    let database = chance(95) ? "(default)" : Self.encoded(value("text"))
    let base =
      "/v1/projects/\(chance(97) ? project : Self.encoded(value("text")))/databases/\(database)/documents"
    var headers = [("Content-Type", "application/json")]
    if chance(20) {
      headers.append(("Authorization", "Bearer " + (chance(50) ? "owner" : value("idToken"))))
    }
    let path =
      base
      + (chance(20)
        ? ""
        : "/" + documentPath().split(separator: "/").map { Self.encoded("\($0)") }.joined(separator: "/"))
    let parameters = [
      ("documentId", value("name")), ("mask.fieldPaths", fieldPath()), ("updateMask.fieldPaths", fieldPath()),
      ("currentDocument.exists", value("bool")), ("currentDocument.updateTime", value("text")),
      ("pageSize", value("number")), ("pageToken", value("nextPageToken")),
      ("orderBy", fieldPath() + " desc"),
      ("showMissing", value("bool")), ("readTime", value("text")), ("transaction", value("transaction")),
    ]
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return try make(.get, path, parameters.filter { _ in chance(20) }, headers)
    case 1: return try make(.patch, path, parameters.filter { _ in chance(15) }, headers, body: document())
    case 2: return try make(.delete, path, parameters.filter { _ in chance(10) }, headers)
    case 3: return try make(.post, path, parameters.filter { _ in chance(15) }, headers, body: document())
    case 4, 5:
      let writes = (0..<pick([0, 1, 1, 2, 3])).map { _ in write() }.joined(separator: ",")
      var body = "{\"writes\":[\(writes)]"
      if chance(20) { body += ",\"transaction\":\(Self.quoted(value("transaction")))" }
      return try make(
        .post, base + pick([":commit", ":batchWrite"]), [], headers, body: Data((body + "}").utf8))
    case 6:
      let names = (0..<pick([0, 1, 2, 5])).map { _ in documentName() }.joined(separator: ",")
      return try make(
        .post, base + ":batchGet", [], headers, body: Data("{\"documents\":[\(names)]\(consistency())}".utf8))
    case 7, 8:
      return try make(
        .post, path + ":runQuery", [], headers,
        body: Data("{\"structuredQuery\":\(query())\(consistency())}".utf8))
    case 9:
      let aggregation = pick([
        "{\"alias\":\"a\",\"count\":{\"upTo\":\(json("number"))}}", "{\"count\":{}}",
        "{\"alias\":\(json("text")),\"sum\":{\"field\":{\"fieldPath\":\(Self.quoted(fieldPath()))}}}",
        "{\"avg\":{\"field\":{\"fieldPath\":\(Self.quoted(fieldPath()))}}}",
      ])
      let body =
        "{\"structuredAggregationQuery\":{\"structuredQuery\":\(query()),\"aggregations\":[\(aggregation)]}}"
      return try make(.post, path + ":runAggregationQuery", [], headers, body: Data(body.utf8))
    case 10:
      let body = pick([
        "{}", "{\"options\":{\"readWrite\":{\"retryTransaction\":\(Self.quoted(value("transaction")))}}}",
        "{\"options\":{\"readOnly\":{\"readTime\":\(json("text"))}}}", value("json"),
      ])
      return try make(.post, base + ":beginTransaction", [], headers, body: Data(body.utf8))
    default:
      let body = object([
        ("transaction", "transaction"), ("pageSize", "number"), ("pageToken", "nextPageToken"),
      ])
      return try make(.post, path + pick([":rollback", ":listCollectionIds", ":x"]), [], headers, body: body)
    }
  }

  // MARK: - Channels

  /// Returns a request of a channel. One that would wait for messages asks for the shortest wait.
  private mutating func channelRequest() throws -> TransportRequest {
    let path = "/google.firestore.v1.Firestore/\(pick(["Listen", "Listen", "Write", "x"]))/channel"
    let database = "projects/\(project)/databases/\(chance(95) ? "(default)" : value("text"))"
    let forms = [("Content-Type", "application/x-www-form-urlencoded")]
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1:
      let query = [
        ("VER", chance(90) ? "8" : value("number")), ("database", database), ("RID", requestNumber()),
        ("CVER", "22"),
        ("X-HTTP-Session-Id", "gsessionid"),
      ].filter { _ in chance(95) }
      return try make(.post, path, query, forms, body: form(first: 0))
    case 2, 3:
      let query = [
        ("VER", "8"), ("database", database), ("SID", value("sessionID")), ("RID", requestNumber()),
        ("AID", value("number")),
      ].filter { _ in chance(95) }
      return try make(.post, path, query, forms, body: form(first: pick([0, 1, 2, 1_000])))
    case 4:
      let query = [
        ("VER", "8"), ("database", database), ("RID", "rpc"), ("SID", value("sessionID")), ("CI", "1"),
        ("TO", "1"),
        ("AID", value("number")), ("TYPE", "xmlhttp"),
      ]
      return try make(.get, path, query)
    default:
      return try make(
        .get, path,
        [
          ("VER", "8"), ("database", database), ("SID", value("sessionID")), ("RID", requestNumber()),
          ("TYPE", "terminate"),
        ])
    }
  }

  private mutating func requestNumber() -> String { chance(80) ? pick(["1", "2", "3"]) : value("number") }

  private mutating func flag() -> String { chance(85) ? pick(["true", "false"]) : value("bool") }

  /// Returns a form with messages of a stream.
  private mutating func form(first: Int) -> Data {
    var parts = [
      "count=\(chance(90) ? "2" : value("number"))", "ofs=\(chance(90) ? "\(first)" : value("number"))",
    ]
    if chance(20) { parts.append("headers=" + Self.encoded("Authorization:Bearer \(value("idToken"))\r\n")) }
    let database = "\"database\":\"projects/\(project)/databases/(default)\""
    for index in 0..<2 {
      let target = pick([
        "\"query\":{\"parent\":\"projects/\(project)/databases/(default)/documents\",\"structuredQuery\":\(query())}",
        "\"documents\":{\"documents\":[\(documentName())]}",
      ])
      let message = pick([
        "{\(database),\"addTarget\":{\(target),\"targetId\":\(json("number"))}}",
        "{\(database),\"addTarget\":{\(target),\"targetId\":2,\"resumeToken\":\(json("text")),\"expectedCount\":\(json("number"))}}",
        "{\(database),\"removeTarget\":\(json("number"))}", "{\(database)}",
        "{\(database),\"streamToken\":\(json("text")),\"writes\":[\(write())]}", value("json"),
      ])
      parts.append("req\(index)___data__=" + Self.encoded(message))
    }
    return Data(parts.joined(separator: "&").utf8)
  }

  // MARK: - Messages

  private mutating func documentPath() -> String {
    pick(["c/a", "c/b", "c/a/d/e", "c", "c/a/d", chance(50) ? "c/\(value("text"))" : value("text")])
  }

  /// Returns the name of a document as a JSON string.
  private mutating func documentName() -> String {
    let path = chance(85) ? pick(["c/a", "c/b", "c/a/d/e"]) : documentPath()
    let database = "projects/\(project)/databases/(default)"
    return Self.quoted(chance(95) ? "\(database)/documents/\(path)" : value("text"))
  }

  private mutating func fieldPath() -> String {
    pick(["n", "s", "m.x", "`a b`", "__name__", chance(70) ? "n" : value("text")])
  }

  private mutating func consistency() -> String {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: ",\"transaction\":\(Self.quoted(value("transaction")))"
    case 1: ",\"readTime\":\(json("text"))"
    case 2: ",\"newTransaction\":{}"
    default: ""
    }
  }

  /// Returns a value as JSON.
  private mutating func documentValue(_ depth: Int = 0) -> String {
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return "{\"nullValue\":null}"
    case 1: return "{\"booleanValue\":\(flag())}"
    case 2, 3: return "{\"integerValue\":\(json("number"))}"
    case 4: return "{\"doubleValue\":\(chance(70) ? json("number") : "\"NaN\"")}"
    case 5: return "{\"timestampValue\":\(chance(70) ? "\"2024-02-29T12:00:00.123456Z\"" : json("text"))}"
    case 6: return "{\"stringValue\":\(json("text"))}"
    case 7: return "{\"bytesValue\":\(chance(70) ? "\"AQID\"" : json("text"))}"
    case 8: return "{\"referenceValue\":\(documentName())}"
    case 9: return "{\"geoPointValue\":{\"latitude\":\(json("number")),\"longitude\":\(json("number"))}}"
    case 10 where depth < 4:
      let values = (0..<pick([0, 1, 3])).map { _ in documentValue(depth + 1) }.joined(separator: ",")
      return "{\"arrayValue\":{\"values\":[\(values)]}}"
    case 11 where depth < 4:
      return "{\"mapValue\":{\"fields\":{\(json("text")):\(documentValue(depth + 1))}}}"
    default: return chance(80) ? "{\"integerValue\":\"1\"}" : value("json")
    }
  }

  private mutating func fields() -> String {
    "\"fields\":{\"n\":\(documentValue()),\"s\":\(documentValue()),\(Self.quoted(chance(90) ? "m" : fieldPath())):\(documentValue())}"
  }

  private mutating func document() -> Data { Data("{\(fields())}".utf8) }

  private mutating func write() -> String {
    let condition =
      chance(80)
      ? ""
      : ",\"currentDocument\":{\(pick(["\"exists\":\(flag())", "\"updateTime\":\(json("text"))"]))}"
    let transform = pick([
      "\"increment\":\(documentValue())", "\"setToServerValue\":\"REQUEST_TIME\"",
      "\"maximum\":\(documentValue())",
      "\"appendMissingElements\":{\"values\":[\(documentValue())]}", "\"setToServerValue\":\(json("text"))",
      "\"removeAllFromArray\":{\"values\":[\(documentValue())]}",
    ])
    let transforms = "[{\"fieldPath\":\(Self.quoted(fieldPath())),\(transform)}]"
    return pick([
      "{\"update\":{\"name\":\(documentName()),\(fields())}\(condition)}",
      "{\"update\":{\"name\":\(documentName()),\(fields())},\"updateMask\":{\"fieldPaths\":[\(Self.quoted(fieldPath()))]}}",
      "{\"delete\":\(documentName())\(condition)}",
      "{\"update\":{\"name\":\(documentName())},\"updateTransforms\":\(transforms)}",
      "{\"transform\":{\"document\":\(documentName()),\"fieldTransforms\":\(transforms)}}",
      "{\"verify\":\(documentName())\(condition)}", value("json"),
    ])
  }

  /// Returns a structured query as JSON.
  private mutating func query() -> String {
    var members = [
      "\"from\":[{\"collectionId\":\(chance(90) ? "\"c\"" : json("text")),\"allDescendants\":\(flag())}]"
    ]
    if chance(50) { members.append("\"where\":\(filter())") }
    if chance(40) {
      let direction = pick(["ASCENDING", "DESCENDING", "DIRECTION_UNSPECIFIED", value("text")])
      members.append(
        "\"orderBy\":[{\"field\":{\"fieldPath\":\(Self.quoted(fieldPath()))},\"direction\":\(Self.quoted(direction))}]"
      )
    }
    for name in ["startAt", "endAt"] where chance(15) {
      members.append("\"\(name)\":{\"values\":[\(documentValue())],\"before\":\(flag())}")
    }
    for name in ["limit", "offset"] where chance(20) { members.append("\"\(name)\":\(json("number"))") }
    if chance(10) { members.append("\"select\":{\"fields\":[{\"fieldPath\":\(Self.quoted(fieldPath()))}]}") }
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func filter(_ depth: Int = 0) -> String {
    let field = "\"field\":{\"fieldPath\":\(Self.quoted(fieldPath()))}"
    switch Int.random(in: 0..<6, using: &random) {
    case 0 where depth < 5:
      let filters = (0..<pick([0, 1, 2, 4])).map { _ in filter(depth + 1) }.joined(separator: ",")
      return
        "{\"compositeFilter\":{\"op\":\(Self.quoted(pick(["AND", "OR", "XOR"]))),\"filters\":[\(filters)]}}"
    case 1:
      let operation = pick(["IS_NULL", "IS_NAN", "IS_NOT_NULL", "IS_NOT_NAN", "x"])
      return "{\"unaryFilter\":{\"op\":\"\(operation)\",\(field)}}"
    default:
      let operation = pick([
        "EQUAL", "NOT_EQUAL", "LESS_THAN", "GREATER_THAN_OR_EQUAL", "ARRAY_CONTAINS", "IN", "NOT_IN",
        "ARRAY_CONTAINS_ANY", "OPERATOR_UNSPECIFIED",
      ])
      return "{\"fieldFilter\":{\"op\":\"\(operation)\",\(field),\"value\":\(documentValue())}}"
    }
  }
}
