import TenonDocuments
package import TenonFoundation
import TenonValues

/// From bytes to JSON.
extension ProtobufSchema {
  /// Returns the JSON form of a message (https://protobuf.dev/programming-guides/json).
  ///
  /// As in protobuf, unknown fields are ignored, the last of several values counts, and messages that occur
  /// several times are merged.
  ///
  /// - Parameters:
  ///   - bytes: the message.
  ///   - name: the name of the message.
  /// - Throws: ``ProtobufError`` if the bytes aren't such a message.
  /// - Complexity: O(*n*) in the number of bytes.
  package func json(_ bytes: [UInt8], of name: String) throws(ProtobufError) -> Data {
    try json(bytes, of: name, taking: []).json
  }

  /// Returns the JSON form of a message without some of its fields.
  ///
  /// - Parameters:
  ///   - bytes: the message.
  ///   - name: the name of the message.
  ///   - names: the names of the fields that are left out.
  /// - Returns: the JSON, and those of the fields that are strings.
  /// - Throws: ``ProtobufError`` if the bytes aren't such a message.
  package func json(
    _ bytes: [UInt8], of name: String, taking names: Set<String>
  ) throws(ProtobufError) -> (json: Data, taken: [String: String]) {
    guard let message = message(named: name) else { throw ProtobufError("There is no message \(name).") }
    var writer = WireWriter(DatabaseName(project: ""))
    var taken: [String: String] = [:]
    do throws(DocumentError) {
      var values = try values(of: messages[message], bytes, bytes.indices, 0)
      for (place, field) in messages[message].fields.enumerated() where names.contains(field.name) {
        if field.kind == .string, let range = values[place].last?.range {
          taken[field.name] = try Self.text(bytes[range])
        }
        values[place] = []
      }
      try write(messages[message], values, bytes, 0, &writer)
    } catch {
      throw ProtobufError(error.message)
    }
    return (Data(writer.bytes), taken)
  }

  /// Returns the JSON form of a message within a message.
  ///
  /// - Parameters:
  ///   - bytes: the outer message.
  ///   - name: the name of the outer message.
  ///   - member: the name of the field.
  /// - Returns: `nil` if the field isn't set.
  /// - Throws: ``ProtobufError`` if the bytes aren't such a message.
  package func json(_ bytes: [UInt8], of name: String, member: String) throws(ProtobufError) -> Data? {
    guard let message = message(named: name), let place = messages[message].names[member] else {
      throw ProtobufError("There is no message \(name) with \(member).")
    }
    var writer = WireWriter(DatabaseName(project: ""))
    do throws(DocumentError) {
      let values = try values(of: messages[message], bytes, bytes.indices, 0)[place]
      guard !values.isEmpty else { return nil }
      try write(messages[message].fields[place].kind, values, bytes, 0, &writer)
    } catch {
      throw ProtobufError(error.message)
    }
    return Data(writer.bytes)
  }

  /// Writes a message as an object.
  ///
  /// - Throws: `DocumentError`, as ``WireWriter`` does.
  private func write(
    _ message: Int, _ bytes: [UInt8], _ range: Range<Int>, _ depth: Int, _ writer: inout WireWriter
  ) throws(DocumentError) {
    let values = try values(of: messages[message], bytes, range, depth)
    try write(messages[message], values, bytes, depth, &writer)
  }

  /// Writes the fields of a message as an object.
  private func write(
    _ message: Message, _ values: [[ProtobufReader.Raw]], _ bytes: [UInt8], _ depth: Int,
    _ writer: inout WireWriter
  ) throws(DocumentError) {
    try writer.beginObject()
    for (field, raws) in zip(message.fields, values) where !raws.isEmpty {
      if field.kind == .omitted || field.kind == .any { continue }
      writer.name(ofField: field.name)
      switch field.plurality {
      case .one: try write(field.kind, raws, bytes, depth, &writer)
      case .repeated:
        try writer.beginArray()
        for raw in raws { try write(field.kind, [raw], bytes, depth, &writer) }
        writer.endArray()
      case .map: try writeMap(field.kind, raws, bytes, depth, &writer)
      }
    }
    writer.endObject()
  }

