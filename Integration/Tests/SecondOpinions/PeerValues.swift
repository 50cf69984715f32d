import Foundation
import TenonTransport
import TenonValues

/// The form in which `firestore.py` exchanges values: an object with one member, which is named after the
/// type. No content is rounded: integers are text, doubles are the hexadecimal digits of their bits.
enum PeerValues {
  struct Malformed: Error { let json: JSON }

  // MARK: - Writing

  static func json(_ fields: Fields) -> JSON {
    .array(fields.entries.map { [.string($0.name), json(value: $0.value)] })
  }

  static func json(value: Value) -> JSON {
    switch value {
    case .null: ["null": .null]
    case .boolean(let value): ["boolean": .bool(value)]
    case .integer(let value): ["integer": .string(String(value))]
    case .double(let value): ["double": bits(value)]
    case .timestamp(let value): ["timestamp": json(value)]
    case .string(let value): ["string": .string(value)]
    case .bytes(let value): ["bytes": .string(value.base64EncodedString())]
    case .reference(let value): ["reference": .string(value.text)]
    case .geoPoint(let value): ["geoPoint": [bits(value.latitude), bits(value.longitude)]]
    case .array(let elements): ["array": .array(elements.map(json(value:)))]
    case .map(let fields): ["map": json(fields)]
    case .vector(let components): ["vector": .array(components.map(bits))]
    }
  }

  static func json(_ time: Timestamp) -> JSON {
    [.string(String(time.seconds)), .int(Int64(time.nanoseconds))]
  }

  private static func bits(_ number: Double) -> JSON {
    let digits = String(number.bitPattern, radix: 16)
    return .string(String(repeating: "0", count: 16 - digits.count) + digits)
  }

  // MARK: - Reading

  static func fields(_ json: JSON?) throws -> Fields {
    let entries = try (json?.array ?? []).map { pair -> Fields.Entry in
      guard let parts = pair.array, parts.count == 2, let name = parts[0].string else {
        throw Malformed(json: pair)
      }
      return Fields.Entry(name: name, value: try value(parts[1]))
    }
    return Fields(unsorted: entries)
  }

  static func value(_ json: JSON) throws -> Value {
    guard let (kind, content) = json.object?.first, json.object?.count == 1 else {
      throw Malformed(json: json)
    }
    func some<Content>(_ found: Content?) throws -> Content {
      guard let found else { throw Malformed(json: json) }
      return found
    }
    switch kind {
    case "null": return .null
    case "boolean": return .boolean(try some(content.bool))
    case "integer": return .integer(try some(content.string.flatMap { Int64($0) }))
    case "double": return .double(try number(content))
    case "timestamp": return .timestamp(try timestamp(content))
    case "string": return .string(try some(content.string))
    case "bytes": return .bytes(try some(content.string.flatMap { Data(base64Encoded: $0) }))
    case "reference":
      let segments = try some(content.string).split(separator: "/").map(String.init)
      return .reference(ResourcePath(segments: segments))
    case "geoPoint":
      let degrees = try some(content.array).map(number)
      return .geoPoint(GeoPoint(latitude: degrees[0], longitude: degrees[1]))
    case "array": return .array(try some(content.array).map(value))
    case "map": return .map(try fields(content))
    case "vector": return .vector(try some(content.array).map(number))
    default: throw Malformed(json: json)
    }
  }

  static func timestamp(_ json: JSON?) throws -> Timestamp {
    guard let parts = json?.array, parts.count == 2, let seconds = parts[0].string.flatMap({ Int64($0) }),
      case .int(let nanoseconds) = parts[1]
    else { throw Malformed(json: json ?? .null) }
    return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
  }

  private static func number(_ json: JSON) throws -> Double {
    guard let bits = json.string.flatMap({ UInt64($0, radix: 16) }) else { throw Malformed(json: json) }
    return Double(bitPattern: bits)
  }
}
