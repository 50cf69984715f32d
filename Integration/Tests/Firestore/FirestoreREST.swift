import Foundation
import TenonDocuments
import TenonStoreInterop
import TenonTransport
import TenonTransportInterop

/// A minimal client of Firestore's REST API for the tests.
struct FirestoreREST {
  /// An error response of the server.
  struct Failure: Error, CustomStringConvertible {
    let status: String
    let message: String
    var description: String { "\(status): \(message)" }
  }

  let origin: URL
  let project: String
  private static let transport = SystemTransport()

  private var documents: String { "projects/\(project)/databases/(default)/documents" }

  // MARK: - Calls

  func commit(_ writes: [DocumentWrite]) async throws {
    _ = try await post("\(documents):commit", ["writes": writes.map(json)])
  }

  /// Returns the paths of a query's documents in their order.
  func run(_ query: StructuredQuery) async throws -> [String] {
    let answer = try await post(
      parent(of: query) + ":runQuery", ["structuredQuery": json(query)])
    return try elements(answer).compactMap { ($0["document"] as? [String: Any])?["name"] as? String }
      .map { String($0.dropFirst(documents.count + 1)) }
  }

  func aggregate(_ aggregations: [QueryAggregation], over query: StructuredQuery) async throws -> [Value] {
    let list = aggregations.enumerated().map { index, aggregation -> [String: Any] in
      let what: [String: Any] =
        switch aggregation {
        case .count: ["count": [String: Any]()]
        case .sum(let field): ["sum": ["field": ["fieldPath": field.text]]]
        case .average(let field): ["avg": ["field": ["fieldPath": field.text]]]
        }
      return what.merging(["alias": "a\(index)"]) { $1 }
    }
    let answer = try await post(
      parent(of: query) + ":runAggregationQuery",
      ["structuredAggregationQuery": ["structuredQuery": json(query), "aggregations": list]])
    let result = try elements(answer).compactMap { $0["result"] as? [String: Any] }.first
    let fields = result?["aggregateFields"] as? [String: [String: Any]] ?? [:]
    return try aggregations.indices.map { try value(fields["a\($0)"] ?? [:]) }
  }

  /// Returns the fields of a document; `nil` if it doesn't exist.
  func document(_ path: ResourcePath) async throws -> Fields? {
    do {
      let answer = try await send(TransportRequest(.get, url("\(documents)/\(path.text)")))
      return try fields((answer as? [String: Any])?["fields"])
    } catch let failure as Failure where failure.status == "NOT_FOUND" {
      return nil
    }
  }

  private func post(_ path: String, _ body: [String: Any]) async throws -> Any {
    let data = try JSONSerialization.data(withJSONObject: body)
    return try await send(
      TransportRequest(
        .post, url(path), headers: HTTPHeaders([HTTPHeader(name: "Content-Type", value: "application/json")]),
        body: .data(data)))
  }

  private func url(_ path: String) -> URL {
    origin.appending(path: "v1/\(path)")
  }

  private func send(_ request: TransportRequest) async throws -> Any {
    let response = try await Self.transport.send(request)
    let answer = try JSONSerialization.jsonObject(with: response.body, options: [.fragmentsAllowed])
    guard response.status == 200 else {
      let list = (answer as? [[String: Any]])?.first ?? answer as? [String: Any]
      let error = list?["error"] as? [String: Any]
      throw Failure(
        status: error?["status"] as? String ?? "\(response.status)",
        message: error?["message"] as? String ?? "")
    }
    return answer
  }

  private func elements(_ answer: Any) throws -> [[String: Any]] {
    let elements = answer as? [[String: Any]] ?? []
    if let error = elements.first?["error"] as? [String: Any] {
      throw Failure(
        status: error["status"] as? String ?? "", message: error["message"] as? String ?? "")
    }
    return elements
  }

  private func parent(of query: StructuredQuery) -> String {
    query.parent.segments.isEmpty ? documents : "\(documents)/\(query.parent.text)"
  }

  // MARK: - Requests

  private func json(_ write: DocumentWrite) -> [String: Any] {
    let name = "\(documents)/\(write.document.text)"
    var json: [String: Any] = [:]
    switch write.operation {
    case .delete: json["delete"] = name
    case .set(let fields): json["update"] = ["name": name, "fields": self.json(fields)]
    case .update(let fields, let mask):
      json["update"] = ["name": name, "fields": self.json(fields)]
      json["updateMask"] = ["fieldPaths": mask.map(\.text)]
    }
    switch write.precondition {
    case .exists(let exists): json["currentDocument"] = ["exists": exists]
    case .updated, nil: break
    }
    if !write.transforms.isEmpty { json["updateTransforms"] = write.transforms.map(self.json) }
    return json
  }

  private func json(_ transform: FieldTransform) -> [String: Any] {
    var json: [String: Any] = ["fieldPath": transform.field.text]
    switch transform.kind {
    case .serverTimestamp: json["setToServerValue"] = "REQUEST_TIME"
    case .increment(let value): json["increment"] = self.json(value)
    case .minimum(let value): json["minimum"] = self.json(value)
    case .maximum(let value): json["maximum"] = self.json(value)
    case .union(let values): json["appendMissingElements"] = ["values": values.map(self.json)]
    case .remove(let values): json["removeAllFromArray"] = ["values": values.map(self.json)]
    }
    return json
  }

  private func json(_ query: StructuredQuery) -> [String: Any] {
    var json: [String: Any] = [
      "from": [["collectionId": query.collectionID, "allDescendants": query.allDescendants]],
      "orderBy": query.orders.map { order in
        [
          "field": ["fieldPath": order.field.text],
          "direction": order.isDescending ? "DESCENDING" : "ASCENDING",
        ] as [String: Any]
      },
    ]
    if let filter = query.filter { json["where"] = self.json(filter) }
    if let limit = query.limit { json["limit"] = limit }
    if let start = query.start {
      json["startAt"] = ["values": start.values.map(self.json), "before": start.isInclusive]
    }
    if let end = query.end {
      json["endAt"] = ["values": end.values.map(self.json), "before": !end.isInclusive]
    }
    return json
  }