  /// Returns the values of the fields of a message: of a field without plurality the last one, but all parts
  /// of a message.
  private func values(
    of message: Message, _ bytes: [UInt8], _ range: Range<Int>, _ depth: Int
  ) throws(DocumentError) -> [[ProtobufReader.Raw]] {
    guard depth < Self.deepestNesting else { throw ProtobufError.tooDeep.documentError }
    var values = [[ProtobufReader.Raw]](repeating: [], count: message.fields.count)
    var chosen = [Int?](repeating: nil, count: Self.groups.count)
    var reader = ProtobufReader(bytes, range)
    do throws(ProtobufError) {
      while !reader.isAtEnd {
        let (number, type) = try reader.tag()
        guard type != .groupEnd else { throw ProtobufError("A group ends that has not begun.") }
        guard let place = message.place(of: number),
          message.fields[place].kind.isWritten(as: type, message.fields[place].plurality)
        else {
          try reader.skip(number, type)
          continue
        }
        let field = message.fields[place]
        if let group = field.group {
          if let other = chosen[group], other != place { values[other] = [] }
          chosen[group] = place
        }
        let raw = try reader.value(type)
        switch (field.plurality, raw) {
        case (.repeated, .bytes(let range)) where field.kind.wireType != .bytes:
          values[place] += try Self.packed(field.kind, bytes, range)
        case (.one, _) where !field.kind.isMerged: values[place] = [raw]
        default: values[place].append(raw)
        }
      }
    } catch {
      throw error.documentError
    }
    return values
  }

  /// Returns the numbers of a packed field.
  private static func packed(
    _ kind: Kind, _ bytes: [UInt8], _ range: Range<Int>
  ) throws(ProtobufError) -> [ProtobufReader.Raw] {
    var reader = ProtobufReader(bytes, range)
    var values: [ProtobufReader.Raw] = []
    while !reader.isAtEnd { values.append(try reader.value(kind.wireType)) }
    return values
  }

  /// Writes the entries of a map. The last one of a key counts.
  private func writeMap(
    _ kind: Kind, _ raws: [ProtobufReader.Raw], _ bytes: [UInt8], _ depth: Int, _ writer: inout WireWriter
  ) throws(DocumentError) {
    let entry = Message(
      fields: [
        Field(number: 1, name: "key", kind: .string, plurality: .one, group: nil),
        Field(number: 2, name: "value", kind: kind, plurality: .one, group: nil),
      ], places: [-1, 0, 1])
    var keys: Set<ArraySlice<UInt8>> = []
    try writer.beginObject()
    for raw in raws.reversed() {
      guard case .bytes(let range) = raw else { continue }
      let values = try values(of: entry, bytes, range, depth + 1)
      let key = values[0].first?.range ?? range.lowerBound..<range.lowerBound
      if raws.count > 1, !keys.insert(bytes[key]).inserted { continue }
      writer.name(ofField: try Self.text(bytes[key]))
      let empty = [ProtobufReader.Raw](kind.wireType == .bytes ? [.bytes(0..<0)] : [.number(0)])
      try write(kind, values[1].isEmpty ? empty : values[1], bytes, depth + 1, &writer)
    }
    writer.endObject()
  }

