package import TenonDocuments
import TenonFoundation
import TenonValues

/// From JSON to bytes.
extension ProtobufSchema {
  /// Returns the bytes of a message.
  ///
  /// - Parameters:
  ///   - json: the JSON form of the message. Members that the message doesn't have are ignored.
  ///   - name: the name of the message.
  /// - Throws: ``ProtobufError`` if the JSON isn't that of such a message.
  /// - Complexity: O(*n*) in the size of the message, times its depth.
  package func bytes(_ json: FirestoreJSON, of name: String) throws(ProtobufError) -> [UInt8] {
    guard let message = message(named: name) else { throw ProtobufError("There is no message \(name).") }
    var bytes: [UInt8] = []
    try append(json, message, to: &bytes)
    return bytes
  }

  private func append(
    _ json: FirestoreJSON, _ message: Int, to bytes: inout [UInt8]
  ) throws(ProtobufError) {
    guard case .object(let members) = json else { throw ProtobufError("A message isn't an object.") }
    let message = messages[message]
    for (name, value) in members {
      guard let place = message.names[name.string] else { continue }
      let field = message.fields[place]
      if case .null = value, field.kind != .null { continue }
      switch (field.plurality, value) {
      case (.one, _): try append(value, field.kind, field.number, to: &bytes)
      case (.repeated, .array(let elements)) where field.kind.wireType != .bytes:
        var content: [UInt8] = []
        for element in elements { try appendNumber(element, field.kind, to: &content) }
        if !elements.isEmpty { bytes.append(field.number, content: content) }
      case (.repeated, .array(let elements)):
        for element in elements { try append(element, field.kind, field.number, to: &bytes) }
      case (.map, .object(let entries)):
        for (key, value) in entries {
          var entry: [UInt8] = []
          entry.append(1, content: Array(key.string.utf8))
          try append(value, field.kind, 2, to: &entry)
          bytes.append(field.number, content: entry)
        }
      default: throw Self.damaged(field.name)
      }
    }
  }

  /// Appends a field with its value.
  private func append(
    _ json: FirestoreJSON, _ kind: Kind, _ number: Int, to bytes: inout [UInt8]
  ) throws(ProtobufError) {
    switch kind {
    case .double, .float, .int32, .int64, .uint32, .uint64, .boolean, .enumeration, .null:
      bytes.append(number, kind.wireType)
      try appendNumber(json, kind, to: &bytes)
    case .string:
      guard let value = json.string else { throw Self.damaged("A string") }
      bytes.append(number, content: Array(value.utf8))
    case .bytes:
      guard let value = json.string.flatMap({ Data(wireBase64: $0) }) else { throw Self.damaged("Base64") }
      bytes.append(number, content: Array(value))
    case .message(let message):
      var content: [UInt8] = []
      try append(json, message, to: &content)
      bytes.append(number, content: content)
    case .timestamp: bytes.append(number, content: try Self.timestamp(json))
    case .duration: bytes.append(number, content: try Self.duration(json))
    case .wrapper(let kind):
      var content: [UInt8] = []
      try append(json, kind, 1, to: &content)
      // A value of zero is left out, as everywhere in messages.
      bytes.append(number, content: content == [8, 0] ? [] : content)
    case .structure:
      var content: [UInt8] = []
      try Self.appendStructure(json, to: &content)
      bytes.append(number, content: content)
    case .any:
      guard let type = json["@type"]?.string, let name = type.split(separator: ".").last else {
        throw Self.damaged("A message of any type")
      }
      var content: [UInt8] = []
      content.append(1, content: Array(type.utf8))
      content.append(2, content: try self.bytes(json, of: String(name)))
      bytes.append(number, content: content)
    case .omitted: break
    }
  }

