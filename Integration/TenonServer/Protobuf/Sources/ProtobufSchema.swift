/// Messages of protobuf, as a table: what is needed to turn their bytes into their JSON form and back.
package struct ProtobufSchema: Sendable {
  /// The type of a field.
  enum Kind: Sendable, Hashable {
    case double, float, int32, int64, uint32, uint64, boolean, string, bytes
    /// One of the enumerations.
    case enumeration(Int)
    /// One of the messages.
    case message(Int)
    /// `google.protobuf.NullValue`.
    case null
    /// `google.protobuf.Timestamp`, a string in JSON.
    case timestamp
    /// `google.protobuf.Duration`, a string in JSON.
    case duration
    /// A wrapper, such as `google.protobuf.Int32Value`, which is its value in JSON.
    indirect case wrapper(Kind)
    /// `google.protobuf.Struct`, which is any object in JSON.
    case structure
    /// `google.protobuf.Any`, whose content has the member `@type` in JSON. It is written only.
    case any
    /// A message that isn't in the table, which is left out.
    case omitted
  }

  /// Whether a field has one value, several, or one for each key.
  enum Plurality: Sendable, Hashable { case one, repeated, map }

  /// A field of a message.
  struct Field: Sendable {
    let number: Int
    /// The name in JSON.
    let name: String
    let kind: Kind
    let plurality: Plurality
    /// The group of fields of which a message has one; `nil` if there is none.
    let group: Int?
  }

  /// A message.
  struct Message: Sendable {
    var fields: [Field] = []
    /// The places of the fields by their numbers; -1 for none.
    var places: [Int] = []
    /// The places of the fields by their names.
    var names: [String: Int] = [:]

    /// Returns the place of the field with a number; `nil` for one that the message doesn't have.
    func place(of number: Int) -> Int? {
      guard places.indices.contains(number), places[number] >= 0 else { return nil }
      return places[number]
    }
  }

  /// An enumeration.
  struct Enumeration: Sendable {
    var names: [Int: String] = [:]
    var numbers: [String: Int] = [:]
  }

  private(set) var messages: [Message] = []
  private(set) var enumerations: [Enumeration] = []
  private var messageNames: [String: Int] = [:]
  private var enumerationNames: [String: Int] = [:]

  /// Creates a schema from its text.
  ///
  /// - Parameter text: a line for each message and enumeration; lines that begin with a space continue the
  ///   line before. Types that aren't in the text are left out of messages.
  package init(_ text: String) {
    var lines: [String] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix(" "), let last = lines.popLast() {
        lines.append(last + line)
      } else {
        lines.append(String(line))
      }
    }
    let parts = lines.map { line in
      line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    }
    for part in parts where part.count == 2 {
      if part[0].hasPrefix("enum ") {
        enumerationNames[String(part[0].dropFirst(5))] = enumerations.count
        enumerations.append(Self.enumeration(part[1]))
      } else {
        messageNames[part[0]] = messageNames.count
      }
    }
    messages = parts.filter { $0.count == 2 && !$0[0].hasPrefix("enum ") }.map { message($0[1]) }
  }

  /// Returns the place of a message; `nil` if there is none of this name.
  func message(named name: String) -> Int? { messageNames[name] }

  /// The names of all messages.
  package var names: [String] { messageNames.keys.sorted() }

  private static func enumeration(_ text: String) -> Enumeration {
    var enumeration = Enumeration()
    for value in text.split(separator: ",") {
      let words = value.split(separator: " ")
      guard words.count == 2, let number = Int(words[0]) else { continue }
      enumeration.names[number] = String(words[1])
      enumeration.numbers[String(words[1])] = number
    }
    return enumeration
  }

  /// The letters of groups of fields that exclude each other.
  static let groups = ["a", "b", "c"]

  private func message(_ text: String) -> Message {
    var message = Message()
    for part in text.split(separator: ",") {
      let words = part.split(separator: " ")
      guard words.count >= 3, let type = words.last else { continue }
      let place = words[0].split(separator: "/")
      guard let number = place.first.flatMap({ Int($0) }), (1...1_000).contains(number) else { continue }
      let isRepeated = type.hasPrefix("*")
      let field = Field(
        number: number, name: String(words[1]), kind: kind(String(isRepeated ? type.dropFirst() : type)),
        plurality: isRepeated ? .repeated : words.count == 4 ? .map : .one,
        group: place.count == 2 ? Self.groups.firstIndex(of: String(place[1])) : nil)
      message.names[field.name] = message.fields.count
      while message.places.count <= number { message.places.append(-1) }
      message.places[number] = message.fields.count
      message.fields.append(field)
    }
    return message
  }

  private func kind(_ name: String) -> Kind {
    switch name {
    case "double": .double
    case "float": .float
    case "int32": .int32
    case "int64": .int64
    case "uint32": .uint32
    case "uint64": .uint64
    case "bool": .boolean
    case "string": .string
    case "bytes": .bytes
    case "NullValue": .null
    case "Timestamp": .timestamp
    case "Duration": .duration
    case "Int32Value": .wrapper(.int32)
    case "Int64Value": .wrapper(.int64)
    case "DoubleValue": .wrapper(.double)
    case "BoolValue": .wrapper(.boolean)
    case "StringValue": .wrapper(.string)
    case "Struct": .structure
    case "Any": .any
    default:
      enumerationNames[name].map { .enumeration($0) } ?? messageNames[name].map { .message($0) } ?? .omitted
    }
  }
}

/// Why bytes aren't a message, or a message has no bytes.
package struct ProtobufError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence that says what is wrong.
  package let description: String

  /// Creates an error.
  package init(_ description: String) { self.description = description }
}