  /// Writes a value, which may be in several parts if it is a message.
  private func write(
    _ kind: Kind, _ raws: [ProtobufReader.Raw], _ bytes: [UInt8], _ depth: Int, _ writer: inout WireWriter
  ) throws(DocumentError) {
    guard let raw = raws.last else { return }
    if kind.isMerged, raws.count > 1 {
      let whole = raws.flatMap { bytes[$0.range ?? 0..<0] }
      return try write(kind, [.bytes(whole.indices)], whole, depth, &writer)
    }
    switch raw {
    case .number(let number): writeNumber(kind, number, &writer)
    case .bytes(let range):
      switch kind {
      case .string: writer.string(try Self.text(bytes[range]))
      case .bytes: writer.data(Data(bytes[range]))
      case .message(let message): try write(message, bytes, range, depth + 1, &writer)
      case .timestamp:
        let (seconds, nanoseconds) = try moment(bytes, range, depth)
        try writer.timestamp(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
      case .duration:
        let (seconds, nanoseconds) = try moment(bytes, range, depth)
        writer.string(Self.durationText(seconds, nanoseconds))
      case .wrapper(let kind):
        let wrapper = Message(
          fields: [Field(number: 1, name: "value", kind: kind, plurality: .one, group: nil)],
          places: [-1, 0])
        let value = try values(of: wrapper, bytes, range, depth + 1)[0]
        let empty = [ProtobufReader.Raw](kind.wireType == .bytes ? [.bytes(0..<0)] : [.number(0)])
        try write(kind, value.isEmpty ? empty : value, bytes, depth + 1, &writer)
      default:
        // A structure isn't part of any request.
        try writer.beginObject()
        writer.endObject()
      }
    }
  }

  private func writeNumber(_ kind: Kind, _ number: UInt64, _ writer: inout WireWriter) {
    switch kind {
    case .double: writer.double(Double(bitPattern: number))
    case .float: writer.double(Double(Float(bitPattern: UInt32(truncatingIfNeeded: number))))
    case .int64: writer.integer(Int64(bitPattern: number))
    case .uint64: writer.string(String(number))
    case .int32: writer.number(Int(Int32(truncatingIfNeeded: number)))
    case .uint32: writer.number(Int(UInt32(truncatingIfNeeded: number)))
    case .boolean: writer.boolean(number != 0)
    case .enumeration(let enumeration):
      let number = Int(Int32(truncatingIfNeeded: number))
      if let name = enumerations[enumeration].names[number] {
        writer.string(name)
      } else {
        writer.number(number)
      }
    default: writer.null()
    }
  }

  /// Reads the seconds and the nanoseconds of a timestamp or a duration.
  private func moment(
    _ bytes: [UInt8], _ range: Range<Int>, _ depth: Int
  ) throws(DocumentError) -> (Int64, Int32) {
    let values = try values(of: Self.moment, bytes, range, depth + 1)
    return (
      Int64(bitPattern: values[0].last?.number ?? 0),
      Int32(truncatingIfNeeded: values[1].last?.number ?? 0)
    )
  }

  private static let moment = Message(
    fields: [
      Field(number: 1, name: "seconds", kind: .int64, plurality: .one, group: nil),
      Field(number: 2, name: "nanos", kind: .int32, plurality: .one, group: nil),
    ], places: [-1, 0, 1])

  private static func durationText(_ seconds: Int64, _ nanoseconds: Int32) -> String {
    guard nanoseconds != 0 else { return "\(seconds)s" }
    let digits = String(nanoseconds.magnitude)
    let sign = seconds < 0 || nanoseconds < 0 ? "-" : ""
    return "\(sign)\(seconds.magnitude).\(String(repeating: "0", count: max(0, 9 - digits.count)))\(digits)s"
  }

  private static func text(_ bytes: ArraySlice<UInt8>) throws(DocumentError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ProtobufError("A string isn't UTF-8.").documentError
    }
    return text
  }
}

extension ProtobufReader.Raw {
  fileprivate var range: Range<Int>? { if case .bytes(let range) = self { range } else { nil } }
  fileprivate var number: UInt64? { if case .number(let number) = self { number } else { nil } }
}

extension ProtobufSchema.Kind {
  /// How a value of this type is written.
  var wireType: ProtobufReader.WireType {
    switch self {
    case .double: .fixed64
    case .float: .fixed32
    case .int32, .int64, .uint32, .uint64, .boolean, .enumeration, .null: .varint
    case .string, .bytes, .message, .timestamp, .duration, .wrapper, .structure, .any, .omitted: .bytes
    }
  }

  /// Whether values that occur several times are one value.
  fileprivate var isMerged: Bool {
    switch self {
    case .message, .timestamp, .duration, .wrapper, .structure: true
    default: false
    }
  }

  /// Returns whether a value of this type can be written in a way. Values of any other are unknown ones.
  fileprivate func isWritten(
    as type: ProtobufReader.WireType, _ plurality: ProtobufSchema.Plurality
  ) -> Bool {
    plurality == .map || plurality == .repeated ? type == .bytes || type == wireType : type == wireType
  }
}

extension ProtobufError {
  /// The error as that of documents.
  fileprivate var documentError: DocumentError { DocumentError(.damaged, description) }
}