  /// Appends a number, without that of its field.
  private func appendNumber(
    _ json: FirestoreJSON, _ kind: Kind, to bytes: inout [UInt8]
  ) throws(ProtobufError) {
    switch kind {
    case .double: bytes.append(fixed: try Self.double(json).bitPattern, count: 8)
    case .float: bytes.append(fixed: UInt64(Float(try Self.double(json)).bitPattern), count: 4)
    case .uint64:
      guard let value = json.string.flatMap({ UInt64($0) }) ?? json.integer.flatMap({ UInt64(exactly: $0) })
      else { throw Self.damaged("A number") }
      bytes.append(varint: value)
    case .boolean:
      guard let value = json.boolean else { throw Self.damaged("A boolean") }
      bytes.append(value ? 1 : 0)
    case .enumeration(let place):
      let named = json.string.flatMap { enumerations[place].numbers[$0] }
      guard let value = named ?? json.integer.flatMap({ Int(exactly: $0) }) else {
        throw Self.damaged("A name of an enumeration")
      }
      bytes.append(varint: UInt64(bitPattern: Int64(value)))
    case .null: bytes.append(0)
    default:
      guard let value = json.integer else { throw Self.damaged("A number") }
      bytes.append(varint: UInt64(bitPattern: value))
    }
  }

  private static func double(_ json: FirestoreJSON) throws(ProtobufError) -> Double {
    switch json {
    case .double(let value): return value
    case .integer(let value): return Double(value)
    case .string("NaN"): return .nan
    case .string("Infinity"): return .infinity
    case .string("-Infinity"): return -.infinity
    default: throw damaged("A number")
    }
  }

  private static func timestamp(_ json: FirestoreJSON) throws(ProtobufError) -> [UInt8] {
    guard let time = json.string.flatMap({ Timestamp(rfc3339: $0) }) else { throw damaged("A timestamp") }
    return moment(time.seconds, Int64(time.nanoseconds))
  }

  private static func duration(_ json: FirestoreJSON) throws(ProtobufError) -> [UInt8] {
    guard let text = json.string, text.hasSuffix("s") else { throw damaged("A duration") }
    let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
    let digits = parts.count == 2 ? parts[1].prefix(9) : ""
    guard (1...2).contains(parts.count), let seconds = Int64(parts[0]),
      let fraction = Int64(digits + String(repeating: "0", count: 9 - digits.count))
    else { throw damaged("A duration") }
    return moment(seconds, text.hasPrefix("-") ? -fraction : fraction)
  }

  private static func moment(_ seconds: Int64, _ nanoseconds: Int64) -> [UInt8] {
    var content: [UInt8] = []
    if seconds != 0 {
      content.append(1, .varint)
      content.append(varint: UInt64(bitPattern: seconds))
    }
    if nanoseconds != 0 {
      content.append(2, .varint)
      content.append(varint: UInt64(bitPattern: nanoseconds))
    }
    return content
  }

  /// Appends the content of a `google.protobuf.Struct`.
  private static func appendStructure(
    _ json: FirestoreJSON, to bytes: inout [UInt8]
  ) throws(ProtobufError) {
    guard case .object(let members) = json else { throw damaged("A structure") }
    for (name, value) in members {
      var entry: [UInt8] = []
      entry.append(1, content: Array(name.string.utf8))
      entry.append(2, content: try structureValue(value))
      bytes.append(1, content: entry)
    }
  }

  /// Returns the content of a `google.protobuf.Value`.
  private static func structureValue(_ json: FirestoreJSON) throws(ProtobufError) -> [UInt8] {
    var bytes: [UInt8] = []
    switch json {
    case .null:
      bytes.append(1, .varint)
      bytes.append(0)
    case .integer, .double:
      bytes.append(2, .fixed64)
      bytes.append(fixed: try double(json).bitPattern, count: 8)
    case .string(let text): bytes.append(3, content: Array(text.utf8))
    case .boolean(let value):
      bytes.append(4, .varint)
      bytes.append(value ? 1 : 0)
    case .object:
      var content: [UInt8] = []
      try appendStructure(json, to: &content)
      bytes.append(5, content: content)
    case .array(let elements):
      var content: [UInt8] = []
      for element in elements { content.append(1, content: try structureValue(element)) }
      bytes.append(6, content: content)
    }
    return bytes
  }

  private static func damaged(_ what: String) -> ProtobufError {
    ProtobufError("\(what) isn't in the JSON form of its message.")
  }
}