  private func json(_ filter: QueryFilter) -> [String: Any] {
    switch filter {
    case .and(let filters): ["compositeFilter": ["op": "AND", "filters": filters.map(json)]]
    case .or(let filters): ["compositeFilter": ["op": "OR", "filters": filters.map(json)]]
    case .field(let field, let comparison, let value):
      if let unary = unary(comparison, value) {
        ["unaryFilter": ["op": unary, "field": ["fieldPath": field.text]]]
      } else {
        [
          "fieldFilter": [
            "field": ["fieldPath": field.text], "op": comparison.rawValue, "value": json(value),
          ]
        ]
      }
    }
  }

  /// Equality with null and NaN has its own operators.
  private func unary(_ comparison: QueryComparison, _ value: Value) -> String? {
    switch (comparison, value) {
    case (.equal, .null): "IS_NULL"
    case (.notEqual, .null): "IS_NOT_NULL"
    case (.equal, .double(let number)) where number.isNaN: "IS_NAN"
    case (.notEqual, .double(let number)) where number.isNaN: "IS_NOT_NAN"
    default: nil
    }
  }

  // MARK: - Values

  private func json(_ fields: Fields) -> [String: Any] {
    Dictionary(uniqueKeysWithValues: fields.entries.map { ($0.name, json($0.value)) })
  }

  private func json(_ value: Value) -> [String: Any] {
    switch value {
    case .null: ["nullValue": NSNull()]
    case .boolean(let value): ["booleanValue": value]
    case .integer(let value): ["integerValue": "\(value)"]
    case .double(let value): ["doubleValue": double(value)]
    case .timestamp(let value): ["timestampValue": RFC3339.text(value)]
    case .string(let value): ["stringValue": value]
    case .bytes(let value): ["bytesValue": value.base64EncodedString()]
    case .reference(let value): ["referenceValue": "\(documents)/\(value.text)"]
    case .geoPoint(let value): ["geoPointValue": ["latitude": value.latitude, "longitude": value.longitude]]
    case .array(let values): ["arrayValue": ["values": values.map(json)]]
    case .map(let fields): ["mapValue": ["fields": json(fields)]]
    case .vector(let values):
      json(Value.map(["__type__": "__vector__", "value": .array(values.map(Value.double))]))
    }
  }

  private func double(_ value: Double) -> Any {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "Infinity" : "-Infinity" }
    return value
  }

  private func fields(_ json: Any?) throws -> Fields {
    let dictionary = json as? [String: [String: Any]] ?? [:]
    return Fields(unsorted: try dictionary.map { Fields.Entry(name: $0.key, value: try value($0.value)) })
  }

  private func value(_ json: [String: Any]) throws -> Value {
    guard let (key, content) = json.first else {
      throw Failure(status: "TEST", message: "a value without key")
    }
    switch key {
    case "nullValue": return .null
    case "booleanValue": return .boolean(content as? Bool ?? false)
    case "integerValue": return .integer(Int64("\(content)") ?? 0)
    case "doubleValue": return .double(number(content))
    case "timestampValue": return .timestamp(RFC3339.timestamp(content as? String ?? ""))
    case "stringValue": return .string(content as? String ?? "")
    case "bytesValue": return .bytes(Data(base64Encoded: content as? String ?? "") ?? Data())
    case "referenceValue":
      let path = String((content as? String ?? "").dropFirst(documents.count + 1))
      return .reference(ResourcePath(segments: path.split(separator: "/").map(String.init)))
    case "geoPointValue":
      let point = content as? [String: Any] ?? [:]
      return .geoPoint(
        GeoPoint(latitude: number(point["latitude"] ?? 0.0), longitude: number(point["longitude"] ?? 0.0)))
    case "arrayValue":
      let values = (content as? [String: Any])?["values"] as? [[String: Any]] ?? []
      return .array(try values.map(value))
    case "mapValue":
      let fields = try fields((content as? [String: Any])?["fields"])
      guard fields["__type__"] == "__vector__" else { return .map(fields) }
      return .vector(fields["value"]?.arrayValue?.compactMap(\.doubleValue) ?? [])
    default: throw Failure(status: "TEST", message: "unknown value \(key)")
    }
  }

  private func number(_ json: Any) -> Double {
    if let text = json as? String {
      return text == "NaN"
        ? .nan : text == "Infinity" ? .infinity : text == "-Infinity" ? -.infinity : Double(text) ?? 0
    }
    return (json as? NSNumber)?.doubleValue ?? 0
  }
}

/// Timestamps in the form of JSON, in microseconds.
enum RFC3339 {
  static func text(_ moment: Timestamp) -> String {
    let seconds = Date(timeIntervalSince1970: TimeInterval(moment.seconds)).formatted(.iso8601)
    let micros = String(format: ".%06dZ", moment.nanoseconds / 1000)
    return seconds.dropLast() + micros
  }

  static func timestamp(_ text: String) -> Timestamp {
    let parts = text.dropLast().split(separator: ".")
    let seconds = (try? Date("\(parts.first ?? "")Z", strategy: .iso8601))?.timeIntervalSince1970 ?? 0
    let fraction = parts.count > 1 ? parts[1].padding(toLength: 9, withPad: "0", startingAt: 0) : "0"
    return Timestamp(seconds: Int64(seconds), nanoseconds: Int32(fraction) ?? 0)
  }
}
