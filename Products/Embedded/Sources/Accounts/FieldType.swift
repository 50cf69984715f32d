import TenonTransport

/// The type of a member of a request, as declared by the schema of Identity Toolkit.
indirect enum FieldType: Sendable {
  /// A string. A number is accepted as well.
  case text
  /// A 64-bit integer, as a number or as a string.
  case integer
  /// A number.
  case number
  /// A Boolean value.
  case flag
  /// An array whose elements have a type.
  case list(FieldType)
  /// An object whose members have these types. Members with other names are ignored.
  case object([String: FieldType])

  /// Checks that a value has this type.
  ///
  /// - Parameters:
  ///   - value: a value other than null.
  ///   - path: the path of the value in the request, for example `/users/0/email`.
  /// - Throws: ``Refusal`` that names the path and the declared type.
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

  /// Checks the members of an object, in the order of their names. A null is treated like an absent member.
  ///
  /// - Parameters:
  ///   - members: the members of the object.
  ///   - fields: the declared types by name.
  ///   - path: the path of the object in the request; empty for the body.
  /// - Throws: ``Refusal`` for the first member of another type.
  static func check(_ members: [String: JSON], against fields: [String: FieldType], at path: String = "")
    throws
  {
    for name in members.keys.sorted() {
      guard let type = fields[name], let value = members[name], value != .null else { continue }
      try type.check(value, at: "\(path)/\(name)")
    }
  }

  /// The name of the type in JSON Schema, as Google's services use it in error messages.
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
  /// The 64-bit integer that the value represents as a number or as a string; `nil` for other values, for
  /// numbers with a fraction and for those out of range.
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
  /// Creates the error for a request body that doesn't match the schema: status 400, `INVALID_ARGUMENT`.
  ///
  /// - Parameter problem: the path of the value and what it must be.
  static func payload(_ problem: String) -> Refusal {
    Refusal(400, "Invalid JSON payload received. \(problem)", statusName: "INVALID_ARGUMENT")
  }
}
