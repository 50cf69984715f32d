import Foundation
import TenonJSON
import TenonValues

@testable import TenonRules

/// Values of rules as texts, which are equal if the emulator and this evaluator agree.
enum JudgedValue {
  /// Returns the text of a value in a coverage report of the emulator.
  static func text(_ json: JSON) -> String {
    guard let (kind, content) = json.object?.first else { return "nothing" }
    switch kind {
    case "undefined": return "error"
    case "nullValue": return "null"
    case "boolValue": return content == .bool(true) ? "true" : "false"
    case "intValue": return content.string ?? "?"
    case "floatValue": return number(content)
    case "stringValue": return quoted(content.string ?? "")
    case "bytesValue": return "b\(content.string ?? "")"
    case "timestampValue": return "t\(content.string ?? "")"
    case "durationValue": return "d\(content.string ?? "")"
    case "latlngValue":
      return "l\(number(content["latitude"] ?? .int(0))),\(number(content["longitude"] ?? .int(0)))"
    case "pathValue":
      let segments = content["segments"]?.array ?? []
      return "p/"
        + segments.map { segment in
          segment["simple"]?.string ?? segment["capture"]?["boundValue"]?.string ?? "{}"
        }.joined(separator: "/")
    case "listValue": return "[" + (content["values"]?.array ?? []).map(text).joined(separator: ",") + "]"
    case "setValue":
      return "<" + (content["values"]?.array ?? []).map(text).sorted().joined(separator: ",") + ">"
    case "mapValue":
      let fields = content["fields"]?.object ?? [:]
      return "{" + fields.map { "\(quoted($0)):\(text($1))" }.sorted().joined(separator: ",") + "}"
    case "mapDiffValue":
      let keys = content["keyStatuses"]?.object ?? [:]
      return "~" + keys.map { "\(quoted($0)):\($1.string ?? "")" }.sorted().joined(separator: ",")
    default: return "\(kind)?"
    }
  }

  /// Returns the text of a value of this evaluator.
  static func text(_ value: RulesValue) -> String {
    switch value {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .float(let value): number(.double(value))
    case .string(let value): quoted(value)
    case .bytes(let value): "b\(value.base64EncodedString())"
    case .timestamp(let value): "t\(time(value.seconds, value.nanoseconds))"
    case .duration(let value): "d\(duration(value))"
    case .latlng(let value): "l\(number(.double(value.latitude))),\(number(.double(value.longitude)))"
    case .path(let value):
      "p/" + value.segments.map { $0.text ?? "{}" }.joined(separator: "/")
    case .list(let values): "[" + values.map(text).joined(separator: ",") + "]"
    case .set(let set): "<" + set.elements.map(text).sorted().joined(separator: ",") + ">"
    case .map(let map):
      "{" + map.entries.map { "\(quoted($0.name)):\(text($0.value))" }.sorted().joined(separator: ",") + "}"
    case .mapDiff(let difference):
      "~" + difference.keys.map { "\(quoted($0.name)):\($0.status.rawValue)" }.sorted().joined(separator: ",")
    case .vector: "vector"
    case .constraint: "constraint"
    }
  }

  private static func quoted(_ text: String) -> String { "'\(text)'" }

  private static func number(_ json: JSON) -> String {
    switch json {
    case .double(let value):
      value.isNaN ? "fNaN" : value.isInfinite ? (value < 0 ? "f-Infinity" : "fInfinity") : "f\(value)"
    case .int(let value): "f\(Double(value))"
    case .string(let text): "f\(text)"
    default: "f?"
    }
  }

  private static func time(_ seconds: Int64, _ nanoseconds: Int32) -> String {
    // The emulator writes three, six or nine digits.
    let text = Timestamp(seconds: seconds, nanoseconds: nanoseconds).description.dropLast()
    guard let point = text.firstIndex(of: ".") else { return "\(text)Z" }
    let digits = text.distance(from: point, to: text.endIndex) - 1
    return text + String(repeating: "0", count: (9 - digits) % 3) + "Z"
  }

  private static func duration(_ value: RulesDuration) -> String {
    let sign = value.seconds < 0 || value.nanoseconds < 0 ? "-" : ""
    let nanoseconds = value.nanoseconds.magnitude
    guard nanoseconds > 0 else { return "\(sign)\(value.seconds.magnitude)s" }
    var digits = String(String(nanoseconds + 1_000_000_000).dropFirst())
    while digits.hasSuffix("000") { digits.removeLast(3) }
    return "\(sign)\(value.seconds.magnitude).\(digits)s"
  }

  // MARK: - Documents

  /// Returns fields in the JSON form of the protocol.
  static func json(_ fields: Fields) -> JSON {
    .object(Dictionary(uniqueKeysWithValues: fields.names.map { ($0, json(fields[$0] ?? .null)) }))
  }

  static func json(_ value: Value) -> JSON {
    switch value {
    case .null: .object(["nullValue": .null])
    case .boolean(let value): .object(["booleanValue": .bool(value)])
    case .integer(let value): .object(["integerValue": .string(String(value))])
    case .double(let value): .object(["doubleValue": .double(value)])
    case .timestamp(let value): .object(["timestampValue": .string(value.description)])
    case .string(let value): .object(["stringValue": .string(value)])
    case .bytes(let value): .object(["bytesValue": .string(value.base64EncodedString())])
    case .geoPoint(let value):
      .object([
        "geoPointValue": .object(["latitude": .double(value.latitude), "longitude": .double(value.longitude)])
      ])
    case .array(let values): .object(["arrayValue": .object(["values": .array(values.map(json))])])
    case .map(let fields): .object(["mapValue": .object(["fields": json(fields)])])
    case .reference, .vector: .object(["nullValue": .null])
    }
  }

  /// Returns a value as plain JSON, for the claims of tokens.
  static func plain(_ value: Value) -> JSON {
    switch value {
    case .boolean(let value): .bool(value)
    case .integer(let value): .int(value)
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    case .array(let values): .array(values.map(plain))
    case .map(let fields):
      .object(Dictionary(uniqueKeysWithValues: fields.names.map { ($0, plain(fields[$0] ?? .null)) }))
    default: .null
    }
  }
}
