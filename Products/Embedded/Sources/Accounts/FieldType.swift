import TenonTransport

/// The type of a member of a request, as Identity Toolkit's schema declares it.
indirect enum FieldType: Sendable {
  /// A string; a number passes for one.
  case text
  /// A 64-bit integer, as a number or as a string.
  case integer
  case number
  case flag
  case list(FieldType)
  /// An object with members of these types. Names that aren't listed are ignored.
  case object([String: FieldType])

  /// Checks a value.
  ///
  /// - Parameter path: where the value is in the request, for example `/users/0/email`.
  /// - Throws: ``Refusal`` with the path and the declared type.
  func check(_ value: JSON, at path: String) throws {
    switch (self, value) {
    case (.text, .string), (.flag, .bool): break
    case (.text, .int), (.text, .unsigned), (.text, .double): break
    case (.number, .int), (.number, .unsigned), (.number, .double): break
    case (.integer, .string), (.integer, .int), (.integer, .unsigned), (.integer, .double):
      guard value.integer != nil else { throw Refusal.payload("\(path) must match format \"int64\"") }
    case (.list(let element), .array(let values)):
      for (index, value) in values.enumerated() { try element.check(value, at: "\(path)/\(index)") }
    case (.object(let fields), .object(let members)):
      try Self.check(members, against: fields, at: path)
    default:
      throw Refusal.payload("\(path) must be \(name)")
    }
  }

  /// Checks the members of an object, in the order of their names. Null stands for absence.
  static func check(_ members: [String: JSON], against fields: [String: FieldType], at path: String = "")
    throws
  {
    for name in members.keys.sorted() {
      guard let type = fields[name], let value = members[name], value != .null else { continue }
      try type.check(value, at: "\(path)/\(name)")
    }
  }

  /// The name of the type in JSON Schema.
  private var name: String {
    switch self {
    case .text, .integer: "string"
    case .number: "number"
    case .flag: "boolean"
    case .list: "array"
    case .object: "object"
    }
  }
}

extension JSON {
  /// A 64-bit integer that is given as a number or as a string; `nil` when it has a fraction or is out of range.
  var integer: Int64? {
    switch self {
    case .int(let value): value
    case .double(let value): Int64(exactly: value)
    case .string(let text): Int64(decimal: text)
    default: nil
    }
  }
}

extension Refusal {
  /// A body that isn't what the service's schema says.
  static func payload(_ problem: String) -> Refusal {
    Refusal(400, "Invalid JSON payload received. \(problem)", statusName: "INVALID_ARGUMENT")
  }
}
